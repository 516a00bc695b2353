// Whether a browser can run the pages without a server.

const oldBrowser = {
  en: "This browser is too old for this page: it has no WebAssembly SIMD, or cannot unpack gzip.",
  zh: "这个浏览器太旧：它没有 WebAssembly SIMD，或不能解压 gzip。",
}[language];

function isOld() {
  // the smallest program with a SIMD instruction: a function without parameters that returns i8x16.splat(0)
  const simd = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];
  return typeof DecompressionStream !== "function" || !globalThis.WebAssembly?.validate(new Uint8Array(simd));
}
