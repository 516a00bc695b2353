#include "core/panels.h"
#include "core/base.h"
#include "core/kernels.h"
#include "core/scope.h"

Panels panels_pack(Threads *threads, Operand b, real *numbers) {
    operand_pack(threads, b, numbers);
    return (Panels){PANELS_F32, b.transposed, kernels->tile_cols, numbers};
}

void panels_pack_rows(const Panels *panels, int k, int n, int first, const real *rows, int count) {
    const int width = panels->width;
    CHECK(!panels->transposed && width == kernels->tile_cols && first >= 0 && first + count <= k,
          "panels_pack_rows: rows %d+%d of %d, width %d", first, count, k, width);
    for (int col = 0; col < n; col += width) {
        real *panel = panels->numbers + (size_t)col * (size_t)k;
        const int cols = n - col < width ? n - col : width;
        kernels->pack_rows(panel + (size_t)first * (size_t)width, width, rows + col, n, cols, count);
    }
}

Operand panels_operand(const Panels *panels, Operand b) {
    CHECK(panels->format == PANELS_F32 && panels->transposed == b.transposed && panels->width == kernels->tile_cols,
          "panels of format %d, transposed %d, width %d for a product of format %d, transposed %d, width %d",
          panels->format, panels->transposed, panels->width, PANELS_F32, b.transposed, kernels->tile_cols);
    b.panels = panels->numbers;
    return b;
}

void shared_weight_init(SharedWeight *weight, real *memory, bool keep) {
    *weight = (SharedWeight){0};
    if (keep) weight->values = memory;
    else weight->panels = (Panels){PANELS_F32, false, kernels->tile_cols, memory};
    pthread_mutex_init(&weight->lock, NULL);
}

void shared_weight_free(SharedWeight *weight) {
    for (int i = 0; i < 2; i++) mem_free(weight->packed[i].numbers);
    pthread_mutex_destroy(&weight->lock);
}

/* If several tapes call this at the same time, the first one packs; the others wait, then read its panels. */
static void pack_once(SharedWeight *weight, Threads *threads, Operand b) {
    /* allocated before the lock, because a refused allocation leaves this function and would leave it locked */
    real *numbers = mem_alloc_aligned(packed_size(b.k, b.n) * sizeof *numbers);
    pthread_mutex_lock(&weight->lock);
    if (!weight->ready[b.transposed]) {
        b.b = weight->values;
        weight->packed[b.transposed] = panels_pack(threads, b, scope_keep(numbers));
        atomic_store_explicit(&weight->ready[b.transposed], true, memory_order_release);
        numbers = NULL;
    }
    pthread_mutex_unlock(&weight->lock);
    mem_free(numbers);
}

Operand shared_weight_operand(SharedWeight *weight, Threads *threads, Operand b) {
    if (!weight->values) return panels_operand(&weight->panels, b);
    if (!atomic_load_explicit(&weight->ready[b.transposed], memory_order_acquire)) pack_once(weight, threads, b);
    return panels_operand(&weight->packed[b.transposed], b);
}
