/* Fuzz target: reads a corpus of lines of JSON. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzFile file = memory_file(data, size);
    Err err = {0};
    corpus_check(open_corpus(FORM_JSONL, file.path, TARGET, &err), file.path, &err);
    memory_file_close(&file);
    return 0;
}
