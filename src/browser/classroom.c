#include "browser/classroom.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "io/output.h"
#include "train/training.h"

#include <stdio.h>
#include <string.h>

#define MODEL "/model"

static const volatile sig_atomic_t never = 0;

static struct Classroom {
    TrainFiles set;
    TrainJob job;
    TrainCallbacks callbacks;
    Training training;
    Err err;
    bool begun, ended;
} room;

/* ---- messages --------------------------------------------------------------------------------------------------- */

static void deliver(MemoryFile *memory) {
    size_t size;
    char *line = memory_close(memory, &size);
    classroom_deliver(line, (int)size);
    mem_free(line);
}

static void tell_note(void *context, const char *text) {
    (void)context;
    MemoryFile memory;
    json_print(memory_open(&memory), "{\"note\": %s}", text);
    deliver(&memory);
}

static void tell_validation(void *context, const Validation *validation) {
    (void)context;
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"validation\": %ld, \"loss\": %.6f, \"bleu\": %.4f, \"best\": %s, \"lengths\": [",
            validation->update, validation->loss, validation->bleu.score, validation->best ? "true" : "false");
    const char *comma = "";
    for (int i = 0; i < LENGTHS; i++) {
        const LengthBleu *l = &validation->lengths[i];
        if (!l->sentences) continue;
        fprintf(out, "%s{\"most\": %d, \"sentences\": %d, \"bleu\": %.4f}", comma, l->most, l->sentences, l->bleu);
        comma = ", ";
    }
    fputs("]}", out);
    deliver(&memory);
}

static void tell_update(void) {
    const Training *t = &room.training;
    MemoryFile memory;
    fprintf(memory_open(&memory), "{\"update\": %ld, \"epoch\": %.4f, \"loss\": %.6f}", t->state.update,
            training_epochs(t), t->meter.loss);
    deliver(&memory);
}

/* ---- the training ----------------------------------------------------------------------------------------------- */

/* The path, the number of the line and the reason of an error. */
static const char *describe(const Err *err) {
    static char line[sizeof err->path + sizeof err->reason + 16];
    char place[16] = "";
    if (err->line) snprintf(place, sizeof place, ":%ld", (long)err->line);
    snprintf(line, sizeof line, "%s%s%s%s", err->path, place, err->path[0] ? ": " : "", err->reason);
    return line;
}

const char *classroom_reason(void) { return describe(&room.err); }

static CorpusFiles table_at(const char *path) { return (CorpusFiles){.form = FORM_TSV, .path = {*path ? path : NULL}}; }

const char *classroom_begin(const char *pairs, const char *dev, const char *links, const char *options) {
    classroom_end();
    room = (struct Classroom){.set = {.files = table_at(pairs), .weight = 1}};
    room.job = (TrainJob){.files = {.train = &room.set,
                                    .train_count = 1,
                                    .valid = table_at(dev),
                                    .guides = *links ? links : NULL,
                                    .dir = MODEL},
                          .model = MODEL,
                          .no_reload = true,
                          .threads = 1};
    room.callbacks = (TrainCallbacks){.note = tell_note, .validated = tell_validation};
    options_default(train_option_tables, &room.job.options);
    room.training = (Training){.job = &room.job,
                               .callbacks = &room.callbacks,
                               .stop = &never,
                               .threads = threads_new(1),
                               .directory.lock = -1};
    room.begun = true;
    if (options_read(train_option_tables, &room.job.options, options, "options", UNKNOWN_ERROR, &room.err) ||
        training_setup(&room.training, &room.err) || trainer_begin(&room.training, &room.err)) {
        classroom_end();
        return describe(&room.err);
    }
    return "";
}

long classroom_step(void) {
    Training *t = &room.training;
    if (!room.begun || room.ended) return 0;
    if (trainer_finished(t)) {
        room.ended = true;
        return trainer_finish(t, false, &room.err) ? -1 : 0;
    }
    if (trainer_step(t, &room.err)) return -1;
    tell_update();
    return t->state.update;
}

int classroom_save(const char *path) {
    const Learner *l = &room.training.learner;
    char *configuration = options_format(train_option_tables, &l->options);
    const int status = model_save(&l->translator, configuration, l->recipe, path, &room.err);
    mem_free(configuration);
    return status;
}

const char *classroom_hash(void) {
    const Recipe *recipe = room.begun ? room.training.learner.recipe : NULL;
    return recipe && arrlen(recipe->chain) ? arrlast(recipe->chain).hash : "";
}

void classroom_end(void) {
    if (room.begun) training_release(&room.training);
    room.begun = false;
}
