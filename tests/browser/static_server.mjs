// A plain file server: files under a sub-path with the right types and no special header, as any static host gives them.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/**
 * Serves `folder` under `prefix`, which begins and ends with a slash. `pages` are further documents by absolute path, or
 * functions that are waited for: each gives a document, or nothing for the file that stands there; `null` is a 404.
 * A missing file is a 404, never index.html, so that a wrong path shows.
 */
export async function serveFolder(folder, prefix, pages = {}) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const page = typeof pages[path] === "function" ? await pages[path]() : pages[path];
    if (page !== undefined && page !== null) {
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? TYPES[".html"] }).end(page);
      return;
    }
    const inside = path.startsWith(prefix) ? normalize(path.slice(prefix.length) || "index.html") : undefined;
    const file = page === null || inside === undefined || inside.startsWith("..") ? undefined : join(folder, inside.split("/").join(sep));
    const info = file && (await stat(file).catch(() => undefined));
    if (!info?.isFile()) {
      response.writeHead(404, { "content-type": "text/plain" }).end("no such file");
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-length": info.size });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    origin: `http://127.0.0.1:${port}`,
    site: `http://127.0.0.1:${port}${prefix}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
