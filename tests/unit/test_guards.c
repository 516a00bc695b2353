/* test_guards.c: sizes that overflow, and numbers that are not finite: tide names the op and the sentence pair and
   skips the update; after too many skipped updates the training ends and keeps the last good checkpoint. */
#include "core/ops.h"
#include "core/tape_op.h"
#include "model/batch.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"
#include "train/checkpoint.h"
#include "train/data.h"
#include "train/job.h"
#include "identity_loss.h"
#include "scratch.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the search for the first non-finite number ---- */

static Watch watched(real x, bool backward) {
    Threads *threads = threads_new(1);
    Tape tape;
    Watch watch = {0};
    tape_init(&tape, threads, (Rng){1});
    tape.recording = true;
    tape.watch = &watch;
    Var *in = var_new(&tape, 2, 4);
    for (int i = 0; i < 8; i++) in->v[i] = 1;
    in->v[5] = x;
    Var *t = tanh_of(&tape, hcat(&tape, in, in)), *y = maxout(&tape, add_scaled(&tape, t, 1, t));
    static const int targets[] = {0, 1};
    double nats;
    Var *loss = identity_loss(&tape, y, targets, &nats);
    if (backward) {
        watch = (Watch){0};
        ((real *)tape.last->extra)[2] = x; /* the gradient of y, which linear_cross_entropy has computed */
        tape_backward(&tape, loss);
    }
    tape_free(&tape);
    threads_free(threads);
    return watch;
}

static void assert_found(Watch watch, const char *op, bool back) {
    assert_non_null(watch.op);
    assert_int_equal(watch.length, strlen(op));
    assert_memory_equal(watch.op, op, strlen(op));
    assert_int_equal(watch.back, back);
}

static void the_first_op_is_named(void **state) {
    (void)state;
    assert_null(watched(1, false).op);
    assert_null(watched(1e30f, false).op);
    assert_found(watched(NAN, false), "hcat", false);
    assert_found(watched(INFINITY, false), "hcat", false); /* the next op, tanh, maps infinity to 1 */
    assert_null(watched(1, true).op);
    assert_found(watched(-INFINITY, true), "maxout", true);
}

/* ---- a training ---- */

enum { PAIRS = 40, RARE = 17 };

typedef struct World {
    char dir[SCRATCH_SIZE], tsv[SCRATCH_SIZE + 32], model[SCRATCH_SIZE + 32], log[SCRATCH_SIZE + 32];
    TrainJob job;
} World;

static World world(void) {
    World w = {0};
    scratch_directory(w.dir);
    snprintf(w.tsv, sizeof w.tsv, "%s/pairs.tsv", w.dir);
    snprintf(w.model, sizeof w.model, "%s/model", w.dir);
    snprintf(w.log, sizeof w.log, "%s/model/train.jsonl", w.dir);
    FILE *out = fopen(w.tsv, "w");
    for (int i = 1; i <= PAIRS; i++)
        fprintf(out, "word number %d\t词%s\n", i % 7, i == RARE ? "潮" : "文"); /* 潮 occurs once */
    fclose(out);
    TrainOptions *o = &w.job.options;
    options_default(train_option_tables, o);
    o->model.dim_emb = o->model.dim_rnn = o->model.dim_att = o->model.dim_maxout = 8;
    o->mini_batch = 4;
    o->disp_freq = 1000;
    o->save_freq = 5;
    return w;
}

static void world_free(const World *w) { scratch_remove(w->dir); }

static char notes[4096];
static void keep_note(void *context, const char *text) {
    (void)context;
    snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n", text);
}

static volatile sig_atomic_t stop;
static long stop_at; /* the update after which the user stops the training; 0: none */
static void stop_there(void *context, const Progress *progress) {
    (void)context;
    if (progress->update == stop_at) stop = SIGINT;
}

static int saves[2]; /* how often the user was told that saving begins, and ends */
static void count_saves(void *context, bool begins) {
    (void)context;
    assert_int_equal(saves[0] - saves[1], !begins);
    saves[!begins]++;
}

static int train_until(World *w, int updates, Err *err) {
    const TrainCallbacks callbacks = {.note = keep_note, .progress = stop_there, .saving = count_saves};
    stop = saves[0] = saves[1] = 0;
    const TrainFiles set = {.files = {FORM_TSV, {w->tsv, NULL}, {0}}, .weight = 1};
    w->job.files.train = &set;
    w->job.files.train_count = 1;
    w->job.model = w->job.files.dir = w->model;
    w->job.threads = 1;
    w->job.options.after_batches = updates;
    notes[0] = '\0';
    return train(&w->job, &callbacks, &stop, err);
}

/* Writes a number into the checkpoint: into a matrix at the first column of a source piece's row, or into a bias at a
   target piece. */
static void damage(const World *w, const char *name, const char *piece, real number) {
    Learner learner;
    TrainState state;
    Err warning, err;
    assert_int_equal(checkpoint_load(w->model, &learner, &state, &warning, &err), 1);
    const Translator *tr = &learner.translator;
    for (int i = 0; i < tr->model.params.count; i++) {
        const Var *var = &tr->model.params.list[i]->var;
        if (strcmp(tr->model.params.list[i]->name, name) != 0) continue;
        const int at = piece ? vocab_id(var->rows > 1 ? tr->source.vocab : tr->target.vocab, piece) : 0;
        var->v[var->rows > 1 ? (size_t)at * (size_t)var->cols : (size_t)at] = number;
    }
    assert_int_equal(checkpoint_save(w->model, &learner, &state, &err), 0);
    learner_free(&learner);
}

static int lines_with(const char *path, const char *text) {
    Err err;
    int n = 0;
    char *log = file_read(path, NULL, &err);
    assert_non_null(log);
    for (const char *at = log; (at = strstr(at, text)); at += strlen(text)) n++;
    mem_free(log);
    return n;
}

/* Trains for five updates, then writes a wrong number into the checkpoint. */
static World damaged_world(const char *name, const char *piece, real number) {
    World w = world();
    Err err;
    assert_int_equal(train_until(&w, 5, &err), 0);
    damage(&w, name, piece, number);
    return w;
}

/* The embedding of one word is NaN: the batch with this word is skipped in every epoch, the other batches are
   trained. */
static void one_pair_is_named_and_skipped(void **state) {
    (void)state;
    World w = damaged_world("encoder.E", "潮", NAN);
    Err err;
    assert_int_equal(train_until(&w, 30, &err), 0);
    assert_non_null(
        strstr(notes, " was skipped: the result of gather is not finite, first with the pair in line 17 of "));
    const int skipped = lines_with(w.log, "\"skipped\": \"gather\", \"back\": false, \"line\": 17, \"set\": 1}");
    assert_true(skipped >= 2 && skipped <= 3); /* an epoch has ten batches */
    world_free(&w);
}

static void a_diverged_training_ends(void **state) {
    (void)state;
    World w = damaged_world("readout.bo", NULL, INFINITY);
    Err err;
    w.job.options.disp_freq = 1;
    assert_int_equal(train_until(&w, 30, &err), -1);
    assert_int_equal(lines_with(w.log, "nan"), 0); /* skipped updates do not count in the reports */
    assert_non_null(strstr(err.reason, "the training diverged at update 10: 5 updates in a row"));
    assert_non_null(strstr(err.reason, "first in the result of linear_cross_entropy, first with the pair in line"));
    assert_int_equal(lines_with(w.log, "\"skipped\": \"linear_cross_entropy\""), 5);
    world_free(&w);
}

/* A loss of thousands of nats is finite, but its perplexity overflows. */
static void a_large_loss_is_reported(void **state) {
    (void)state;
    World w = damaged_world("readout.bo", NULL, 3000);
    Err err;
    w.job.options.disp_freq = 1;
    assert_int_equal(train_until(&w, 6, &err), 0);
    assert_int_equal(lines_with(w.log, "\"ppl\": 1000000000000000.0000"), 1);
    world_free(&w);
}

/* A stop does not reset the number of consecutive skipped updates. */
static void a_stop_does_not_reset_the_count(void **state) {
    (void)state;
    World w = damaged_world("readout.bo", NULL, INFINITY);
    Err err;
    assert_int_equal(train_until(&w, 8, &err), 0);
    assert_int_equal(train_until(&w, 30, &err), -1);
    assert_non_null(strstr(err.reason, "diverged at update 10:"));
    world_free(&w);
}

/* Whether the file has the same bytes as its copy NAME.copy; makes the copy if there is none. */
static bool is_unchanged(const World *w, const char *name) {
    char path[PATH_SIZE], copy[PATH_SIZE + 8];
    size_t size, before;
    Err err;
    snprintf(path, sizeof path, "%s/%s", w->model, name);
    snprintf(copy, sizeof copy, "%s.copy", path);
    char *bytes = file_read(path, &size, &err);
    assert_non_null(bytes);
    if (access(copy, F_OK)) assert_int_equal(output_write(copy, bytes, size, &err), 0);
    char *old = file_read(copy, &before, &err);
    const bool same = size == before && !memcmp(bytes, old, size);
    mem_free(bytes);
    mem_free(old);
    return same;
}

static void assert_all_unchanged(const World *w) {
    assert_true(is_unchanged(w, "checkpoint.safetensors"));
    assert_true(is_unchanged(w, "checkpoint.prev.safetensors"));
    assert_true(is_unchanged(w, "model.safetensors"));
}

/* Weights that led to a skipped update are saved neither at a limit, nor at a stop, nor at a validation. */
static void weights_of_a_skipped_update_are_not_saved(void **state) {
    (void)state;
    World w = damaged_world("readout.bo", NULL, INFINITY);
    Err err;
    assert_all_unchanged(&w);
    assert_int_equal(train_until(&w, 8, &err), 0);
    assert_non_null(strstr(notes, "the updates from 6 on were skipped, so their weights are not saved"));
    assert_all_unchanged(&w);
    stop_at = 7;
    assert_int_equal(train_until(&w, 30, &err), SIGINT);
    assert_non_null(
        strstr(notes, "stopped after update 7, which was skipped; the same command continues from the last"));
    stop_at = 0;
    assert_all_unchanged(&w);
    w.job.files.valid = (CorpusFiles){FORM_TSV, {w.tsv, NULL}, {0}};
    w.job.options.valid_freq = 1;
    assert_int_equal(train_until(&w, 8, &err), 0);
    assert_all_unchanged(&w);
    assert_int_equal(lines_with(w.log, "valid_loss"), 0);
    world_free(&w);
}

/* If no model was written before, there is none after skipped updates, which is an error. */
static void skipped_updates_alone_make_no_model(void **state) {
    (void)state;
    World w = damaged_world("readout.bo", NULL, INFINITY);
    char model[SCRATCH_SIZE + 64];
    Err err;
    snprintf(model, sizeof model, "%s/model.safetensors", w.model);
    assert_int_equal(unlink(model), 0);
    assert_int_equal(train_until(&w, 8, &err), -1);
    assert_non_null(strstr(err.reason, "the updates from 6 on were skipped, so there is no model"));
    assert_int_equal(access(model, F_OK), -1);
    world_free(&w);
}

static Learner saved_of(const World *w) {
    Learner learner;
    TrainState state;
    Err warning, err;
    assert_int_equal(checkpoint_load(w->model, &learner, &state, &warning, &err), 1);
    return learner;
}

/* The loss may be infinite although the gradients are finite: a target piece has probability 0; with label smoothing,
   any piece. Then weights and optimizer do not change. */
static void a_loss_that_is_not_finite_changes_nothing(void **state) {
    (void)state;
    static const struct {
        const char *piece;
        double smoothing;
    } cases[] = {{"▁number", 0}, {NULL, 0.1}};
    for (int i = 0; i < 2; i++) {
        World w = damaged_world("readout.bo", cases[i].piece, -INFINITY);
        Learner before = saved_of(&w);
        Err err;
        w.job.changes = (const char *const[]){"label-smoothing"};
        w.job.change_count = 1;
        w.job.options.label_smoothing = cases[i].smoothing;
        assert_int_equal(train_until(&w, 8, &err), 0);
        assert_int_equal(lines_with(w.log, "\"skipped\": \"linear_cross_entropy\", \"back\": false"), 3);
        Learner after = saved_of(&w);
        const Params *params = &before.translator.model.params;
        const size_t bytes = params->size * sizeof(real);
        assert_memory_equal(after.translator.model.params.values, params->values, bytes);
        for (int k = 0; k < 2; k++) assert_memory_equal(after.optimizer.slots[k], before.optimizer.slots[k], bytes);
        assert_int_equal(after.optimizer.steps, before.optimizer.steps);
        learner_free(&before);
        learner_free(&after);
        assert_int_equal(train_until(&w, 30, &err), -1);
        assert_non_null(strstr(err.reason, "the training diverged at update 10: 5 updates in a row were not finite"));
        world_free(&w);
    }
}

/* ---- sizes ---- */

static jmp_buf refused;
static size_t asked;
static void note_refusal(size_t bytes) {
    asked = bytes;
    longjmp(refused, 1);
}

/* A batch with more pieces than an int can count, and a size in bytes that overflows when it is rounded up. */
static void sizes_do_not_wrap_around(void **state) {
    (void)state;
    Arena arena = {0};
    mem_on_failure(note_refusal);
    const int *const ids[] = {NULL, NULL, NULL}, lengths[] = {INT_MAX, INT_MAX, 2};
    if (!setjmp(refused)) {
        sequences_fold(&arena, ids, lengths, 3);
        fail_msg("a batch of 2^32 pieces");
    }
    assert_int_equal(asked, ((size_t)2 * INT_MAX + 2) * sizeof(int));
    if (!setjmp(refused)) {
        mem_alloc_aligned(SIZE_MAX - 5);
        fail_msg("all there is");
    }
    assert_true(asked == SIZE_MAX - 5);
    mem_on_failure(NULL);
    arena_free(&arena);
}

/* The hash of the data of a checkpoint stays the same from version to version. */
static void checkpoints_of_other_versions_know_their_data(void **state) {
    (void)state;
    Data data = {.pairs = {.n = 5, .hash = 7}, .guides = {.hash = 11}};
    assert_true(data_hash(&data) == 0x8ff34785799e5cbdu);
    arrput(data.pairs.sets, ((TrainSet){.end = 3, .weight = 1}));
    arrput(data.pairs.sets, ((TrainSet){.end = 5, .weight = 0.5}));
    assert_true(data_hash(&data) == 0xaef4678e28862899u);
    data.pairs.sets[1].quiet = true;
    assert_true(data_hash(&data) == 0xb2d41eb8582f5b52u);
    data.pairs.sets[1].distillation = 0.5;
    assert_true(data_hash(&data) == 0xd107da20bfa04916u);
    arrfree(data.pairs.sets);
}

static int never_cancel(void *context, long done, long all) {
    (void)context, (void)done, (void)all;
    return 0;
}

/* The number of sets of the encoded pairs, if the pairs of a world are one set. */
static long sets_of(const World *w, TrainFiles set) {
    Learner learner;
    TrainState state;
    Err warning, err;
    set.files = (CorpusFiles){FORM_TSV, {w->tsv, NULL}, {0}};
    const DataFiles files = {.train = &set, .train_count = 1, .dir = w->dir};
    Data data = {.files = &files, .reads = true, .progress = never_cancel};
    assert_int_equal(checkpoint_load(w->model, &learner, &state, &warning, &err), 1);
    assert_int_equal(data_read(&data, &w->job.options.model, &err), 0);
    assert_int_equal(data_encode(&data, &w->job.options, &learner.translator, &err), 0);
    const long sets = arrlen(data.pairs.sets);
    data_free(&data);
    learner_free(&learner);
    return sets;
}

/* One set whose pairs are used as they are is no set, as in old checkpoints. */
static void one_usual_set_is_no_set(void **state) {
    (void)state;
    World w = world();
    Err err;
    assert_int_equal(train_until(&w, 1, &err), 0);
    assert_int_equal(sets_of(&w, (TrainFiles){.weight = 1}), 0);
    assert_int_equal(sets_of(&w, (TrainFiles){.weight = 2}), 1);
    assert_int_equal(sets_of(&w, (TrainFiles){.weight = 1, .quiet = true}), 1);
    world_free(&w);
}

/* The user is told of each checkpoint that is written, when this begins and when it ends: here after updates 5, 10, 12.
 */
static void saving_is_told(void **state) {
    (void)state;
    World w = world();
    Err err;
    assert_int_equal(train_until(&w, 12, &err), 0);
    assert_int_equal(saves[0], 3);
    assert_int_equal(saves[1], 3);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_do_not_wrap_around),
        cmocka_unit_test(one_usual_set_is_no_set),
        cmocka_unit_test(saving_is_told),
        cmocka_unit_test(checkpoints_of_other_versions_know_their_data),
        cmocka_unit_test(the_first_op_is_named),
        cmocka_unit_test(one_pair_is_named_and_skipped),
        cmocka_unit_test(a_diverged_training_ends),
        cmocka_unit_test(a_large_loss_is_reported),
        cmocka_unit_test(a_stop_does_not_reset_the_count),
        cmocka_unit_test(weights_of_a_skipped_update_are_not_saved),
        cmocka_unit_test(skipped_updates_alone_make_no_model),
        cmocka_unit_test(a_loss_that_is_not_finite_changes_nothing),
    };
    return cmocka_run_group_tests_name("guards", tests, NULL, NULL);
}
