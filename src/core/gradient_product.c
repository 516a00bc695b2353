/* gradient_product.c: weight gradients. A thread computes a block of c for one shard after the other, and adds it to
   the tree at once, while it is in the L2 cache: the memory traffic is that of one sum. After shard s, as many subtrees
   wait as s + 1 has bits in binary; shard s + 1 is computed above them, and then merged with one subtree for each
   trailing zero bit of s + 2.

   The steps of many shards do not fit in the caches together. So a run of shards, which is a subtree itself, is
   computed at a time, for all blocks of c. Finished runs wait in matrices as large as c. A shard with more steps than a
   run is computed in parts, and its sum so far is such a matrix. Without shards, the kernel continues c itself. The
   sizes of the blocks are those that gemm.c explains. */
#include "core/gradient_product.h"
#include "core/base.h"
#include "core/kernels.h"

#include <string.h>

enum {
    M_BLOCK = 168,                   /* most rows of c in a block: a multiple of 14, 12 and 6 */
    RUN_STEPS = 2048,                /* steps of a run, unless the caller says otherwise */
    RIGHT_PACKED = 1024 * RUN_STEPS, /* numbers of y that are packed at once */
    PACK_STEPS = 256,                /* steps of a tile or panel that are one unit of packing */
    MOST_COLS = 32                   /* columns of a panel */
};

/* The sums of a block for some shards: a node of a tree. */
typedef real Sums[M_BLOCK * MOST_COLS];

typedef struct Part {
    const GradientProduct *p;
    const GemmKernels *g;
    Threads *threads;
    int most;        /* steps of a run: a multiple of k_step */
    int run, runs;   /* shards in a run; number of runs */
    int at;          /* the current run */
    int from, steps; /* the current steps of the run: all, unless the run is one large shard */
    /* The current steps of shard s of the run are packed from place[s] to place[s] + count[s] - 1, and place[s + 1] is
       the next multiple of k_step. place[run] is the number of packed steps. */
    int place[MOST_SHARDS + 1], count[MOST_SHARDS];
    int row, rows, tiles; /* the current rows of c */
    int panel, panels;    /* the current panels of c */
    char *left, *right;   /* packed tiles of x and panels of y */
    real *waiting;        /* matrices [m, n]: sums of runs, and of the first steps of a large shard */
    Sums *trees;          /* [threads, levels] */
    int levels;           /* of the tree of a run */
} Part;

/* The number of packed steps. */
static int packed_steps(const Part *t) { return t->place[t->run]; }

/* The bytes of `steps` packed steps, a multiple of k_step, of `rows` rows of x, and of `cols` columns of y. */
static size_t left_size(const Part *t, int rows, int steps) {
    return (size_t)whole_units(t->g, rows) * (size_t)(steps / t->g->k_step) * (size_t)t->g->left_step;
}
static size_t right_size(const Part *t, int cols, int steps) {
    return (size_t)cols * (size_t)(steps / t->g->k_step) * (size_t)t->g->right_step;
}

/* Packs PACK_STEPS of the packed steps from `at` on, fewer at the end: the numbers col..col+cols-1 of the rows of x or
   y. `to` is the tile or panel, `pack` the kernel for it, and kernel_step the bytes of k_step of its steps. If k_step
   is 1, no shard is padded, and all shards are packed by one call. */
typedef void PackList(void *steps, int width, const real *const *rows, int col, int cols, int k);
static void pack_unit(const Part *t, PackList *pack, char *to, size_t kernel_step, int at, int width,
                      const real *const *rows, int col, int cols) {
    const int end = smaller(at + PACK_STEPS, packed_steps(t)), k_step = t->g->k_step;
    if (k_step == 1) {
        pack(to + (size_t)at * kernel_step, width, rows + t->from + at, col, cols, end - at);
        return;
    }
    for (int s = 0, first = t->from; s < t->run; first += t->count[s++]) {
        const int begin = larger(at, t->place[s]), stop = smaller(end, t->place[s] + t->count[s]);
        if (begin < stop)
            pack(to + (size_t)(begin / k_step) * kernel_step, width, rows + first + begin - t->place[s], col, cols,
                 stop - begin);
    }
}

/* The first row of a tile in the part. */
static int first_row(const Part *t, int tile) { return tile_offset(t->g, t->rows, t->tiles, tile); }

static int pack_units(const Part *t) { return blocks_of(packed_steps(t), PACK_STEPS); }

static void pack_panels(void *context, int begin, int end) {
    const Part *t = context;
    const int width = t->g->tile_cols, units = pack_units(t);
    for (int unit = begin; unit < end; unit++) {
        const int panel = unit / units, col = (t->panel + panel) * width;
        char *to = t->right + (size_t)panel * right_size(t, width, packed_steps(t));
        pack_unit(t, t->g->pack_list, to, right_size(t, width, t->g->k_step), unit % units * PACK_STEPS, width, t->p->y,
                  col, smaller(width, t->p->n - col));
    }
}

static void pack_tiles(void *context, int begin, int end) {
    const Part *t = context;
    const int units = pack_units(t);
    for (int unit = begin; unit < end; unit++) {
        const int tile = unit / units, first = first_row(t, tile), rows = first_row(t, tile + 1) - first;
        char *to = t->left + left_size(t, first, packed_steps(t));
        pack_unit(t, t->g->pack_left_list, to, left_size(t, rows, t->g->k_step), unit % units * PACK_STEPS, rows,
                  t->p->x, t->row + first, rows);
    }
}

/* A block of c: tiles tile0..tile1-1, which are the rows first..first+rows-1 of the part, in one panel. */
typedef struct Block {
    int tile0, tile1, first, rows, panel;
} Block;

/* The first column of a block, and the number of its columns. */
static int first_col(const Part *t, const Block *b) { return (t->panel + b->panel) * t->g->tile_cols; }
static int cols_of(const Part *t, const Block *b) { return smaller(t->g->tile_cols, t->p->n - first_col(t, b)); }

/* Multiplies the packed steps begin..end-1, where `begin` is a multiple of k_step. `sums` [rows, cols], with the
   leading dimension ld, receives the result; it is continued if `continues`. */
static void multiply(const Part *t, const Block *b, int begin, int end, bool continues, real *sums, int cols, int ld) {
    const GemmKernels *g = t->g;
    const int width = g->tile_cols, all = packed_steps(t), k_block = gemm_k_block(g);
    const int line = blocks_of(width * g->right_step, b->tile1 - b->tile0); /* bytes that each tile prefetches */
    const char *panel = t->right + (size_t)b->panel * right_size(t, width, all);
    if (begin == end && !continues) memset(sums, 0, (size_t)b->rows * (size_t)ld * sizeof(real));
    for (int at = begin; at < end; at += k_block) {
        const int steps = blocks_of(smaller(k_block, end - at), g->k_step), last = b->panel + 1 == t->panels;
        const char *right = panel + right_size(t, width, at), *next = right + (last ? 0 : right_size(t, width, all));
        for (int tile = b->tile0; tile < b->tile1; tile++, next += (size_t)steps * (size_t)line) {
            const int first = first_row(t, tile), rows = first_row(t, tile + 1) - first;
            real *c = sums + (size_t)(first - b->first) * (size_t)ld;
            g->multiply(rows, cols, steps, t->left + left_size(t, first, all) + left_size(t, rows, at), right,
                        continues || at > begin ? c : NULL, ld, c, ld, next, line);
        }
    }
}

/* Adds the additions of a shard to its sums. */
static void add_rows(const Part *t, const Block *b, int shard, real *sums) {
    const RowAdditions *a = t->p->additions;
    const int width = t->g->tile_cols, col = first_col(t, b), cols = cols_of(t, b);
    for (int i = 0; a && i < b->rows; i++) {
        const int row = t->row + b->first + i;
        for (int e = a->start[row]; e < a->start[row + 1]; e++)
            if (a->shard[e] == shard) kernels->add(cols, sums + (size_t)i * (size_t)width, a->row[e] + col);
    }
}

/* The block in a matrix like c. */
static real *block_in(const Part *t, const Block *b, real *matrix) {
    return matrix + (size_t)(t->row + b->first) * (size_t)t->p->n + first_col(t, b);
}

/* Copies or adds a block between `sums` [rows, tile_cols] and a matrix like c. */
typedef enum { LOAD, STORE, ADD_FROM, ADD_TO } Transfer;
static void transfer(const Part *t, const Block *b, Transfer kind, real *sums, real *matrix) {
    const int width = t->g->tile_cols, cols = cols_of(t, b);
    for (int i = 0; i < b->rows; i++, sums += width) {
        real *row = block_in(t, b, matrix) + (size_t)i * (size_t)t->p->n;
        if (kind == LOAD) memcpy(sums, row, (size_t)cols * sizeof(real));
        else if (kind == STORE) memcpy(row, sums, (size_t)cols * sizeof(real));
        else if (kind == ADD_FROM) kernels->add(cols, sums, row);
        else kernels->add(cols, row, sums);
    }
}

static real *waiting_at(const Part *t, int level) {
    return t->waiting + (size_t)level * (size_t)t->p->m * (size_t)t->p->n;
}

/* Merges the sum of the current run with those that wait. */
static void merge_run(const Part *t, const Block *b, real *sums) {
    int level = shard_waiting(t->at);
    for (int bits = t->at; bits % 2; bits /= 2) transfer(t, b, ADD_FROM, sums, waiting_at(t, --level));
    if (t->at == t->runs - 1) transfer(t, b, ADD_TO, sums, t->p->c);
    else transfer(t, b, STORE, sums, waiting_at(t, level));
}

/* Computes a block for all shards of the run, or for a part of one shard. */
static void compute_tree(const Part *t, const Block *b) {
    Sums *const tree = t->trees + (size_t)threads_self(t->threads) * (size_t)t->levels;
    const int *start = t->p->start + (ptrdiff_t)t->at * t->run, width = t->g->tile_cols;
    const bool continues = t->from > start[0], ends = t->from + t->steps == start[t->run];
    real *const partial = waiting_at(t, shard_waiting(t->at)); /* the sum so far of a shard of several parts */
    if (continues) transfer(t, b, LOAD, tree[0], partial);
    for (int s = 0; s < t->run; s++) {
        int level = shard_waiting(s);
        multiply(t, b, t->place[s], t->place[s] + t->count[s], continues, tree[level], width, width);
        if (ends) add_rows(t, b, t->at * t->run + s, tree[level]);
        for (int bits = s; bits % 2; bits /= 2, level--) kernels->add(b->rows * width, tree[level - 1], tree[level]);
    }
    if (ends) merge_run(t, b, tree[0]);
    else transfer(t, b, STORE, tree[0], partial);
}

static int row_blocks(const Part *t) { return blocks_of(t->rows, whole_tiles(t->g, M_BLOCK)); }

static void compute_blocks(void *context, int begin, int end) {
    const Part *t = context;
    const int blocks = row_blocks(t);
    for (int unit = begin; unit < end; unit++) {
        const int block = unit / t->panels;
        Block b = {.tile0 = part_offset(t->tiles, blocks, block),
                   .tile1 = part_offset(t->tiles, blocks, block + 1),
                   .panel = unit % t->panels};
        b.first = first_row(t, b.tile0);
        b.rows = first_row(t, b.tile1) - b.first;
        if (t->p->shards) compute_tree(t, &b);
        else multiply(t, &b, 0, t->count[0], true, block_in(t, &b, t->p->c), cols_of(t, &b), t->p->n);
    }
}

/* Finds the places of the current steps of each shard. */
static void place_steps(Part *t) {
    const int *start = t->p->start + (ptrdiff_t)t->at * t->run, k_step = t->g->k_step;
    t->place[0] = 0;
    for (int s = 0; s < t->run; s++) {
        t->count[s] = larger(smaller(start[s + 1], t->from + t->steps) - larger(start[s], t->from), 0);
        t->place[s + 1] = t->place[s] + blocks_of(t->count[s], k_step) * k_step;
    }
}

/* Computes all of c for the current steps. */
static void compute_steps(Part *t) {
    place_steps(t);
    const int width = t->g->tile_cols, all = blocks_of(t->p->n, width), m = t->p->m, steps = packed_steps(t);
    const int most = larger(RIGHT_PACKED / (larger(steps, 1) * width), 1);
    const int most_rows = whole_tiles(t->g, M_BLOCK) * threads_count(t->threads), units = pack_units(t);
    t->left = threads_scratch(t->threads, SCRATCH_LEFT, left_size(t, smaller(m, most_rows), steps));
    for (t->panel = 0; t->panel < all; t->panel += t->panels) {
        t->panels = smaller(most, all - t->panel);
        t->right = threads_scratch(t->threads, SCRATCH_RIGHT, (size_t)t->panels * right_size(t, width, steps));
        threads_run(t->threads, "pack", t->panels * units, 4, pack_panels, t);
        for (t->row = 0; t->row < m; t->row += t->rows) {
            t->rows = smaller(most_rows, m - t->row);
            t->tiles = blocks_of(t->rows, t->g->tile_rows);
            threads_run(t->threads, "pack left", t->tiles * units, 4, pack_tiles, t);
            threads_run_and_leave(t->threads, "weight gradient", row_blocks(t) * t->panels, 1, compute_blocks, t,
                                  t->g->leave);
        }
    }
}

/* Returns the number of shards in a run: the largest power of two with which each run has at most `most` steps; at
   least 1. */
static int run_of(const GradientProduct *p, int most) {
    int run = larger(p->shards, 1);
    for (int s = 0; s < p->shards && run > 1;)
        if (p->start[s + run] - p->start[s] <= most) s += run;
        else run /= 2;
    return run;
}

void gradient_product(Threads *threads, const GradientProduct *p) {
    const GemmKernels *g = kernels->gemm[p->format];
    CHECK(p->shards >= 0 && p->shards <= MOST_SHARDS && g->tile_cols <= MOST_COLS && g->pack_list,
          "gradient_product: %d shards, tiles of %d columns, format %d", p->shards, g->tile_cols, p->format);
    Part t = {.p = p, .g = g, .threads = threads};
    CHECK(!p->most || p->most >= g->k_step || p->start[larger(p->shards, 1)] <= p->most,
          "gradient_product: at most %d steps at a time, but the kernel takes %d", p->most, g->k_step);
    t.most = larger((p->most ? p->most : RUN_STEPS) / g->k_step, 1) * g->k_step;
    t.run = run_of(p, t.most);
    t.runs = larger(p->shards, 1) / t.run;
    const int levels = shard_waiting(t.runs - 1) + 1;
    t.levels = shard_waiting(t.run - 1) + 1;
    if (p->shards) /* not on the stacks of threads, which may be small */
        t.trees = threads_scratch(threads, SCRATCH_TREES,
                                  (size_t)threads_count(threads) * (size_t)t.levels * sizeof *t.trees);
    if (p->shards && (t.runs > 1 || p->start[1] > t.most))
        t.waiting = threads_scratch(threads, SCRATCH_OP, (size_t)levels * (size_t)p->m * (size_t)p->n * sizeof(real));
    for (t.at = 0; t.at < t.runs; t.at++) {
        const int *start = p->start + (ptrdiff_t)t.at * t.run;
        t.from = start[0];
        do {
            t.steps = smaller(start[t.run] - t.from, t.most);
            if (p->needed && t.steps > 0) p->needed(p->context, t.from, t.from + t.steps);
            compute_steps(&t);
            t.from += t.steps;
        } while (t.from < start[t.run]);
    }
}
