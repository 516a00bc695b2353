#include "core/panels.h"
#include "core/base.h"
#include "core/scope.h"

#include <string.h>

static int width_of(PanelFormat format) { return kernels->gemm[format]->tile_cols; }

Panels panels_pack(Threads *threads, Operand b, void *memory) {
    operand_pack(threads, b, memory);
    return (Panels){b.format, b.transposed, width_of(b.format), memory};
}

void panels_pack_rows(const Panels *panels, int k, int n, int first, const void *rows, const float *scales, int count) {
    const int width = panels->width;
    const PanelFormat format = panels->format;
    CHECK(!panels->transposed && width == width_of(format) && first >= 0 && first + count <= k,
          "panels_pack_rows: rows %d+%d of %d, width %d", first, count, k, width);
    const GemmKernels *g = kernels->gemm[format];
    char *panel = panels->memory;
    for (int col = 0; col < n; col += width, panel += panel_size(format, k)) {
        const int cols = n - col < width ? n - col : width;
        void *steps = panel_head(format, panel, scales ? scales + col : NULL, cols);
        g->pack_rows(steps, width, first, (const char *)rows + (size_t)col * (size_t)(g->right_step / g->k_step), n,
                     cols, count);
    }
}

static inline void copy_steps(const size_t step, char *to, const char *from, size_t stride, size_t steps) {
    for (size_t i = 0; i < steps; i++) memcpy(to + i * stride, from + i * stride, step);
}

Operand panels_gather(Operand b, const int *columns, int count, void *memory) {
    const GemmKernels *g = kernels->gemm[b.format];
    const size_t width = (size_t)g->tile_cols, head = (size_t)g->right_head, step = (size_t)g->right_step,
                 size = panel_size(b.format, b.k), steps = (size - width * head) / (width * step);
    CHECK(b.panels, "panels_gather: an operand [%d, %d] without panels", b.k, b.n);
    memset(memory, 0, packed_size(b.format, b.k, count));
    for (size_t i = 0; i < (size_t)count; i++) {
        CHECK(columns[i] >= 0 && columns[i] < b.n, "panels_gather: column %d of %d", columns[i], b.n);
        const size_t column = (size_t)columns[i];
        const char *from = (const char *)b.panels + column / width * size;
        char *to = (char *)memory + i / width * size;
        memcpy(to + i % width * head, from + column % width * head, head);
        from += width * head + column % width * step;
        to += width * head + i % width * step;
        if (step == sizeof(int32_t)) copy_steps(sizeof(int32_t), to, from, width * step, steps);
        else copy_steps(step, to, from, width * step, steps);
    }
    return (Operand){.k = b.k, .n = count, .format = b.format, .transposed = b.transposed, .panels = memory};
}

Operand panels_operand(const Panels *panels, Operand b) {
    CHECK(panels->format == b.format && panels->transposed == b.transposed && panels->width == width_of(b.format),
          "panels of format %d, transposed %d, width %d for a product of format %d, transposed %d, width %d",
          panels->format, panels->transposed, panels->width, b.format, b.transposed, width_of(b.format));
    b.panels = panels->memory;
    return b;
}

void shared_weight_init(SharedWeight *weight, PanelFormat format, void *memory, bool keep) {
    *weight = (SharedWeight){.format = format};
    if (keep) weight->values = memory;
    else weight->panels = (Panels){format, false, width_of(format), memory};
    pthread_mutex_init(&weight->lock, NULL);
}

void shared_weight_free(SharedWeight *weight) {
    for (int i = 0; i < 2; i++) mem_free(weight->packed[i].memory);
    pthread_mutex_destroy(&weight->lock);
}

void shared_weight_row(const SharedWeight *weight, int i, int cols, real *to) {
    const size_t at = (size_t)i * (size_t)cols;
    if (weight->format == PANELS_F32) {
        memcpy(to, (const real *)weight->values + at, (size_t)cols * sizeof *to);
        return;
    }
    const int8_t *integers = (const int8_t *)weight->values + at;
    for (int j = 0; j < cols; j++) to[j] = (real)((float)integers[j] * weight->scales[i]);
}

/* If several tapes call this at the same time, the first one packs; the others wait, then read its panels. */
static void pack_once(SharedWeight *weight, Threads *threads, Operand b) {
    CHECK(weight->format != PANELS_I8 || b.transposed, "a product of [%d, %d] by int8 with scales of its rows", b.k,
          b.n);
    /* allocated before the lock, because a refused allocation leaves this function and would leave it locked */
    void *memory = mem_alloc_aligned(packed_size(b.format, b.k, b.n));
    pthread_mutex_lock(&weight->lock);
    if (!weight->ready[b.transposed]) {
        b.b = weight->values;
        b.scales = weight->scales;
        weight->packed[b.transposed] = panels_pack(threads, b, scope_keep(memory));
        atomic_store_explicit(&weight->ready[b.transposed], true, memory_order_release);
        memory = NULL;
    }
    pthread_mutex_unlock(&weight->lock);
    mem_free(memory);
}

Operand shared_weight_operand(SharedWeight *weight, Threads *threads, Operand b) {
    b.format = weight->format;
    if (!weight->values) return panels_operand(&weight->panels, b);
    if (!atomic_load_explicit(&weight->ready[b.transposed], memory_order_acquire)) pack_once(weight, threads, b);
    return panels_operand(&weight->packed[b.transposed], b);
}
