/* panels.h: weights in the packed form that the matrix product reads (see gemm.h), and the packed forms of a weight
   that several tapes share. */
#ifndef TIDE_PANELS_H
#define TIDE_PANELS_H

#include "core/gemm.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum { PANELS_F32 } PanelFormat;

/* W [k, n], or Wᵀ, in panels: see Operand in gemm.h. */
typedef struct Panels {
    PanelFormat format;
    bool transposed; /* the panels of Wᵀ */
    int width;       /* tile_cols of the kernels that packed them */
    real *numbers;   /* NULL: not packed */
} Panels;

/* Packs `b` into `numbers`, which the caller owns: packed_size(b.k, b.n) of them. */
Panels panels_pack(Threads *threads, Operand b, real *numbers);
/* Packs the rows first..first+count-1 of W [k, n] into its panels. After all rows were packed they are those of
   panels_pack. */
void panels_pack_rows(const Panels *panels, int k, int n, int first, const real *rows, int count);
/* The operand b, read from its panels. */
Operand panels_operand(const Panels *panels, Operand b);

/* A weight that is only read, by any number of tapes in any number of threads. It has panels from the beginning, if
   only products read it; or it has values, and panels are packed from them, once, under a lock, by the first tape that
   needs them. Panels do not change after they are packed. */
typedef struct SharedWeight {
    const real *values; /* [rows, cols], not owned; NULL: the weight has panels */
    Panels panels;      /* of W, not owned; without numbers: the weight has values */
    pthread_mutex_t lock;
    Panels packed[2]; /* packed from the values: of W and of Wᵀ; owned; to be read after `ready` */
    atomic_bool ready[2];
} SharedWeight;

/* `memory` is that of the values if `keep`, else of the panels; the caller keeps it. It may be filled afterwards,
   before the first tape reads it: by panels_pack_rows in the second case. */
void shared_weight_init(SharedWeight *weight, real *memory, bool keep);
void shared_weight_free(SharedWeight *weight);
/* The operand b, which is W or Wᵀ, read from its panels. */
Operand shared_weight_operand(SharedWeight *weight, Threads *threads, Operand b);

#endif
