#include "train/workspace.h"
#include "train/update.h"

#include <string.h>

/* A multiple of 16, so that no matrix of the small batches ends in the middle of one of the arena's 64-byte lines. */
enum { FEW = 16, SHORT = 2 };

/* n pairs of the same lengths, of </s> alone. */
static Batch small_batch(Arena *arena, int n, int source, int target) {
    static const int ids[SHORT + 1] = {ID_EOS, ID_EOS, ID_EOS};
    const int *rows[2 * FEW];
    int x_length[2 * FEW], y_length[2 * FEW];
    for (int i = 0; i < n; i++) {
        rows[i] = ids;
        x_length[i] = source;
        y_length[i] = target;
    }
    return batch_fold(arena, rows, x_length, rows, y_length, n, ID_BOS);
}

Workspace workspace_measure(Threads *threads, Model *model, bool guided) {
    Workspace w = {.per_link = guided ? 3 * sizeof(int) : 0}; /* its ends, and its place in a row */
    const UpdateOptions options = {0};
    Tape tape;
    tape_init(&tape, threads, (Rng){1});
    for (int n = 0; n < 2; n++)
        for (int x = 0; x < 2; x++)
            for (int y = 0; y < 2; y++) {
                Batch batch = small_batch(&tape.arena, FEW * (n + 1), SHORT + x, SHORT + y);
                update_gradients(&tape, model, &batch, &options);
                w.bytes[n][x][y] = (double)arena_used(&tape.arena);
                w.panels = (double)arena_used(&tape.panels);
                tape_reset(&tape);
            }
    tape_free(&tape);
    memset(model->params.gradients, 0, model->params.size * sizeof *model->params.gradients);
    return w;
}

/* What the corners do not tell of: lines that are not full, lists of sentences, and steps. */
static double margin(const Workspace *w, double n, double source, double target) {
    enum { OF_ALL = 1 << 16, OF_STEP = 1 << 11, OF_PAIR = 1 << 8 };
    return OF_ALL + OF_STEP * (source + target) + n * (OF_PAIR + sizeof(int) * (source + target)) +
           w->per_link * n * source * target;
}

static double between(double at_0, double at_1, double t) { return at_0 + (at_1 - at_0) * t; }

double workspace_need(const Workspace *w, int n, int source, int target) {
    const double at_n = (n - FEW) / (double)FEW, at_x = source - SHORT, at_y = target - SHORT;
    double of_n[2];
    for (int i = 0; i < 2; i++)
        of_n[i] = between(between(w->bytes[i][0][0], w->bytes[i][0][1], at_y),
                          between(w->bytes[i][1][0], w->bytes[i][1][1], at_y), at_x);
    return between(of_n[0], of_n[1], at_n) + margin(w, n, source, target);
}

static void widen(LargestBatch *largest, const Pairs *pairs, int pair) {
    largest->n++;
    if (pairs->source_length[pair] > largest->source) largest->source = pairs->source_length[pair];
    if (pairs->target_length[pair] > largest->target) largest->target = pairs->target_length[pair];
}

LargestBatch workspace_largest(const Pairs *pairs, int mini_batch) {
    LargestBatch largest = {0};
    for (int i = 0; i < pairs->n; i++) widen(&largest, pairs, i);
    if (largest.n > mini_batch) largest.n = mini_batch;
    return largest;
}

static double need_of_pair(const Workspace *w, const Pairs *pairs, int pair) {
    return workspace_need(w, 1, pairs->source_length[pair], pairs->target_length[pair]);
}

int workspace_largest_pair(const Workspace *w, const Pairs *pairs) {
    int largest = 0;
    for (int i = 1; i < pairs->n; i++)
        if (need_of_pair(w, pairs, i) > need_of_pair(w, pairs, largest)) largest = i;
    return largest;
}

int workspace_parts(const Workspace *w, double limit, const Pairs *pairs, const int *which, int n) {
    for (int parts = 1; parts < n; parts++) {
        int fitting = 0;
        for (int k = 0; k < parts; k++) {
            LargestBatch part = {0};
            for (int i = part_begin(n, parts, k); i < part_begin(n, parts, k + 1); i++) widen(&part, pairs, which[i]);
            fitting += workspace_need(w, part.n, part.source, part.target) <= limit;
        }
        if (fitting == parts) return parts;
    }
    return n;
}
