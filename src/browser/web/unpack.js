// Unpacks what the pages without a server contain: bytes packed by gzip and written in base64. For their workers.

function fromBase64(text) {
  const letters = atob(text.trim()), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i); // many times as fast as Uint8Array.from
  return bytes;
}

/** Unpacks bytes of gzip. Calls onPart with the share of the packed bytes that is read, from 0 to 1. */
async function unpack(packed, onPart) {
  let read = 0;
  const STEP = 1 << 16, parts = [];
  const bytes = new ReadableStream({
    pull(controller) {
      if (read >= packed.length) return controller.close();
      controller.enqueue(packed.subarray(read, read + STEP));
      read += STEP;
      onPart(Math.min(1, read / packed.length));
    },
  });
  const reader = bytes.pipeThrough(new DecompressionStream("gzip")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
