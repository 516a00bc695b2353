/* Fuzz target: reads a parallel corpus from two files, one sentence per line. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzFile files[2];
    memory_files(files, data, size);
    Err err = {0};
    corpus_check(open_line_corpus(files[0].path, files[1].path, &err), files[0].path, &err);
    for (int i = 0; i < 2; i++) memory_file_close(&files[i]);
    return 0;
}
