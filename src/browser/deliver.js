// Functions of the program that are written in JavaScript. browser_deliver: see browser.h; classroom_deliver: classroom.h.
mergeInto(LibraryManager.library, {
  browser_deliver: function (status, bytes, size) {
    Module.deliver(status, UTF8ToString(bytes, size));
  },

  classroom_deliver: function (line, size) {
    Module.learned(UTF8ToString(line, size));
  },

  // What a browser does not have: files without a name, and other programs.
  memfd_create: function () {
    return -1;
  },
  posix_spawnp: function () {
    return 52; // ENOSYS
  },

  getrandom: function (bytes, size) {
    crypto.getRandomValues(HEAPU8.subarray(bytes, bytes + size));
    return size;
  },
});
