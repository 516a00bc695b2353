/* panels.h: weights in the packed form that the matrix product reads (see gemm.h), and the packed forms of a weight
   that several tapes share. */
#ifndef TIDE_PANELS_H
#define TIDE_PANELS_H

#include "core/gemm.h"

#include <pthread.h>
#include <stdatomic.h>

/* The panels of a weight W [k, n], or of its transpose Wᵀ [n, k]: see Operand in gemm.h. */
typedef struct Panels {
    PanelFormat format;
    bool transposed; /* the panels of Wᵀ */
    int width;       /* tile_cols of the kernels that packed them */
    void *memory;    /* NULL: not packed */
} Panels;

/* Packs b into `memory`, packed_size(b.format, b.k, b.n) bytes that the caller owns. */
Panels panels_pack(Threads *threads, Operand b, void *memory);
/* Packs the rows first..first+count-1 of W [k, n] into its panels, with PANELS_I8 in ascending order: rows [count, n]
   of real, or of int8_t; scales [n] of the columns, or NULL. When all rows are packed, the panels are the same as those
   of panels_pack. */
void panels_pack_rows(const Panels *panels, int k, int n, int first, const void *rows, const float *scales, int count);
/* Copies columns of B, which has panels, into `memory`, packed_size(b.format, b.k, count) bytes that the caller owns:
   columns[i] becomes column i. Returns the operand [k, count]. */
Operand panels_gather(Operand b, const int *columns, int count, void *memory);
/* Returns b with these panels. */
Operand panels_operand(const Panels *panels, Operand b);

/* A weight of a model that is not trained. Any number of tapes in any number of threads read it. If only products
   read the weight, it has panels from the start. Otherwise it has values; the first tape that needs panels packs
   them from the values, under the lock. Packed panels do not change. */
typedef struct SharedWeight {
    PanelFormat format;  /* of the values and of all panels */
    const void *values;  /* [rows, cols] of real or int8_t, not owned; NULL: the weight has panels */
    const float *scales; /* PANELS_I8 with values: of the rows; not owned. Then only Wᵀ may be packed. */
    Panels panels;       /* of W, not owned; without memory: the weight has values */
    pthread_mutex_t lock;
    Panels packed[2]; /* packed from the values: of W and of Wᵀ; owned; valid if `ready` is true */
    atomic_bool ready[2];
} SharedWeight;

/* `memory` is for the values if `keep` is true, else for the panels. The caller owns it, and may fill it (panels:
   with panels_pack_rows) until the first tape reads it. */
void shared_weight_init(SharedWeight *weight, PanelFormat format, void *memory, bool keep);
void shared_weight_free(SharedWeight *weight);
/* Copies row i of a weight with values and `cols` columns; integers are multiplied by their scale. */
void shared_weight_row(const SharedWeight *weight, int i, int cols, real *to);
/* Returns the operand b, W or Wᵀ, with its format and panels. */
Operand shared_weight_operand(SharedWeight *weight, Threads *threads, Operand b);

#endif
