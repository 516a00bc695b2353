/* gemm.c: c = init + a b, in blocks as in Goto & van de Geijn (2008). Both operands are packed: b in panels of
   tile_cols columns, a in tiles of tile_rows rows. One call of the kernel (kernels.c) multiplies a tile by a panel
   over at most K_BLOCK steps of the inner index. A thread multiplies all tiles of a block of M_BLOCK rows by a
   panel, and prefetches the next panel at the same time; then it continues with the next panel. Threads share the
   panels of each block of rows.

   The sizes of the blocks follow from the caches of current CPUs: for each core 32 to 48 KiB of L1 and 512 KiB (AMD Zen
   2 and 3) to 2 MiB (Intel Golden Cove) of L2; for all cores together usually 16 MiB of L3 or more. A number has 4
   bytes. tile_rows x tile_cols is 14 x 32 with AVX-512, 6 x 16 with AVX2, 12 x 8 with NEON. The figures below are for
   AVX-512, those in [] for AVX2.

   A call of the kernel reads a panel of 512 x 32 x 4 bytes = 64 KiB [32] and a tile of 512 x 14 x 4 bytes = 28 KiB
   [12]. ProductList they exceed an L1 of 32 KiB, so both are read from L2. At two vector multiply-adds a cycle, a step
   takes 28 / 2 = 14 cycles [6] and reads (32 + 14) x 4 = 184 bytes [88]: 13 bytes a cycle [15]. L2 delivers 32 or more.

   K_BLOCK: a call also reads and writes its elements of c, 14 x 32 x 8 bytes = 3.5 KiB in 512 x 14 = 7168 cycles: half
   a byte a cycle. A larger K_BLOCK makes this rate smaller.

   M_BLOCK: L2 holds the tiles of a block of rows, 168 x 512 x 4 bytes = 336 KiB, the panel and the next panel: 336 + 2
   x 64 = 464 KiB [400] of at least 512. M_BLOCK is a multiple of 14, 12 and 6, so that a block has at most
   M_BLOCK rows. A panel comes from L3, or from memory if b is large, once for each block of rows: 64 KiB in 168 / 14 x
   7168 = 86016 cycles, 0.8 bytes a cycle for each thread.

   RIGHT_PACKED: 512 steps of 4096 columns, 512 x 4096 x 4 bytes = 8 MiB. These panels stay in L3 while all rows of a
   are multiplied by them, together with 336 KiB of tiles for each thread: 8 + 8 x 336 / 1024 = 10.6 MiB for 8 threads.
   With a larger RIGHT_PACKED, a is packed fewer times.

   LEFT_PACKED: if b has panels, a block of rows is packed with all k steps, and the thread processes them in parts of
   K_BLOCK. Each run of the threads has a fixed cost, so one thread may pack four blocks of 512 steps at once: 4 x 336
   KiB = 1.3 MiB. */
#include "core/gemm.h"
#include "core/base.h"
#include "core/kernels.h"

enum {
    K_BLOCK = 512,                       /* steps of the inner index in one call of the kernel */
    M_BLOCK = 168,                       /* rows of matrix a that one thread multiplies by a panel */
    RIGHT_PACKED = 4096 * K_BLOCK,       /* numbers of b that are packed at once */
    LEFT_PACKED = 4 * M_BLOCK * K_BLOCK, /* numbers of a that may be packed at once if b has panels */
    PACK_STEPS = 256                     /* steps of a tile that are one unit of packing */
};

static int smaller(int a, int b) { return a < b ? a : b; }
static int blocks_of(int size, int block) { return (size + block - 1) / block; }
static int panels_of(int n) { return blocks_of(n, kernels->tile_cols); }

size_t packed_size(int k, int n) { return (size_t)panels_of(n) * (size_t)kernels->tile_cols * (size_t)k; }

/* ---- packing -------------------------------------------------------------------------------------------------- */

/* Packs the rows from..from+k-1 of all strips' x (or y, if `right`), columns col..col+cols-1, as a panel [k][width]. */
static void pack_strips(const Strip *strips, bool right, int from, int k, int col, int cols, int width, real *to) {
    for (const Strip *s = strips; k > 0; s++) {
        int first = smaller(from, s->rows), count = smaller(k, s->rows - first), ld = right ? s->ldy : s->ldx;
        kernels->pack_rows(to, width, (right ? s->y : s->x) + (size_t)first * (size_t)ld + col, ld, cols, count);
        to += (size_t)count * (size_t)width;
        from -= first;
        k -= count;
    }
}

typedef struct Product {
    Threads *threads;
    const char *name;
    int m, n, k;
    const real *a; /* the left operand; NULL with strips: then their x, transposed */
    int lda;
    const Strip *strips; /* NULL: the operands are a and b */
    Operand b;
    const real *init;
    int ld_init;
    real *c;
    int ldc;
    /* The current part: rows from `row` on, panels from `panel` on, steps of the inner index from `from` on. */
    int row, rows, tiles, panel, panels, from, steps;
    real *left;        /* packed tiles, one after the other, each [steps][rows of the tile] */
    const real *right; /* panels, `stride` numbers from one to the next */
    size_t stride;
} Product;

static void pack_panels(void *context, int begin, int end) {
    const Product *p = context;
    const int width = kernels->tile_cols;
    for (int panel = begin; panel < end; panel++) {
        int col = (p->panel + panel) * width, cols = smaller(width, p->n - col);
        real *to = (real *)p->right + (size_t)panel * p->stride;
        size_t ld = (size_t)p->b.ld;
        if (p->strips) pack_strips(p->strips, true, p->from, p->steps, col, cols, width, to);
        else if (p->b.transposed)
            kernels->pack_transposed(to, width, p->b.b + (size_t)col * ld + p->from, p->b.ld, cols, p->steps);
        else kernels->pack_rows(to, width, p->b.b + (size_t)p->from * ld + col, p->b.ld, cols, p->steps);
    }
}

static void pack_right(Product *p, real *panels) {
    p->right = panels;
    p->stride = (size_t)p->steps * (size_t)kernels->tile_cols;
    threads_run(p->threads, "pack", p->panels, 1 + (int)(16384 / p->stride), pack_panels, p);
}

Operand operand_pack(Threads *threads, Operand b, real *panels) {
    Product p = {.threads = threads, .n = b.n, .b = b, .steps = b.k, .panels = panels_of(b.n)};
    if (b.k > 0) pack_right(&p, panels);
    b.panels = panels;
    return b;
}

/* The number of units of packing in a tile: PACK_STEPS steps are a unit. */
static int pack_units_of(const Product *p) { return blocks_of(p->steps, PACK_STEPS); }

static void pack_tiles(const Product *p, int begin, int end) {
    const int pack_units = pack_units_of(p);
    for (int unit = begin; unit < end; unit++) {
        int tile = unit / pack_units, at = unit % pack_units * PACK_STEPS, steps = smaller(PACK_STEPS, p->steps - at);
        int first = part_offset(p->rows, p->tiles, tile), rows = part_offset(p->rows, p->tiles, tile + 1) - first;
        int row = p->row + first, from = p->from + at;
        real *to = p->left + (size_t)first * (size_t)p->steps + (size_t)at * (size_t)rows;
        if (p->strips) pack_strips(p->strips, false, from, steps, row, rows, rows, to);
        else kernels->pack_transposed(to, rows, p->a + (size_t)row * (size_t)p->lda + from, p->lda, rows, steps);
    }
}

/* ---- the product ---------------------------------------------------------------------------------------------- */

/* Step `at` of a panel of the part. */
static const real *right_at(const Product *p, int panel, int at) {
    return p->right + (size_t)panel * p->stride + (size_t)at * (size_t)kernels->tile_cols;
}

/* Multiplies the tiles tile0..tile1-1 by the panels panel0..panel1-1, over k steps of the part from step `at` on.
   `after` is the data that the thread reads after the last step; the call prefetches it. */
static void multiply_block(const Product *p, int tile0, int tile1, int panel0, int panel1, int at, int k,
                           const real *after) {
    const int width = kernels->tile_cols, step = blocks_of(width, tile1 - tile0); /* prefetched by each tile */
    const bool begins = p->from + at == 0;                                        /* later steps add to c */
    const real *init = begins ? p->init : p->c;
    const int ld_init = begins ? p->ld_init : p->ldc;
    for (int panel = panel0; panel < panel1; panel++) {
        int col = (p->panel + panel) * width, cols = smaller(width, p->n - col);
        const real *next = right_at(p, panel + 1, at);
        if (panel + 1 == panel1) next = at + k < p->steps ? right_at(p, panel0, at + k) : after;
        for (int tile = tile0; tile < tile1; tile++, next += (size_t)k * (size_t)step) {
            int first = part_offset(p->rows, p->tiles, tile), rows = part_offset(p->rows, p->tiles, tile + 1) - first;
            size_t row = (size_t)p->row + (size_t)first;
            kernels->gemm_tile(rows, cols, k, p->left + (size_t)first * (size_t)p->steps + (size_t)at * (size_t)rows,
                               right_at(p, panel, at), init ? init + row * (size_t)ld_init + col : NULL, ld_init,
                               p->c + row * (size_t)p->ldc + col, p->ldc, next, step);
        }
    }
}

static int row_blocks(const Product *p) { return blocks_of(p->rows, M_BLOCK); }

/* The number of units of work of a product: one for each panel and block of rows. */
static int units_of(const Product *p) { return row_blocks(p) * p->panels; }

/* Units begin..end-1 of a product; the run has `before` units of earlier products. */
static void multiply_units(const Product *p, int begin, int end, int before) {
    const int blocks = row_blocks(p);
    while (begin < end) {
        int block = begin / p->panels, panel = begin % p->panels, count = smaller(p->panels - panel, end - begin);
        bool last = threads_is_share_boundary(p->threads, before + begin + count);
        const real *after = right_at(p, last ? panel : (panel + count) % p->panels, 0);
        for (int at = 0; at < p->steps; at += K_BLOCK)
            multiply_block(p, part_offset(p->tiles, blocks, block), part_offset(p->tiles, blocks, block + 1), panel,
                           panel + count, at, smaller(K_BLOCK, p->steps - at), after);
        begin += count;
    }
}

/* The product for k = 0: init, or zero. */
static void fill(const Product *p) {
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++)
            p->c[(size_t)i * (size_t)p->ldc + (size_t)j] =
                p->init ? p->init[(size_t)i * (size_t)p->ld_init + (size_t)j] : 0;
}

/* Products that one run computes: the units of the first product, then those of the second, and so on. */
typedef struct ProductList {
    Product *list;
    int count;
} ProductList;

static void pack_run(void *context, int begin, int end) {
    const ProductList *all = context;
    for (const Product *p = all->list; p < all->list + all->count; p++) {
        const int units = p->tiles * pack_units_of(p);
        pack_tiles(p, begin > 0 ? begin : 0, smaller(end, units));
        begin -= units;
        end -= units;
    }
}

static void multiply_run(void *context, int begin, int end) {
    const ProductList *all = context;
    int before = 0;
    for (const Product *p = all->list; p < all->list + all->count; before += units_of(p), p++)
        multiply_units(p, begin > before ? begin - before : 0, smaller(end - before, units_of(p)), before);
}

/* Computes the current part of each product: row, rows, panel, panels, from and steps are set. */
static void multiply_parts(Product *list, int count) {
    ProductList all = {list, count};
    size_t numbers = 0, work = 0;
    int pack_units = 0, units = 0;
    for (Product *p = list; p < list + count; p++) {
        p->tiles = blocks_of(p->rows, kernels->tile_rows);
        numbers += (size_t)p->rows * (size_t)p->steps;
        work += (size_t)p->rows * (size_t)p->steps * (size_t)p->panels * (size_t)kernels->tile_cols;
        pack_units += p->tiles * pack_units_of(p);
        units += units_of(p);
    }
    real *left = threads_scratch(list->threads, SCRATCH_LEFT, numbers * sizeof(real));
    for (Product *p = list; p < list + count; left += (size_t)p->rows * (size_t)p->steps, p++) p->left = left;
    threads_run(list->threads, "pack left", pack_units, 1 + (int)(8192 * (size_t)pack_units / numbers), pack_run, &all);
    threads_run(list->threads, list->name, units, 1 + (int)((size_t)units * (1 << 17) / work), multiply_run, &all);
}

/* Multiplies all rows of a by the panels of the part. */
static void multiply_panels(Product *p) {
    int most = M_BLOCK * threads_count(p->threads);
    if (p->b.panels && most < LEFT_PACKED / p->steps) most = LEFT_PACKED / p->steps;
    const int parts = blocks_of(p->m, most);
    for (int part = 0; part < parts; part++) {
        p->row = part_offset(p->m, parts, part);
        p->rows = part_offset(p->m, parts, part + 1) - p->row;
        multiply_parts(p, 1);
    }
}

/* Sets the part to the whole product; the right operand has panels. */
static void use_panels(Product *p) {
    p->right = p->b.panels;
    p->stride = (size_t)p->k * (size_t)kernels->tile_cols;
    p->steps = p->k;
    p->panels = panels_of(p->n);
    p->rows = p->m;
}

/* Packs the right operand, a part at a time, and multiplies. */
static void multiply_unpacked(Product *p) {
    const int all = panels_of(p->n);
    for (p->from = 0; p->from < p->k; p->from += p->steps) {
        p->steps = smaller(K_BLOCK, p->k - p->from);
        const int most = RIGHT_PACKED / (p->steps * kernels->tile_cols);
        for (p->panel = 0; p->panel < all; p->panel += p->panels) {
            p->panels = smaller(most, all - p->panel);
            size_t size = (size_t)p->panels * (size_t)p->steps * (size_t)kernels->tile_cols;
            pack_right(p, threads_scratch(p->threads, SCRATCH_RIGHT, size * sizeof(real)));
            multiply_panels(p);
        }
    }
}

static void multiply(Product *p) {
    if (p->k == 0) {
        fill(p);
    } else if (p->b.panels) {
        use_panels(p);
        multiply_panels(p);
    } else {
        multiply_unpacked(p);
    }
}

static Product product_of(Threads *threads, const Multiplication *x) {
    return (Product){.threads = threads,
                     .name = "product",
                     .m = x->m,
                     .n = x->b.n,
                     .k = x->b.k,
                     .a = x->a,
                     .lda = x->lda,
                     .b = x->b,
                     .init = x->init,
                     .ld_init = x->ld_init,
                     .c = x->c,
                     .ldc = x->ldc};
}

void gemm(Threads *threads, const Multiplication *list, int count) {
    enum { MOST = 8 };
    Product together[MOST];
    int n = 0;
    for (int i = 0; i < count; i++) {
        Product p = product_of(threads, &list[i]);
        bool small = p.m > 0 && p.k > 0 && p.b.panels && (size_t)p.m * (size_t)p.k <= LEFT_PACKED;
        if (count == 1 || !small || n == MOST) {
            multiply(&p);
        } else {
            use_panels(&p);
            together[n++] = p;
        }
    }
    if (n > 0) multiply_parts(together, n);
}

void gemm_strips(Threads *threads, int m, int n, const Strip *strips, int count, real *c, int ldc) {
    Product p = {.threads = threads,
                 .name = "weight gradient",
                 .m = m,
                 .n = n,
                 .strips = strips,
                 .init = c,
                 .ld_init = ldc,
                 .c = c,
                 .ldc = ldc};
    for (int i = 0; i < count; i++) p.k += strips[i].rows;
    if (p.k > 0) multiply(&p);
}
