#include "core/operand.h"
#include "core/base.h"
#include "core/kernels.h"

#include <stdint.h>
#include <string.h>

/* The bytes of a number of b. */
static size_t element_size(PanelFormat format) { return format == PANELS_I8 ? sizeof(int8_t) : sizeof(real); }

size_t panel_size(PanelFormat format, int k) {
    const GemmKernels *g = kernels->gemm[format];
    const size_t width = (size_t)g->tile_cols;
    return width * (size_t)g->right_head + (size_t)blocks_of(k, g->k_step) * width * (size_t)g->right_step;
}

size_t packed_size(PanelFormat format, int k, int n) {
    return (size_t)blocks_of(n, kernels->gemm[format]->tile_cols) * panel_size(format, k);
}

/* Writes the head of a panel, the scales of `cols` columns, if the format has scales. Returns the steps of the panel.
 */
static void *panel_head(PanelFormat format, void *panel, const float *scales, int cols) {
    const GemmKernels *g = kernels->gemm[format];
    const size_t size = (size_t)g->tile_cols * (size_t)g->right_head;
    CHECK(!size == !scales, "panels of format %d %s scales", format, scales ? "with" : "without");
    if (scales) memcpy(memset(panel, 0, size), scales, (size_t)cols * sizeof *scales);
    return (char *)panel + size;
}

/* ---- all of B, or a part ---------------------------------------------------------------------------------------- */

typedef struct Packing {
    const Operand *b;
    int row, k, panel; /* the numbers row..row+k-1 of the inner index; the first panel */
    char *to;
    size_t stride; /* bytes from one panel to the next */
} Packing;

static void pack_panels(void *context, int begin, int end) {
    const Packing *p = context;
    const Operand *b = p->b;
    const GemmKernels *g = kernels->gemm[b->format];
    const size_t ld = (size_t)b->ld, element = element_size(b->format);
    for (int panel = begin; panel < end; panel++) {
        const int width = g->tile_cols, col = (p->panel + panel) * width, cols = smaller(width, b->n - col);
        const size_t row = (size_t)p->row, at = b->transposed ? (size_t)col * ld + row : row * ld + (size_t)col;
        const char *from = (const char *)b->b + at * element;
        void *to = panel_head(b->format, p->to + (size_t)panel * p->stride, b->scales ? b->scales + col : NULL, cols);
        if (b->transposed) g->pack_transposed(to, width, from, b->ld, cols, p->k);
        else g->pack_rows(to, width, 0, from, b->ld, cols, p->k);
    }
}

void operand_pack_part(Threads *threads, const Operand *b, int from, int steps, int panel, int count, void *to) {
    const int k_step = kernels->gemm[b->format]->k_step, row = from * k_step, k = smaller(steps * k_step, b->k - row);
    Packing packing = {b, row, k, panel, to, panel_size(b->format, k)};
    threads_run(threads, "pack", count, 1 + (int)(65536 / packing.stride), pack_panels, &packing);
}

Operand operand_with_panels(Operand b, void *panels) {
    b.panels = panels;
    b.width = kernels->gemm[b.format]->tile_cols;
    return b;
}

Operand operand_pack(Threads *threads, Operand b, void *panels) {
    const GemmKernels *g = kernels->gemm[b.format];
    if (b.k > 0) operand_pack_part(threads, &b, 0, blocks_of(b.k, g->k_step), 0, blocks_of(b.n, g->tile_cols), panels);
    return operand_with_panels(b, panels);
}

typedef struct Rounding {
    Operand from;
    char *to;
} Rounding;

/* A panel of floats is a matrix [k, width], so it can be packed again as the rows of B. */
static void round_panels(void *context, int begin, int end) {
    const Rounding *r = context;
    const int k = r->from.k, width = r->from.width;
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        kernels->gemm[PANELS_BF16]->pack_rows(r->to + i * panel_size(PANELS_BF16, k), width, 0,
                                              (char *)r->from.panels + i * panel_size(PANELS_F32, k), width, width, k);
}

Operand operand_round(Threads *threads, Operand b, void *panels) {
    CHECK(b.panels && b.format == PANELS_F32 && b.width == kernels->gemm[PANELS_BF16]->tile_cols,
          "operand_round: format %d, width %d", b.format, b.width);
    Rounding rounding = {b, panels};
    threads_run(threads, "pack", blocks_of(b.n, b.width), 1 + (int)(65536 / (panel_size(b.format, b.k) + 1)),
                round_panels, &rounding);
    b.format = PANELS_BF16;
    return operand_with_panels(b, panels);
}

/* ---- some rows, some columns ------------------------------------------------------------------------------------ */

void operand_pack_rows(Operand b, int first, const void *rows, const float *scales, int count) {
    const GemmKernels *g = kernels->gemm[b.format];
    CHECK(!b.transposed && b.width == g->tile_cols && first >= 0 && first + count <= b.k,
          "operand_pack_rows: rows %d+%d of %d, width %d", first, count, b.k, b.width);
    char *panel = b.panels;
    for (int col = 0; col < b.n; col += b.width, panel += panel_size(b.format, b.k)) {
        const int cols = smaller(b.width, b.n - col);
        void *steps = panel_head(b.format, panel, scales ? scales + col : NULL, cols);
        g->pack_rows(steps, b.width, first, (const char *)rows + (size_t)col * element_size(b.format), b.n, cols,
                     count);
    }
}

static inline void copy_units(const size_t unit, char *to, const char *from, size_t stride, size_t units) {
    for (size_t i = 0; i < units; i++) memcpy(to + i * stride, from + i * stride, unit);
}

Operand operand_gather(Operand b, const int *columns, int count, void *memory) {
    const GemmKernels *g = kernels->gemm[b.format];
    const size_t width = (size_t)g->tile_cols, head = (size_t)g->right_head, unit = (size_t)g->right_unit,
                 size = panel_size(b.format, b.k), units = (size - width * head) / (width * unit);
    CHECK(b.panels, "operand_gather: an operand [%d, %d] without panels", b.k, b.n);
    memset(memory, 0, packed_size(b.format, b.k, count));
    for (size_t i = 0; i < (size_t)count; i++) {
        CHECK(columns[i] >= 0 && columns[i] < b.n, "operand_gather: column %d of %d", columns[i], b.n);
        const size_t column = (size_t)columns[i];
        const char *from = (const char *)b.panels + column / width * size;
        char *to = (char *)memory + i / width * size;
        memcpy(to + i % width * head, from + column % width * head, head);
        from += width * head + column % width * unit;
        to += width * head + i % width * unit;
        if (unit == sizeof(int32_t)) copy_units(sizeof(int32_t), to, from, width * unit, units);
        else copy_units(unit, to, from, width * unit, units);
    }
    return operand_with_panels((Operand){.k = b.k, .n = count, .format = b.format, .transposed = b.transposed}, memory);
}
