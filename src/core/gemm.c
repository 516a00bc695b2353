/* gemm.c: c = init + a b, in blocks as in Goto & van de Geijn (2008). Both operands are packed: b in panels of
   tile_cols columns, a in tiles of tile_rows rows. One call of the kernel (gemm_f32.c, gemm_bf16.c, gemm_i8.c)
   multiplies a tile by a panel over at most k_block numbers of the inner index. A thread multiplies all tiles of a
   block of M_BLOCK rows by a panel, and prefetches the next panel at the same time; then it continues with the next
   panel. Threads share the panels of each block of rows.

   The sizes of the blocks follow from the caches of current CPUs: for each core 32 to 48 KiB of L1 and 512 KiB (AMD Zen
   2 and 3) to 2 MiB (Intel Golden Cove) of L2; for all cores together usually 16 MiB of L3 or more. A number has 4
   bytes. tile_rows x tile_cols is 14 x 32 with AVX-512, 6 x 16 with AVX2, 12 x 8 with NEON. The figures below are for
   AVX-512 and a k_block of 512, those in [] for AVX2.

   A call of the kernel reads a panel of 512 x 32 x 4 bytes = 64 KiB [32] and a tile of 512 x 14 x 4 bytes = 28 KiB
   [12]. Together they exceed an L1 of 32 KiB, so both are read from L2. At two vector multiply-adds a cycle, a step
   takes 28 / 2 = 14 cycles [6] and reads (32 + 14) x 4 = 184 bytes [88]: 13 bytes a cycle [15]. L2 delivers 32 or more.

   k_block: a call also reads and writes its elements of c, 14 x 32 x 8 bytes = 3.5 KiB in 512 x 14 = 7168 cycles:
   half a byte a cycle. A larger block makes this rate smaller. With 1024 steps, L2 must hold twice as much (see
   M_BLOCK), so a CPU has them only if its L2 has 1 MiB: a training step is then 1 to 3 % faster at medium, 3 to
   7 % at paper (Zen 5).

   M_BLOCK: L2 holds the tiles of a block of rows, 168 x 512 x 4 bytes = 336 KiB, the panel and the next panel: 336 + 2
   x 64 = 464 KiB [400] of at least 512. M_BLOCK is a multiple of 14, 12 and 6; a block has as many whole tiles as fit.
   A panel comes from L3, or from memory if b is large, once for each block of rows: 64 KiB in 168 / 14 x 7168 = 86016
   cycles, 0.8 bytes a cycle for each thread.

   AMX: a tile is 32 x 32. gemm_amx.c explains its k_block.

   RIGHT_PACKED: 512 steps of 4096 columns, 512 x 4096 x 4 bytes = 8 MiB. These panels stay in L3 while all rows of a
   are multiplied by them, together with 336 KiB of tiles for each thread: 8 + 8 x 336 / 1024 = 10.6 MiB for 8 threads.
   With a larger RIGHT_PACKED, a is packed fewer times.

   PANELS_BF16: a step has 32 numbers, which are packed as floats, so the sizes are those of floats; with AMX, half of
   them.

   PANELS_I8: the sums of integers stay in registers until they are complete, so one call of the kernel takes all steps.
   A step has 4 numbers for each column (instructions for dot products), 64 (AMX), or 2 (int16), each of a byte.

   LEFT_PACKED: if b has panels, a block of rows is packed with all k steps, and the thread processes them in parts of
   k_block. Each run of the threads has a fixed cost, so one thread may pack four blocks of 512 steps at once: 4 x
   336 KiB = 1.3 MiB. */
#include "core/gemm.h"
#include "core/base.h"
#include "core/kernels.h"

#include <string.h>

enum {
    M_BLOCK = 168,                   /* most rows of matrix a that one thread multiplies by a panel */
    RIGHT_PACKED = 4096 * 512,       /* numbers of b that are packed at once */
    LEFT_PACKED = 4 * M_BLOCK * 512, /* numbers of a that may be packed at once if b has panels */
    PACK_STEPS = 256                 /* numbers of a row of a that are one unit of packing */
};

/* The part of a product that is computed at a time. */
typedef struct Part {
    Threads *threads;
    Product product;
    const GemmKernels *g;
    /* Rows from `row` on, panels from `panel` on, steps of the inner index from `from` on. */
    int row, rows, tiles, panel, panels, from, steps;
    char *left;        /* packed tiles, one after the other, each with its head and [steps][rows of the tile] */
    const char *right; /* panels, `stride` bytes from one to the next */
    size_t stride;
    /* NULL, or a product that is not stored: who receives its parts, which are first in used [threads, M_BLOCK,
       PART_COLS] */
    UsePart *use;
    void *context;
    real *used;
} Part;

/* Where the elements of the product from (row, col) on are stored. */
typedef struct Target {
    real *c;
    int ld, row, col;
} Target;

static int panels_of(const Part *p) { return blocks_of(p->product.b.n, p->g->tile_cols); }

/* The bytes of a step of a panel. */
static size_t step_size(const Part *p) { return (size_t)p->g->tile_cols * (size_t)p->g->right_step; }

/* The numbers of the inner index in `steps` steps from step `from` on. */
static int numbers_of(const Part *p, int from, int steps) {
    return smaller(steps * p->g->k_step, p->product.b.k - from * p->g->k_step);
}

/* ---- packing the left operand ------------------------------------------------------------------------------------ */

/* Steps of one call of the kernel: those of `most` numbers; all steps if the format has scales, because the scale of a
   row depends on all its numbers, and only the complete sum is scaled. */
static int steps_at_once(const Part *p, int most) { return p->g->left_head ? p->steps : most / p->g->k_step; }

/* The first row of a tile in the part. */
static int first_row(const Part *p, int tile) { return tile_offset(p->g, p->rows, p->tiles, tile); }

/* The size of `steps` steps of a row of a, in floats. */
static int row_size(const Part *p, int steps) { return steps * p->g->left_step / (int)sizeof(float); }

/* The number of units of packing in a tile. */
static int pack_units_of(const Part *p) { return blocks_of(p->steps, steps_at_once(p, PACK_STEPS)); }

/* The bytes of `rows` rows of packed tiles. */
static size_t left_size(const Part *p, int rows) {
    return (size_t)whole_units(p->g, rows) * ((size_t)p->g->left_head + (size_t)p->steps * (size_t)p->g->left_step);
}

/* Step `at` of the tile of `rows` rows that begins with row `first` of the part. */
static char *left_at(const Part *p, int first, int rows, int at) {
    return p->left + left_size(p, first) + (size_t)at * (size_t)whole_units(p->g, rows) * (size_t)p->g->left_step;
}

static void pack_tiles(const Part *p, int begin, int end) {
    const Product *x = &p->product;
    const int pack_units = pack_units_of(p), most = steps_at_once(p, PACK_STEPS);
    for (int unit = begin; unit < end; unit++) {
        int tile = unit / pack_units, at = unit % pack_units * most, steps = smaller(most, p->steps - at);
        int first = first_row(p, tile), rows = first_row(p, tile + 1) - first;
        int row = p->row + first, from = p->from + at, k = numbers_of(p, from, steps);
        p->g->pack_left(left_at(p, first, rows, at),
                        x->a + (size_t)row * (size_t)x->lda + (size_t)from * (size_t)p->g->k_step, x->lda, rows, k);
    }
}

/* ---- the product ---------------------------------------------------------------------------------------------- */

/* Step `at` of a panel of the part; 0: the beginning of the panel. */
static const char *right_at(const Part *p, int panel, int at) {
    return p->right + (size_t)panel * p->stride + (size_t)at * step_size(p);
}

/* Multiplies the tiles tile0..tile1-1 by the panels panel0..panel1-1, over `steps` steps of the part from step `at` on.
   `after` is the data that the thread reads after the last step; the call prefetches it. */
static void multiply_block(const Part *p, Target to, int tile0, int tile1, int panel0, int panel1, int at, int steps,
                           const char *after) {
    const Product *x = &p->product;
    const int width = p->g->tile_cols;
    const int line = blocks_of((int)step_size(p), tile1 - tile0); /* bytes of a step that each tile prefetches */
    const bool begins = p->from + at == 0;                        /* later steps add to the target */
    for (int panel = panel0; panel < panel1; panel++) {
        int col = (p->panel + panel) * width, cols = smaller(width, x->b.n - col);
        const char *next = right_at(p, panel + 1, at);
        if (panel + 1 == panel1) next = at + steps < p->steps ? right_at(p, panel0, at + steps) : after;
        for (int tile = tile0; tile < tile1; tile++, next += (size_t)steps * (size_t)line) {
            int first = first_row(p, tile), rows = first_row(p, tile + 1) - first;
            size_t row = (size_t)p->row + (size_t)first;
            real *c = to.c + (row - (size_t)to.row) * (size_t)to.ld + (col - to.col);
            const real *init = x->init ? x->init + row * (size_t)x->ld_init + col : NULL;
            p->g->multiply(rows, cols, steps, left_at(p, first, rows, at), right_at(p, panel, at), begins ? init : c,
                           begins ? x->ld_init : to.ld, c, to.ld, next, line);
        }
    }
}

static int row_blocks(const Part *p) { return blocks_of(p->rows, whole_tiles(p->g, M_BLOCK)); }

/* The panels of a unit of work: all that `use` receives at once, or one. */
static int panels_at_once(const Part *p) { return p->use ? PART_COLS / p->g->tile_cols : 1; }

/* The units of work of a block of rows, and of a product. */
static int units_of_rows(const Part *p) { return blocks_of(p->panels, panels_at_once(p)); }
static int units_of(const Part *p) { return row_blocks(p) * units_of_rows(p); }

/* Multiplies a block of rows by the panels panel..panel+count-1; see multiply_block. */
static void multiply_rows(const Part *p, Target to, int block, int panel, int count, const char *after) {
    const int blocks = row_blocks(p), most = steps_at_once(p, gemm_k_block(p->g));
    for (int at = 0; at < p->steps; at += most)
        multiply_block(p, to, part_offset(p->tiles, blocks, block), part_offset(p->tiles, blocks, block + 1), panel,
                       panel + count, at, smaller(most, p->steps - at), after);
}

/* Units begin..end-1 of a product; the run has `before` units of earlier products. */
static void multiply_units(const Part *p, int begin, int end, int before) {
    while (begin < end) {
        int block = begin / p->panels, panel = begin % p->panels, count = smaller(p->panels - panel, end - begin);
        bool last = threads_is_share_boundary(p->threads, before + begin + count);
        const char *after = right_at(p, last ? panel : (panel + count) % p->panels, 0);
        multiply_rows(p, (Target){p->product.c, p->product.ldc, 0, 0}, block, panel, count, after);
        begin += count;
    }
}

/* Units begin..end-1 of a product that is not stored. */
static void use_units(const Part *p, int begin, int end) {
    const Product *x = &p->product;
    const int blocks = row_blocks(p), columns = units_of_rows(p), each = panels_at_once(p);
    real *y = p->used + (size_t)threads_self(p->threads) * M_BLOCK * PART_COLS;
    for (int unit = begin; unit < end; unit++) {
        const int block = unit / columns, panel = unit % columns * each, count = smaller(each, p->panels - panel);
        const int first = first_row(p, part_offset(p->tiles, blocks, block)), col = panel * p->g->tile_cols;
        const int rows = first_row(p, part_offset(p->tiles, blocks, block + 1)) - first, row = p->row + first;
        multiply_rows(p, (Target){y, PART_COLS, row, col}, block, panel, count,
                      right_at(p, (panel + count) % p->panels, 0));
        p->use(p->context, row, rows, col, smaller(PART_COLS, x->b.n - col), y, PART_COLS);
    }
}

/* The product for k = 0: init, or zero. */
static void fill(const Product *x) {
    for (size_t i = 0; i < (size_t)x->m; i++)
        for (size_t j = 0; j < (size_t)x->b.n; j++)
            x->c[i * (size_t)x->ldc + j] = x->init ? x->init[i * (size_t)x->ld_init + j] : 0;
}

/* Products that one run computes: the units of the first product, then those of the second, and so on. */
typedef struct PartList {
    Part *list;
    int count;
} PartList;

static void pack_run(void *context, int begin, int end) {
    const PartList *all = context;
    for (const Part *p = all->list; p < all->list + all->count; p++) {
        const int units = p->tiles * pack_units_of(p);
        pack_tiles(p, begin > 0 ? begin : 0, smaller(end, units));
        begin -= units;
        end -= units;
    }
}

static void multiply_run(void *context, int begin, int end) {
    const PartList *all = context;
    int before = 0;
    for (const Part *p = all->list; p < all->list + all->count; before += units_of(p), p++) {
        const int from = begin > before ? begin - before : 0, to = smaller(end - before, units_of(p));
        if (p->use) use_units(p, from, to);
        else multiply_units(p, from, to, before);
    }
}

/* Computes the current part of each product: row, rows, panel, panels, from and steps are set. */
static void multiply_parts(Threads *threads, Part *list, int count) {
    PartList all = {list, count};
    size_t size = 0, work = 0;
    int pack_units = 0, units = 0;
    Leave *leave = NULL; /* formats that share a matrix unit have the same */
    for (Part *p = list; p < list + count; p++) {
        p->threads = threads;
        p->tiles = blocks_of(p->rows, p->g->tile_rows);
        size += left_size(p, p->rows);
        work += (size_t)p->rows * (size_t)row_size(p, p->steps) * (size_t)p->panels * (size_t)p->g->tile_cols;
        pack_units += p->tiles * pack_units_of(p);
        units += units_of(p);
        if (p->g->leave) leave = p->g->leave;
        if (p->use)
            p->used = threads_scratch(threads, SCRATCH_PARTS,
                                      (size_t)threads_count(threads) * M_BLOCK * PART_COLS * sizeof *p->used);
    }
    char *left = threads_scratch(threads, SCRATCH_LEFT, size);
    for (Part *p = list; p < list + count; left += left_size(p, p->rows), p++) p->left = left;
    threads_run(threads, "pack left", pack_units, 1 + (int)(32768 * (size_t)pack_units / size), pack_run, &all);
    threads_run_and_leave(threads, "product", units, 1 + (int)((size_t)units * (1 << 17) / work), multiply_run, &all,
                          leave);
}

/* Multiplies all rows of a by the panels of the part. */
static void multiply_panels(Threads *threads, Part *p) {
    const int m = p->product.m;
    int most = whole_tiles(p->g, M_BLOCK) * threads_count(threads);
    const int in_one_run = LEFT_PACKED / row_size(p, p->steps);
    if (p->product.b.panels && most < in_one_run) most = in_one_run;
    const int parts = blocks_of(m, most);
    for (int part = 0; part < parts; part++) {
        p->row = part_offset(m, parts, part);
        p->rows = part_offset(m, parts, part + 1) - p->row;
        multiply_parts(threads, p, 1);
    }
}

/* Packs the right operand, a part at a time, and multiplies. */
static void multiply_unpacked(Threads *threads, Part *p) {
    const Operand *b = &p->product.b;
    const int all = panels_of(p), steps = p->steps;
    CHECK(!p->g->right_head, "a product of format %d without panels", b->format);
    for (p->from = 0; p->from < steps; p->from += p->steps) {
        p->steps = smaller(steps_at_once(p, gemm_k_block(p->g)), steps - p->from);
        p->stride = (size_t)p->steps * step_size(p);
        const int most = RIGHT_PACKED / (row_size(p, p->steps) * p->g->tile_cols);
        for (p->panel = 0; p->panel < all; p->panel += p->panels) {
            p->panels = smaller(most, all - p->panel);
            void *right = threads_scratch(threads, SCRATCH_RIGHT, (size_t)p->panels * p->stride);
            operand_pack_part(threads, b, p->from, p->steps, p->panel, p->panels, right);
            p->right = right;
            multiply_panels(threads, p);
        }
    }
}

/* The part is the whole product; the right operand has panels. */
static Part whole(const Product *x) {
    Part p = {.product = *x, .g = kernels->gemm[x->b.format], .rows = x->m, .right = x->b.panels};
    CHECK(x->b.format != PANELS_I8 || x->b.k <= GEMM_I8_MOST_K, "a product of int8 over %d numbers", x->b.k);
    CHECK(!x->b.panels || x->b.width == p.g->tile_cols, "panels of width %d for kernels of width %d", x->b.width,
          p.g->tile_cols);
    p.stride = panel_size(x->b.format, x->b.k);
    p.steps = blocks_of(x->b.k, p.g->k_step);
    p.panels = panels_of(&p);
    return p;
}

void gemm(Threads *threads, const Product *list, int count) {
    enum { MOST = 8 };
    Part together[MOST];
    int n = 0;
    for (int i = 0; i < count; i++) {
        const Product *x = &list[i];
        Part p = whole(x);
        const bool small = x->m > 0 && x->b.panels && (size_t)x->m * (size_t)x->b.k <= LEFT_PACKED;
        if (x->b.k == 0) {
            fill(x);
        } else if (count > 1 && small) {
            if (n == MOST) {
                multiply_parts(threads, together, n);
                n = 0;
            }
            together[n++] = p;
        } else if (x->b.panels) {
            multiply_panels(threads, &p);
        } else {
            multiply_unpacked(threads, &p);
        }
    }
    if (n > 0) multiply_parts(threads, together, n);
}

void gemm_parts(Threads *threads, const Product *x, UsePart *use, void *context) {
    Part p = whole(x);
    CHECK(x->b.panels && x->b.k > 0 && !x->ld_init, "gemm_parts: a product of %d numbers", x->b.k);
    p.use = use;
    p.context = context;
    multiply_panels(threads, &p);
}
