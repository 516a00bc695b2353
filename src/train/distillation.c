#include "train/distillation.h"
#include "io/ds.h"
#include "translate/ensemble.h"
#include "translate/model_file.h"

int distillation_open(Distillation *d, const char *teacher, const Translator *pupil, Threads *threads, Err *err) {
    if (model_load(&d->model, teacher, err) || ensemble_check(pupil, &d->model, teacher, err)) return -1;
    tape_init(&d->tape, threads, rng_seed(0, 0));
    d->open = true;
    return 0;
}

void distillation_free(Distillation *d) {
    if (d->open) tape_free(&d->tape);
    translator_free(&d->model);
    *d = (Distillation){0};
}

Arena *distillation_begin(Distillation *d) {
    tape_reset(&d->tape);
    return &d->tape.arena;
}

Teacher distillation_run(Distillation *d, const Batch *batch, const int *row, const real *weight) {
    const Model *model = &d->model.model;
    const Forced forced = model_force(&d->tape, model, batch, &(PassOptions){0});
    return (Teacher){&d->tape, model_output(&d->tape, model, &forced), row, weight};
}

/* λ of a pair: how much of its targets is the teacher's. */
static real weight_of(const Pairs *pairs, int pair) {
    return arrlen(pairs->sets) ? (real)pairs->sets[pairs_set(pairs, pair)].distillation : 0;
}

/* Writes to row[r] the row of x that is row r of y, or -1. Sentence i of x is sentence taught[i] of y. */
static void match_rows(Arena *arena, const Sequences *x, const int *taught, const Sequences *y, int *row) {
    int *column = arena_alloc(arena, (size_t)y->n * sizeof *column);
    for (int b = 0; b < y->n; b++) column[y->order[b]] = b;
    for (int r = 0; r < y->rows; r++) row[r] = -1;
    for (int b = 0; b < x->n; b++)
        for (int t = 0; t < x->length[b]; t++)
            row[sequences_row(y, t, column[taught[x->order[b]]])] = sequences_row(x, t, b);
}

int distillation_teach(Distillation *d, Arena *arena, const Pairs *pairs, const int *which, int n, const Sequences *y,
                       Teacher *found, Err *err) {
    int *taught = arena_alloc(arena, (size_t)n * sizeof *taught), *pair = arena_alloc(arena, (size_t)n * sizeof *pair),
        *row = arena_alloc(arena, (size_t)y->rows * sizeof *row), count = 0;
    real *weight = arena_alloc(arena, (size_t)y->rows * sizeof *weight);
    Batch batch;
    *found = (Teacher){0};
    for (int i = 0; i < n; i++) {
        if (!(weight_of(pairs, which[i]) > 0)) continue;
        taught[count] = i;
        pair[count++] = which[i];
    }
    if (!count) return 0;
    if (pairs_fold(distillation_begin(d), pairs, pair, NULL, count, NULL, &batch, err)) return -1;
    match_rows(arena, &batch.target, taught, y, row);
    for (int t = 0; t < y->steps; t++)
        for (int b = 0; b < sequences_live(y, t); b++)
            weight[sequences_row(y, t, b)] = weight_of(pairs, which[y->order[b]]);
    *found = distillation_run(d, &batch, row, weight);
    return 0;
}
