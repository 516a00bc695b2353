/* bench_parts.h: the parts of `tide bench`, each in a file of its own. */
#ifndef TIDE_BENCH_PARTS_H
#define TIDE_BENCH_PARTS_H

#include "core/threads.h"

/* A model's dimensions as in the paper (m, n, n', l), and a batch of full-length sentences. A Transformer has m, layers
   on either side, hidden units and heads instead. */
typedef struct BenchSize {
    const char *name;
    int emb, rnn, att, maxout, source_vocab, target_vocab, batch, length;
    int layers, ffn, heads;
} BenchSize;

/* Each part prints what it measured. The kernels and products are also verified: a mistake ends the program. */
void bench_kernels(void);
void bench_gemm(Threads *threads, const BenchSize *size);
void bench_step(Threads *threads, const BenchSize *size, int updates);
void bench_decode(Threads *threads, const BenchSize *size);

#endif
