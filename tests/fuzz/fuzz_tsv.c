/* Fuzz target: reads a TSV corpus twice: with the English column as the source and as the target. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzFile file = memory_file(data, size);
    for (int english = SOURCE; english <= TARGET; english++) {
        Err err = {0};
        corpus_check(open_corpus(FORM_TSV, file.path, english, &err), file.path, &err);
    }
    memory_file_close(&file);
    return 0;
}
