/* A configuration file, as --config, presets and models hold it. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    Options options;
    char *text = bytes_text(data, size);
    options_default(&options);
    int status = options_read(&options, text, "config", &err);
    CHECK(!status || (err.line > 0 && err.reason[0]), "refused without a reason");
    if (!status) options_hold(&options);
    mem_free(text);
    return 0;
}
