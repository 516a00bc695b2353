/* bench.h: the parts of `tide bench`. */
#ifndef TIDE_BENCH_H
#define TIDE_BENCH_H

#include "core/threads.h"

/* Dimensions of a model, and of a batch of `batch` sentences with `length` pieces each. emb, rnn, att and maxout are m,
   n, n' and l of the paper. layers, ffn and heads are for a Transformer, which has no rnn, att and maxout; layers == 0:
   RNNsearch. */
typedef struct BenchSize {
    const char *name;
    int emb, rnn, att, maxout, source_vocab, target_vocab, batch, length;
    int layers, ffn, heads;
} BenchSize;

/* Each part measures and prints. bench_kernels and bench_gemm also check the results; a wrong result ends the program.
 */
void bench_kernels(void);
void bench_gemm(Threads *threads, const BenchSize *size);
void bench_step(Threads *threads, const BenchSize *size, int updates);
typedef struct BenchDecoding {
    bool int8;     /* weights of 8 bits */
    int shortlist; /* words of each sentence; 0: all */
} BenchDecoding;
void bench_decode(Threads *threads, const BenchSize *size, BenchDecoding decoding);

/* Measures the peak speed: floating-point operations per second of fused multiply-adds that use only registers, summed
   over all threads; the best of five runs. */
double bench_peak(Threads *threads);

/* Sorts the n values in ascending order and returns their median. */
double bench_median(double *values, int n);

#endif
