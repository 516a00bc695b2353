/* Fuzz target: reads a corpus from a translation memory. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const langs[] = {"zh", "en"};
    FuzzFile file = memory_file(data, size);
    Err err = {0};
    Corpus corpus = {0};
    int status = corpus_read(&corpus, reader_tmx(file.path, langs, &err), file.path, &err);
    corpus_check(&corpus, status, &err);
    memory_file_close(&file);
    return 0;
}
