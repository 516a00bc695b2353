/* Fuzz target: loads the input as a model and as a checkpoint, and translates with the model if it loads.
   An input that begins with '{' is a header up to the first NUL; the length of the header is written in front of it.
   A file without a checksum loads; a seed has none, so that the fuzzer is not stopped by it. */
#include "fuzz.h"
#include "tide.h"
#include "train/checkpoint.h"
#include "scratch.h"

#include <limits.h>
#include <stdlib.h>

/* Makes the bytes of the file from the input. Returns a stb_ds array. */
static char *file_of(const uint8_t *data, size_t size) {
    char *bytes = NULL;
    const uint8_t *end = size && *data == '{' ? memchr(data, '\0', size) : NULL;
    uint64_t header = end ? (uint64_t)(end - data + 3) / 4 * 4 : 0;
    if (end) {
        memcpy(arraddnptr(bytes, 8), &header, 8);
        memset(arraddnptr(bytes, header), ' ', header);
        memcpy(bytes + 8, data, (size_t)(end - data));
        size -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    if (size) memcpy(arraddnptr(bytes, size), data, size);
    return bytes;
}

static void try_model(const char *path) {
    static const char *const sentence = "潮水 退了";
    char error[256] = "";
    TideModel *model;
    TideSession *session;
    TideResult *result;
    TideStatus status = tide_load(path, &model, error, sizeof error);
    CHECK(status == TIDE_OK || (status == TIDE_BAD_FILE && error[0]), "status %d: %s", (int)status, error);
    if (!model) return;
    CHECK(tide_session_new(&model, 1, NULL, &session, error, sizeof error) == TIDE_OK, "no session: %s", error);
    status = tide_translate(session, &sentence, 1, NULL, &result);
    CHECK(status == TIDE_OK, "status %d: %s", (int)status, tide_error(session));
    tide_result_free(result);
    tide_session_free(session);
    tide_free(model);
}

static void try_checkpoint(const char *dir) {
    Err warning, err = {0};
    Learner learner;
    TrainState state = {0};
    int status = checkpoint_load(dir, &learner, &state, &warning, &err);
    CHECK(status == 1 || err.reason[0], "refused without a reason");
    if (status != 1) return;
    CHECK(state.epoch >= 0 && state.epoch < INT_MAX && state.stalled >= 0 && state.stalled < INT_MAX, "unsound state");
    learner_free(&learner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = file_of(data, size), dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    FuzzFile file = memory_file(bytes, arrlenu(bytes));
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", dir);
    CHECK(!symlink(file.path, path), "no link");
    try_model(path);
    try_checkpoint(dir);
    scratch_remove(dir);
    memory_file_close(&file);
    arrfree(bytes);
    return 0;
}
