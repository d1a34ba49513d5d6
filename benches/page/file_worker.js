// A file for each text through a sync handle, one after another: says how many milliseconds that took.

onmessage = async ({ data: [texts] }) => {
  try {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("bench-sync", { create: true });
    const encoder = new TextEncoder();
    const began = performance.now();
    for (const [index, text] of texts.entries()) {
      const handle = await (await root.getFileHandle(`file_${index}`, { create: true })).createSyncAccessHandle();
      handle.write(encoder.encode(text));
      handle.flush();
      handle.close();
    }
    postMessage({ value: performance.now() - began });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
