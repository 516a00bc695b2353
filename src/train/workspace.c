#include "train/workspace.h"
#include "train/update.h"

#include <string.h>

/* FEW is a multiple of 16, so that matrices of the small batches fill the arena's 64-byte lines completely. */
enum { FEW = 16, SHORT = 2 };

/* n pairs with these numbers of pieces; every piece is </s>. */
static Batch small_batch(Arena *arena, int n, int source, int target, int shards) {
    static const int ids[SHORT + WORKSPACE_LENGTHS - 1] = {ID_EOS, ID_EOS, ID_EOS, ID_EOS};
    const int *rows[2 * FEW];
    int x_length[2 * FEW], y_length[2 * FEW], *shard = arena_alloc(arena, (size_t)n * sizeof *shard);
    for (int i = 0; i < n; i++) {
        rows[i] = ids;
        x_length[i] = source;
        y_length[i] = target;
        shard[i] = i % shards;
    }
    Batch batch = batch_fold(arena, rows, x_length, rows, y_length, n, NULL, ID_BOS);
    if (shards > 1) batch_shard(arena, &batch, shard, shards);
    return batch;
}

/* Runs the teacher on the same pairs. Returns the bytes of its tape. */
static double run_teacher(Distillation *d, Arena *arena, const Batch *batch, Batch own, Teacher *found) {
    const int rows = batch->target.rows;
    int *row = arena_alloc(arena, (size_t)rows * sizeof *row);
    real *weight = arena_alloc(arena, (size_t)rows * sizeof *weight);
    for (int i = 0; i < rows; i++) {
        row[i] = i;
        weight[i] = 1;
    }
    *found = distillation_run(d, &own, row, weight);
    return (double)arena_total(&d->tape.arena);
}

Workspace workspace_measure(Threads *threads, Model *model, Dropout dropout, bool guided, int shards,
                            PanelFormat products, Distillation *teacher) {
    /* three ints per link: the positions of its two pieces, and its entry in Guide.column */
    Workspace w = {.per_link = guided ? 3 * sizeof(int) : 0};
    UpdateOptions options = {.dropout = dropout, .products = products};
    Teacher found;
    Tape tape;
    tape_init(&tape, threads, (Rng){1});
    for (int n = 0; n < 2; n++)
        for (int x = 0; x < WORKSPACE_LENGTHS; x++)
            for (int y = 0; y < WORKSPACE_LENGTHS; y++) {
                double nats[MOST_SHARDS];
                Batch batch = small_batch(&tape.arena, FEW * (n + 1), SHORT + x, SHORT + y, shards);
                double of_teacher = 0;
                if (teacher) {
                    const Batch own = small_batch(distillation_begin(teacher), FEW * (n + 1), SHORT + x, SHORT + y, 1);
                    of_teacher = run_teacher(teacher, &tape.arena, &batch, own, &found);
                    options.teacher = &found;
                }
                update_gradients(&tape, model, &batch, &options, nats);
                w.bytes[n][x][y] = (double)arena_total(&tape.arena) + of_teacher;
                w.panels = (double)arena_used(&tape.panels);
                tape_reset(&tape);
            }
    tape_free(&tape);
    memset(model->params.gradients, 0, model->params.size * sizeof *model->params.gradients);
    return w;
}

/* A margin for memory that the small batches do not show: incomplete 64-byte lines, and lists per step, pair and piece.
 */
static double margin(const Workspace *w, double n, double source, double target) {
    enum { OF_ALL = 1 << 16, OF_STEP = 1 << 11, OF_PAIR = 1 << 8 };
    return OF_ALL + OF_STEP * (source + target) + n * (OF_PAIR + sizeof(int) * (source + target)) +
           w->per_link * n * source * target;
}

static double line(const double at[2], double t) { return at[0] + (at[1] - at[0]) * t; }
static double parabola(const double at[WORKSPACE_LENGTHS], double t) {
    return line(at, t) + (at[2] - 2 * at[1] + at[0]) * t * (t - 1) / 2;
}

/* Extrapolates the measurements. The memory of a pair may grow with the square of a length (self-attention), so it
   follows a parabola. The memory that does not depend on the number of pairs (for example a table with a row per
   position) grows linearly; a parabola there would extrapolate incomplete 64-byte lines. */
double workspace_need(const Workspace *w, int n, int source, int target) {
    const double at_x = source - SHORT, at_y = target - SHORT;
    double of_pair[WORKSPACE_LENGTHS] = {0}, of_batch[2] = {0};
    for (int x = 0; x < WORKSPACE_LENGTHS; x++) {
        double each[WORKSPACE_LENGTHS], rest[WORKSPACE_LENGTHS];
        for (int y = 0; y < WORKSPACE_LENGTHS; y++) {
            each[y] = (w->bytes[1][x][y] - w->bytes[0][x][y]) / FEW;
            rest[y] = w->bytes[0][x][y] - FEW * each[y];
        }
        of_pair[x] = parabola(each, at_y);
        if (x < 2) of_batch[x] = line(rest, at_y);
    }
    return n * parabola(of_pair, at_x) + line(of_batch, at_x) + margin(w, n, source, target);
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
            for (int i = part_offset(n, parts, k); i < part_offset(n, parts, k + 1); i++) widen(&part, pairs, which[i]);
            fitting += workspace_need(w, part.n, part.source, part.target) <= limit;
        }
        if (fitting == parts) return parts;
    }
    return n;
}
