/* gemm.c: c = init + a b, blocked as Goto & van de Geijn (2008): b in panels of one tile's width, a block of a packed
   by each thread for itself, and a register tile (kernels.c) that runs over K_BLOCK steps of the inner index. */
#include "core/gemm.h"
#include "core/base.h"
#include "core/kernels.h"

enum {
    K_BLOCK = 512, /* of the inner index: a panel of b and the block of a, packed, stay in the second-level cache */
    M_BLOCK = 168, /* of a: 12 tiles of 14 */
    STRIP_BLOCK = 2 * K_BLOCK /* how much of the right operand of gemm_strips is packed at a time */
};

static int panels_of(int n) { return (n + kernels->tile_cols - 1) / kernels->tile_cols; }
static int smaller(int a, int b) { return a < b ? a : b; }

size_t packed_size(int k, int n) { return (size_t)panels_of(n) * (size_t)kernels->tile_cols * (size_t)k; }

/* ---- packing -------------------------------------------------------------------------------------------------- */

/* Rows from..from+k-1 of the strips' x, or y, as they stand below each other, columns col..col+cols-1, as a panel
   [k][width]. */
static void pack_strips(const Strip *strips, bool right, int from, int k, int col, int cols, int width, real *to) {
    for (const Strip *s = strips; k > 0; s++) {
        int first = smaller(from, s->rows), count = smaller(k, s->rows - first), ld = right ? s->ldy : s->ldx;
        kernels->pack_rows(to, width, (right ? s->y : s->x) + (size_t)first * (size_t)ld + col, ld, cols, count);
        to += (size_t)count * (size_t)width;
        from -= first;
        k -= count;
    }
}

/* A right operand [k, n] to be packed: the y of strips from row `from` on, or where strips is NULL bᵀ. */
typedef struct PackJob {
    const Strip *strips;
    int from;
    const real *b;
    int ld, k, n;
    real *panels;
} PackJob;

static void pack_panels(void *context, int begin, int end, int thread) {
    (void)thread;
    const PackJob *job = context;
    const int width = kernels->tile_cols;
    for (int panel = begin; panel < end; panel++) {
        int col = panel * width, cols = smaller(width, job->n - col);
        real *to = job->panels + (size_t)panel * (size_t)width * (size_t)job->k;
        if (job->strips) pack_strips(job->strips, true, job->from, job->k, col, cols, width, to);
        else kernels->pack_transposed(to, width, job->b + (size_t)col * (size_t)job->ld, job->ld, cols, job->k);
    }
}

static void pack_shared(Threads *threads, PackJob job) {
    threads_run(threads, "pack", panels_of(job.n), 1 + 8192 / (1 + job.k * kernels->tile_cols), pack_panels, &job);
}

Packed gemm_pack(Threads *threads, const real *b, int ld, bool transposed, int k, int n, real *panels) {
    Strip whole = {.y = b, .ldy = ld, .rows = k};
    pack_shared(threads, (PackJob){transposed ? NULL : &whole, 0, b, ld, k, n, panels});
    return (Packed){k, n, panels};
}

/* ---- the product ---------------------------------------------------------------------------------------------- */

/* Where the left operand comes from: rows of a, or the columns of the x of strips (else NULL). */
typedef struct Left {
    const real *a;
    int lda;
    const Strip *strips;
} Left;

typedef struct Product {
    Threads *threads;
    const char *name;
    Left left;
    int m, n, from, to; /* the inner index runs from..to-1 */
    const real *panels; /* of b, at `from` */
    size_t panel_stride;
    const real *init;
    int ld_init;
    real *c;
    int ldc;
    bool by_columns; /* threads share the panels of b; otherwise the tiles of a */
} Product;

static int tiles_of(int m) { return (m + kernels->tile_rows - 1) / kernels->tile_rows; }
/* Tiles of nearly equal height, so that the last one is not a sliver. */
static int tile_begin(int m, int tiles, int tile) { return (int)((long)m * tile / tiles); }

/* Packs rows row..row+rows-1 of the left operand, k of the inner index from `from`, as [k][rows]. */
static void pack_left(const Left *left, int row, int rows, int from, int k, real *to) {
    if (left->strips) pack_strips(left->strips, false, from, k, row, rows, rows, to);
    else kernels->pack_transposed(to, rows, left->a + (size_t)row * (size_t)left->lda + from, left->lda, rows, k);
}

/* Rows row..row+m-1 by panels panel0..panel1 of c, k of the inner index from `from`. */
static void multiply_block(const Product *p, int row, int m, int panel0, int panel1, int from, int k, real *packed) {
    const int width = kernels->tile_cols, tiles = tiles_of(m);
    const real *init = from == p->from ? p->init : p->c; /* a later block goes on where the one before it stopped */
    const int ld_init = from == p->from ? p->ld_init : p->ldc;
    for (int t = 0; t < tiles; t++) {
        int first = tile_begin(m, tiles, t);
        pack_left(&p->left, row + first, tile_begin(m, tiles, t + 1) - first, from, k,
                  packed + (size_t)first * (size_t)k);
    }
    const int step = (width + tiles - 1) / tiles; /* of what each tile fetches of the next panel */
    for (int panel = panel0; panel < panel1; panel++) {
        int col = panel * width, cols = smaller(width, p->n - col);
        const real *b = p->panels + (size_t)panel * p->panel_stride + (size_t)(from - p->from) * (size_t)width;
        const real *next = panel + 1 < panel1 ? b + p->panel_stride : b + (size_t)k * (size_t)width;
        for (int t = 0; t < tiles; t++) {
            int first = tile_begin(m, tiles, t);
            size_t r = (size_t)(row + first);
            kernels->gemm_tile(tile_begin(m, tiles, t + 1) - first, cols, k, packed + (size_t)first * (size_t)k, b,
                               init ? init + r * (size_t)ld_init + col : NULL, ld_init, p->c + r * (size_t)p->ldc + col,
                               p->ldc, next + (size_t)t * (size_t)k * (size_t)step, step);
        }
    }
}

static void multiply(const Product *p, int row0, int row1, int panel0, int panel1, int thread) {
    real *packed = threads_scratch(p->threads, thread, (size_t)M_BLOCK * K_BLOCK * sizeof(real));
    for (int row = row0; row < row1; row += M_BLOCK)
        for (int from = p->from; from < p->to; from += K_BLOCK)
            multiply_block(p, row, smaller(M_BLOCK, row1 - row), panel0, panel1, from, smaller(K_BLOCK, p->to - from),
                           packed);
}

static void multiply_part(void *context, int begin, int end, int thread) {
    const Product *p = context;
    if (p->by_columns) {
        multiply(p, 0, p->m, begin, end, thread);
    } else {
        int tiles = tiles_of(p->m);
        multiply(p, tile_begin(p->m, tiles, begin), tile_begin(p->m, tiles, end), 0, panels_of(p->n), thread);
    }
}

/* Shared out along the side that divides more evenly. */
static void multiply_shared(Product *p) {
    p->by_columns = panels_of(p->n) >= tiles_of(p->m);
    int units = p->by_columns ? panels_of(p->n) : tiles_of(p->m);
    double work = (double)p->m * p->n * (p->to - p->from);
    threads_run(p->threads, p->name, units, work < 1 << 16 ? units : 1, multiply_part, p);
}

/* An empty sum: init, or zero. */
static void fill(const Product *p) {
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++)
            p->c[(size_t)i * (size_t)p->ldc + (size_t)j] =
                p->init ? p->init[(size_t)i * (size_t)p->ld_init + (size_t)j] : 0;
}

void gemm(Threads *threads, int m, const real *a, int lda, const Packed *b, const real *init, int ld_init, real *c,
          int ldc) {
    Product p = {.threads = threads,
                 .name = "product",
                 .left = {a, lda, NULL},
                 .m = m,
                 .n = b->n,
                 .to = b->k,
                 .panels = b->panels,
                 .panel_stride = (size_t)b->k * (size_t)kernels->tile_cols,
                 .init = init,
                 .ld_init = ld_init,
                 .c = c,
                 .ldc = ldc};
    if (b->k == 0) fill(&p);
    else multiply_shared(&p);
}

/* ---- the product of strips ------------------------------------------------------------------------------------ */

void gemm_strips(Threads *threads, int m, int n, const Strip *strips, int count, real *c, int ldc) {
    int k = 0;
    for (int i = 0; i < count; i++) k += strips[i].rows;
    Product p = {.threads = threads,
                 .name = "weight gradient",
                 .left = {NULL, 0, strips},
                 .m = m,
                 .n = n,
                 .init = c,
                 .ld_init = ldc,
                 .c = c,
                 .ldc = ldc};
    for (p.from = 0; p.from < k; p.from = p.to) {
        p.to = smaller(p.from + STRIP_BLOCK, k);
        p.panel_stride = (size_t)(p.to - p.from) * (size_t)kernels->tile_cols;
        real *panels = threads_shared_scratch(threads, packed_size(p.to - p.from, n) * sizeof(real));
        pack_shared(threads, (PackJob){.strips = strips, .from = p.from, .k = p.to - p.from, .n = n, .panels = panels});
        p.panels = panels;
        multiply_shared(&p);
    }
}
