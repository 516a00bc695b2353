/* Fuzz target: reads a corpus from a gettext catalogue as text (.po), which msgfmt compiles. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    form_check(FORM_PO, TARGET, data, size);
    return 0;
}
