/* plain.c: the functions of io/compressed.h where there are no programs: every file is plain. */
#include "io/compressed.h"

int compressed_open(FILE *file, const char *path, Compressed **compressed, Err *err) {
    (void)file, (void)path, (void)err;
    *compressed = NULL;
    return 0;
}

void compressed_close(Compressed *compressed) { (void)compressed; }
