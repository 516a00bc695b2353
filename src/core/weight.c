#include "core/weight.h"
#include "core/base.h"
#include "core/scope.h"

#include <stdint.h>
#include <string.h>

void weight_share(Weight *weight, PanelFormat format, int rows, int cols, void *memory, bool keep,
                  const float *scales) {
    const void *values = keep ? memory : NULL;
    weight->shared = true;
    weight->values = values;
    weight->packed[0] = (Operand){.k = rows, .n = cols, .b = values, .ld = cols, .format = format};
    weight->packed[1] = (Operand){
        .k = cols, .n = rows, .b = values, .ld = cols, .transposed = true, .format = format, .scales = scales};
    if (!keep) weight->packed[0] = operand_with_panels(weight->packed[0], memory);
    for (int i = 0; i < 4; i++) weight->ready[i] = i == 0 && !keep;
    for (int i = 2; i < 4; i++) {
        weight->packed[i] = weight->packed[i - 2];
        weight->packed[i].format = PANELS_BF16;
        weight->packed[i].panels = NULL;
    }
    pthread_mutex_init(&weight->lock, NULL);
}

void weight_free(Weight *weight) {
    for (int i = weight->values ? 0 : 2; i < 4; i++) mem_free(weight->packed[i].panels);
    pthread_mutex_destroy(&weight->lock);
}

void weight_row(const Weight *weight, int i, real *to) {
    const Operand *transposed = &weight->packed[1];
    const size_t cols = (size_t)transposed->ld, at = (size_t)i * cols;
    if (transposed->format == PANELS_F32) {
        memcpy(to, (const real *)weight->values + at, cols * sizeof *to);
        return;
    }
    const int8_t *integers = (const int8_t *)weight->values + at;
    for (size_t j = 0; j < cols; j++) to[j] = (real)((float)integers[j] * transposed->scales[i]);
}

/* If several tapes call this at the same time, the first one packs; the others wait, then read its panels. */
static void pack_once(Weight *weight, Threads *threads, int i) {
    Operand *b = &weight->packed[i];
    CHECK(i == 2 || (weight->values && (b->format != PANELS_I8 || b->scales)),
          "a product of [%d, %d] that has no panels", b->k, b->n);
    /* allocated before the lock, because a refused allocation leaves this function and would leave it locked */
    void *memory = mem_alloc_aligned(packed_size(b->format, b->k, b->n));
    pthread_mutex_lock(&weight->lock);
    if (!weight->ready[i]) {
        const Operand packed = weight->values ? operand_pack(threads, *b, scope_keep(memory))
                                              : operand_round(threads, weight->packed[0], scope_keep(memory));
        b->panels = packed.panels; /* other threads may read the rest of *b */
        b->width = packed.width;
        __atomic_store_n(&weight->ready[i], true, __ATOMIC_RELEASE);
        memory = NULL;
    }
    pthread_mutex_unlock(&weight->lock);
    mem_free(memory);
}

Operand weight_operand(Weight *weight, Threads *threads, bool transposed, PanelFormat products) {
    const int i = transposed + (products == PANELS_BF16 ? 2 : 0);
    CHECK(i < 2 || weight->packed[0].format == PANELS_F32, "a product of bfloat16 with a weight of format %d",
          weight->packed[0].format);
    if (!__atomic_load_n(&weight->ready[i], __ATOMIC_ACQUIRE)) pack_once(weight, threads, i);
    return weight->packed[i];
}
