#include "core/shard_sums.h"
#include "core/base.h"
#include "core/kernels.h"

#include <string.h>

int shard_waiting(int done) {
    int bits = 0;
    for (; done; done /= 2) bits += done % 2;
    return bits;
}

/* ---- additions -------------------------------------------------------------------------------------------------- */

enum { CHUNK = 256 /* columns that are added at a time */ };

typedef struct Additions {
    int n, shards;
    const RowAdditions *additions;
    real *c;
} Additions;

/* The additions begin..end-1 to a row, in `cols` columns from `col` on. */
typedef struct Range {
    const RowAdditions *additions;
    int begin, end, col, cols;
} Range;

/* tree[0] = the sum of the range, which belongs to the shards first..first+shards-1. Returns false if the range is
   empty; then the sum is zero, and tree[0] is undefined. */
static bool sum_range(Range r, int first, int shards, real tree[][CHUNK]) {
    if (r.begin == r.end) return false;
    if (shards == 1) {
        memset(tree[0], 0, (size_t)r.cols * sizeof(real));
        for (int e = r.begin; e < r.end; e++) kernels->add(r.cols, tree[0], r.additions->row[e] + r.col);
        return true;
    }
    Range low = r, high = r;
    while (low.end > low.begin && r.additions->shard[low.end - 1] >= first + shards / 2) low.end--;
    high.begin = low.end;
    const bool some = sum_range(low, first, shards / 2, tree);
    const bool more = sum_range(high, first + shards / 2, shards / 2, some ? tree + 1 : tree);
    if (some && more) kernels->add(r.cols, tree[0], tree[1]);
    return true;
}

static void add_to_rows(void *context, int begin, int end) {
    const Additions *a = context;
    const int *start = a->additions->start;
    real tree[SHARD_LEVELS][CHUNK];
    for (int i = begin; i < end; i++)
        for (int col = 0; col < a->n && start[i] < start[i + 1]; col += CHUNK) {
            const Range r = {a->additions, start[i], start[i + 1], col, a->n - col < CHUNK ? a->n - col : CHUNK};
            sum_range(r, 0, a->shards, tree);
            kernels->add(r.cols, a->c + (size_t)i * (size_t)a->n + col, tree[0]);
        }
}

void shard_additions(Threads *threads, int m, int n, int shards, const RowAdditions *additions, real *c) {
    threads_run(threads, "rows", m, 64, add_to_rows, &(Additions){n, shards, additions, c});
}

/* ---- vectors and numbers ---------------------------------------------------------------------------------------- */

typedef struct Sum {
    real *c;
    const real *x;
} Sum;

static void add_numbers(void *context, int begin, int end) {
    const Sum *sum = context;
    kernels->add(end - begin, sum->c + begin, sum->x + begin);
}

void shard_add(Threads *threads, size_t n, real *c, const real *x) {
    threads_run(threads, "add", (int)n, 1 << 14, add_numbers, &(Sum){c, x});
}

void shard_vectors(int n, int shards, real *x, real *c) {
    for (int half = 1; half < shards; half *= 2)
        for (int s = 0; s < shards; s += 2 * half)
            kernels->add(n, x + (size_t)s * (size_t)n, x + (size_t)(s + half) * (size_t)n);
    kernels->add(n, c, x);
}

double shard_total(double *x, int shards) {
    for (int half = 1; half < shards; half *= 2)
        for (int s = 0; s < shards; s += 2 * half) x[s] += x[s + half];
    return x[0];
}
