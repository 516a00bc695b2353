/* operand.h: the right operand of a matrix product, plain or packed. */
#ifndef TIDE_OPERAND_H
#define TIDE_OPERAND_H

#include "core/threads.h"

#include <stdbool.h>
#include <stddef.h>

/* The formats of packed operands. PANELS_F32: numbers of the type real, and each element of the product is one chain of
   fused multiply-adds, k ascending. PANELS_BF16: the numbers of both operands are rounded to bfloat16 when they are
   packed, and the sums are floats, in the order of gemm_bf16.c. PANELS_I8: b has integers of 8 bits and a scale for
   each column; each row of a is quantised to such integers when it is packed: see gemm_i8.c. */
typedef enum { PANELS_F32, PANELS_BF16, PANELS_I8, PANEL_FORMATS } PanelFormat;
/* The names of PANELS_F32 and PANELS_BF16 as options, in this order: see core/choice.h. */
#define PRECISIONS "float32|bfloat16"

/* The largest inner index of a product of PANELS_I8: its sums of 32 bits do not overflow. */
enum { GEMM_I8_MOST_K = (1 << 17) - 1 };

/* The right operand B [k, n] of a product: b [k, n], or if `transposed` bᵀ with b [n, k]. ld is the leading
   dimension of b. panels: B in the order in which the kernel reads it: panels of `width` columns, each with a head
   and its steps, padded with zeros: see GemmKernels. Without panels, each product packs B; PANELS_I8
   needs panels, and k ≤ GEMM_I8_MOST_K. */
typedef struct Operand {
    int k, n;
    const void *b; /* real, or int8_t with PANELS_I8; not read if there are panels */
    int ld;
    bool transposed;
    PanelFormat format;
    const float *scales; /* PANELS_I8: [n], of the columns of B; needed only by operand_pack */
    void *panels;        /* NULL: not packed; not owned */
    int width;           /* tile_cols of the kernels that packed the panels */
} Operand;

/* The size of the panels of a [k, n] operand, in bytes; of one panel. */
size_t packed_size(PanelFormat format, int k, int n);
size_t panel_size(PanelFormat format, int k);

/* Packs B into `panels`, packed_size bytes that the caller owns. Returns b with these panels, for any number of
   products. */
Operand operand_pack(Threads *threads, Operand b, void *panels);
/* Packs B, which has panels of PANELS_F32, into panels of PANELS_BF16: `panels` is packed_size bytes that the caller
   owns. Returns B with them. */
Operand operand_round(Threads *threads, Operand b, void *panels);
/* Returns b with panels that operand_pack_rows fills. */
Operand operand_with_panels(Operand b, void *panels);
/* Packs the rows first..first+count-1 of B into the panels of b, in ascending order, but with PANELS_F32 in any order:
   rows [count, n] of real, or of int8_t; scales [n] of the columns, or NULL. When all rows are packed, the panels are
   the same as those of operand_pack. */
void operand_pack_rows(Operand b, int first, const void *rows, const float *scales, int count);
/* Packs `count` panels of B from panel `panel` on, with only the k_step numbers of the steps from..from+steps-1, to
   `to`, one panel after the other. */
void operand_pack_part(Threads *threads, const Operand *b, int from, int steps, int panel, int count, void *to);
/* Copies columns of B, which has panels, into `memory`, packed_size(b.format, b.k, count) bytes that the caller owns:
   columns[i] becomes column i. Returns the operand [k, count]. */
Operand operand_gather(Operand b, const int *columns, int count, void *memory);

#endif
