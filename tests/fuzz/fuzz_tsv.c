/* Fuzz target: reads a TSV corpus with the English as the source and as the target, and with given columns. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    table_check(FORM_TSV, data, size);
    return 0;
}
