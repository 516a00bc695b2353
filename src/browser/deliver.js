// Functions of the program that are written in JavaScript. browser_deliver: see browser.h.
mergeInto(LibraryManager.library, {
  browser_deliver: function (status, bytes, size) {
    Module.deliver(status, UTF8ToString(bytes, size));
  },

  getrandom: function (bytes, size) {
    crypto.getRandomValues(HEAPU8.subarray(bytes, bytes + size));
    return size;
  },
});
