/* Fuzz target: reads word vectors. Checks that all rows have the same length, all numbers are finite and every row has
   a word, and that an error has a line number. */
#include "fuzz.h"
#include "text/vectors.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    Vectors vectors;
    FuzzFile file = memory_file(data, size);
    int status = vectors_read(&vectors, file.path, &err);
    CHECK(status ? err.reason[0] && !vectors.rows : vectors.rows > 0 && vectors.cols > 0, "status %d", status);
    CHECK(!status || err.line || !strcmp(err.reason, "holds no vectors"), "no line: %s", err.reason);
    CHECK(arrlen(vectors.numbers) == (ptrdiff_t)vectors.rows * vectors.cols, "%td numbers", arrlen(vectors.numbers));
    for (ptrdiff_t i = 0; i < arrlen(vectors.numbers); i++) CHECK(isfinite(vectors.numbers[i]), "number %td", i);
    for (int i = 0; i < vectors.rows; i++) {
        int found = *vectors.words[i] ? vectors_find(&vectors, vectors.words[i]) : -1;
        CHECK(found >= 0 && found <= i, "row %d is found at %d", i, found);
    }
    vectors_free(&vectors);
    memory_file_close(&file);
    return 0;
}
