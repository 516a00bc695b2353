/* Fuzz target: reads a corpus from a compiled gettext catalogue (.mo). */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    form_check(FORM_MO, TARGET, data, size);
    return 0;
}
