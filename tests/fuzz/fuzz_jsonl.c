/* Fuzz target: reads a corpus of lines of JSON. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    form_check(FORM_JSONL, TARGET, data, size);
    return 0;
}
