/* Fuzz target: reads a corpus from a gettext catalogue as text (.po), which msgfmt compiles. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzFile file = memory_file(data, size);
    Err err = {0};
    Corpus corpus = {0};
    int status = corpus_read(&corpus, reader_po(file.path, TARGET, &err), file.path, &err);
    corpus_check(&corpus, status, &err);
    memory_file_close(&file);
    return 0;
}
