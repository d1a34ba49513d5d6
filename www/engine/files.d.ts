/** Files in memory, and the tools over them. */

import type { AgentTool } from "./agent.js";

export interface FileEntry {
  name: string;
  kind: "file" | "folder";
  /** Bytes; 0 for a folder. */
  size: number;
}

/**
 * A workspace that lives as long as the object. Paths are absolute. What cannot be done is an error that names the path, and
 * changes nothing.
 */
export declare class MemoryWorkspace {
  constructor(files?: Record<string, string | Uint8Array>);
  read(path: string): Promise<Uint8Array>;
  readText(path: string): Promise<string>;
  /** Makes or replaces a file, and the folders on the way. */
  write(path: string, data: Uint8Array | ArrayBuffer): Promise<void>;
  writeText(path: string, text: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  list(path?: string): Promise<FileEntry[]>;
  stat(path: string): Promise<FileEntry>;
  /** Removes a file, or a folder with all in it. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  readSync(path: string): Uint8Array;
  readTextSync(path: string): string;
  writeSync(path: string, data: Uint8Array | ArrayBuffer): void;
  writeTextSync(path: string, text: string): void;
  mkdirSync(path: string): void;
  listSync(path?: string): FileEntry[];
  statSync(path: string): FileEntry;
  removeSync(path: string): void;
  renameSync(from: string, to: string): void;
  /** Gives the memory back at once; else it goes with the object. */
  free(): void;
}

export type ToolName = "read" | "edit" | "write" | "ls";

/** The tools named, or all there are, in a fixed order. An unknown name is an error that lists those there are. */
export declare function createTools(
  workspace: MemoryWorkspace,
  options?: {
    /** Where relative paths begin: `/` unless it is said. */
    cwd?: string;
    names?: Iterable<ToolName>;
  },
): AgentTool[];
