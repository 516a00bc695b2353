/* bench.h: the parts of `tide bench`. */
#ifndef TIDE_BENCH_H
#define TIDE_BENCH_H

#include "core/operand.h"
#include "model/config.h"

/* A model, and a batch of `batch` sentences with `length` pieces each. config.depth, decoder_depth, ffn and heads are
   those of a Transformer, which has no rnn, att and maxout; depth == 0: RNNsearch with additive attention. */
typedef struct BenchSize {
    const char *name;
    ModelConfig config;
    int batch, length;
    PanelFormat products; /* of weights: PANELS_F32 or PANELS_BF16 */
} BenchSize;

/* Each part measures and prints. bench_kernels and bench_gemm also check the results, and bench_decode
   checks the lengths of its translations; a wrong result ends the program. */
void bench_kernels(void);
void bench_gemm(Threads *threads, const BenchSize *size);
void bench_step(Threads *threads, const BenchSize *size, int updates);
typedef struct BenchDecoding {
    bool int8;     /* weights of 8 bits */
    int shortlist; /* words of each sentence; 0: all */
} BenchDecoding;
void bench_decode(Threads *threads, const BenchSize *size, BenchDecoding decoding);

/* Returns the number of floating-point operations in matrix products for one target token of a training step, if source
   and target have the same length: for each weight, 2 in the forward pass and 4 in the backward pass. */
double bench_flops(const ModelConfig *config);

/* Measures the peak speed of products of this format: operations per second of multiply-adds that use only registers,
   summed over all threads; the best of five runs. */
double bench_peak(Threads *threads, PanelFormat format);

/* Sorts the n values in ascending order and returns their median. */
double bench_median(double *values, int n);

#endif
