/* Fuzz target: reads a corpus from a translation memory. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const langs[] = {"zh", "en"};
    FuzzFile file = memory_file(data, size);
    Err err = {0};
    corpus_check(reader_tmx(file.path, langs, &err), file.path, &err);
    memory_file_close(&file);
    return 0;
}
