#include "browser/classroom.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "score/bleu.h"
#include "train/training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL "/model"

static const volatile sig_atomic_t never = 0;

static struct Classroom {
    TrainFiles set;
    TrainJob job;
    TrainCallbacks callbacks;
    Training training;
    real *before; /* the weights before the update */
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

static void tell_measures(double bleu, const LengthBleu lengths[LENGTHS]) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"measured\": %ld, \"bleu\": %.4f, ", room.training.state.update, bleu);
    bleu_by_length_print(out, lengths);
    fputc('}', out);
    deliver(&memory);
}

/* The norm of a parameter's change in the last update, divided by the norm that it had. */
static double change(const Param *param, const Params *params) {
    const size_t n = (size_t)param->var.rows * (size_t)param->var.cols;
    const real *now = params->values + param->offset, *before = room.before + param->offset;
    double moved = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        moved += ((double)now[i] - before[i]) * ((double)now[i] - before[i]);
        size += (double)before[i] * before[i];
    }
    return size > 0 ? sqrt(moved / size) : 0; /* biases begin with zero */
}

static void tell_update(void) {
    const Training *t = &room.training;
    const Params *params = &t->learner.translator.model.params;
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"update\": %ld, \"epoch\": %.4f, \"loss\": %.6f, \"changes\": {", t->state.update,
            training_epochs(t), t->meter.loss);
    for (int i = 0; i < params->count; i++)
        fprintf(out, "%s\"%s\": %.6f", i ? ", " : "", params->list[i]->name, change(params->list[i], params));
    fputs("}}", out);
    deliver(&memory);
}

/* ---- the training ----------------------------------------------------------------------------------------------- */

const char *classroom_reason(void) {
    static char text[ERR_TEXT];
    err_text(&room.err, text);
    return text;
}

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
    room.callbacks = (TrainCallbacks){.note = tell_note};
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
        return classroom_reason();
    }
    room.before = mem_alloc(room.training.learner.translator.model.params.size * sizeof *room.before);
    return "";
}

long classroom_step(void) {
    Training *t = &room.training;
    if (!room.begun || room.ended) return 0;
    if (trainer_finished(t)) {
        room.ended = true;
        return trainer_finish(t, false, &room.err) ? -1 : 0;
    }
    const Params *params = &t->learner.translator.model.params;
    memcpy(room.before, params->values, params->size * sizeof *room.before);
    if (trainer_step(t, &room.err)) return -1;
    tell_update();
    return t->state.update;
}

int classroom_measure(void) {
    Training *t = &room.training;
    LengthBleu lengths[LENGTHS];
    Translations found;
    if (!room.begun || !data_has_validation(&t->files))
        return err_set(&room.err, NULL, 0, "there is no development set");
    const int failed = validation_translate(t, NULL, &found, &room.err);
    if (!failed) {
        char **texts = translations_normalised(&found);
        char *const *references = t->data.valid.text[TARGET];
        const BleuOptions options = {.chinese = translator_writes_han(&t->learner.translator)};
        bleu_by_length(&found, texts, references, options, lengths);
        tell_measures(bleu_corpus(texts, references, found.n, options).score, lengths);
        strings_free(texts);
    }
    translations_free(&found);
    return failed ? -1 : 0;
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
    mem_free(room.before);
    room.before = NULL;
    room.begun = false;
}
