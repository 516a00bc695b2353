/* Fuzz target: reads a corpus from a translation memory. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    form_check(FORM_TMX, TARGET, data, size);
    return 0;
}
