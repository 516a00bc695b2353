/* Fuzz target: reads a file that may be compressed, line by line. A plain file gives its own bytes; a damaged one gives
   an error with a reason, once. */
#include "fuzz.h"
#include "io/lines.h"

static bool is_packed(const uint8_t *data, size_t size) {
    static const char *const magic[] = {"\x1f\x8b", "PK\3\4", "\3757zXZ", "\x28\xb5\x2f\xfd"};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (size >= strlen(magic[i]) && !memcmp(data, magic[i], strlen(magic[i]))) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { ENOUGH = 1 << 22 };
    const bool packed = is_packed(data, size);
    FuzzFile file = memory_file(data, size);
    LineReader lines;
    Err err = {0};
    size_t read = 0;
    if (!line_reader_open(&lines, file.path, &err)) {
        int status = 1;
        lines.keep_mark = true;
        while (read < ENOUGH && (status = line_reader_next(&lines, &err)) > 0) {
            const size_t n = lines.length;
            if (!packed)
                CHECK(read + n <= size && !memcmp(data + read, lines.line, n), "line %ld has other bytes",
                      lines.number);
            read += n + 1;
        }
        CHECK(status >= 0 || err.reason[0], "an error without a reason");
        CHECK(status >= 0 || packed, "a plain file is damaged: %s", err.reason);
        line_reader_close(&lines);
    }
    memory_file_close(&file);
    return 0;
}
