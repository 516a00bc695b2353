/* Fuzz target: reads a configuration: the format of --config, of presets and of the options that models store. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    TrainOptions options = {0};
    ModelOptions model = {0};
    char *text = bytes_text(data, size);
    options_default(train_option_tables, &options);
    options_default(model_option_tables, &model);
    int status = options_read(train_option_tables, &options, text, "config", UNKNOWN_ERROR, &err);
    CHECK(!status || (err.line > 0 && err.reason[0]), "refused without a reason");
    if (!status) {
        options_hold(&options);
        CHECK(!options_read(model_option_tables, &model, text, "config", UNKNOWN_SKIP, &err), "refused: %s",
              err.reason);
    }
    mem_free(text);
    return 0;
}
