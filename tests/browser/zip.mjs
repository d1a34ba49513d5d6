// Zip archives as the format says, written and read without anything of ours: what the tests compare with.

import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

/** An archive of `[path, Buffer]`, deflated, front to back. */
export function zip(files) {
  const parts = [];
  const list = [];
  let at = 0;
  for (const [path, content] of files) {
    const [name, packed] = [Buffer.from(path), deflateRawSync(content)];
    // Version, flags (UTF-8), method, time, date, checksum, both sizes, length of the name, none of further fields.
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(0x800, 2);
    head.writeUInt16LE(8, 4);
    head.writeUInt16LE(0x5c21, 8);
    head.writeUInt32LE(crc32(content), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.from("PK\x01\x02\x14\0", "latin1"), head, rest, name);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), head, name, packed);
    at += 30 + name.length + packed.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** The files of an archive by path; what ends with a slash is a folder. Checksums are verified. */
export function unzip(bytes) {
  const files = new Map();
  const end = bytes.lastIndexOf("PK\x05\x06", bytes.length, "latin1");
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, sum, packed] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place));
    const path = bytes.toString("utf8", at + 46, at + 46 + name);
    const entry = bytes.readUInt32LE(at + 42);
    const begin = entry + 30 + bytes.readUInt16LE(entry + 26) + bytes.readUInt16LE(entry + 28);
    const data = bytes.subarray(begin, begin + packed);
    const content = method === 8 ? inflateRawSync(data) : data;
    if (crc32(content) !== sum) throw new Error(`the checksum of ${path} is wrong`);
    files.set(path, content);
    at += 46 + name + extra + comment;
  }
  return files;
}
