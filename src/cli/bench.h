/* bench.h: the parts of `tide bench`. */
#ifndef TIDE_BENCH_H
#define TIDE_BENCH_H

#include "cli/cli.h"

/* A model's dimensions as in the paper (m, n, n', l), and a batch of full-length sentences. A Transformer has m, layers
   on either side, hidden units and heads instead. */
typedef struct BenchSize {
    const char *name;
    int emb, rnn, att, maxout, source_vocab, target_vocab, batch, length;
    int layers, ffn, heads;
} BenchSize;

enum { BENCH_SIZES = 4 };
extern const BenchSize bench_sizes[BENCH_SIZES];

/* Floating-point operations a second of multiply-adds in registers alone, all threads together: the best of a few. */
double bench_peak(Threads *threads);
/* Sorts the values. */
double bench_median(double *values, int n);

/* Each part verifies what it runs (a mistake ends the program), and prints what it measured. */
void bench_kernels(void);
void bench_gemm(Threads *threads, const BenchSize *size);
void bench_step(Threads *threads, const BenchSize *size, int updates);
void bench_decode(Threads *threads, const BenchSize *size);

#endif
