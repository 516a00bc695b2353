/* tide bench: measures how fast this machine trains and decodes, compared with its peak speed at the same moment. */
#include "bench/bench.h"
#include "cli/cli.h"
#include "core/choice.h"
#include "core/kernels.h"

#include <stdio.h>

static const BenchSize sizes[] = {
    {"small", {4000, 8000, .emb = 256, .rnn = 512, .att = 512, .maxout = 256}, 64, 20, PANELS_F32},
    {"medium", {16000, 16000, .emb = 512, .rnn = 1024, .att = 1024, .maxout = 512}, 80, 30, PANELS_F32},
    {"paper", {30000, 30000, .emb = 620, .rnn = 1000, .att = 1000, .maxout = 500}, 80, 30, PANELS_F32},
    {"transformer",
     {4000, 8000, .emb = 256, .depth = 3, .decoder_depth = 3, .ffn = 1024, .heads = 4},
     64,
     20,
     PANELS_F32},
};

static const Flag flags[] = {
    {"size", 1, "NAME", "small, medium, paper or transformer (default: all four)",
     .choices = "small|medium|paper|transformer"},
    FLAG_INT("updates", "number of updates to measure", 1, 1000, "10"),
    FLAG_INT("batch", "sentences in a batch (default: the size's own, 64 or 80)", 1, 4096, NULL),
    FLAG_CHOICE("precision", "what products with weights multiply", PRECISIONS, "float32"),
    FLAG_SWITCH("int8", "decode with weights of 8 bits, as a model of `tide quantize`"),
    FLAG_INT("shortlist", "decode with N words for each sentence, as with a shortlist", 1, 4000, NULL),
    FLAG_THREADS,
    FLAG_ISA,
};

enum { PART_KERNELS, PART_GEMM, PART_STEP, PART_DECODE, PARTS };
static const char part_names[] = "kernels|gemm|step|decode";

static int run(const Args *args, Err *err) {
    int count, updates, batch = 0, size = -1, precision;
    BenchDecoding decoding = {.int8 = args_has(args, "int8")};
    bool wanted[PARTS] = {0};
    for (int i = 0; i < args->word_count; i++) {
        const int part = choice_find(part_names, args->words[i]);
        if (part < 0) return usage_error(err, "'%s' is not a part of the benchmark: %s", args->words[i], part_names);
        wanted[part] = true;
    }
    for (int part = 0; part < PARTS && args->word_count == 0; part++) wanted[part] = true;
    if (machine_flags(args, &count, err) || args_int(args, "updates", &updates, err) ||
        args_int(args, "batch", &batch, err) || args_int(args, "shortlist", &decoding.shortlist, err) ||
        args_choice(args, "size", &size, err) || args_choice(args, "precision", &precision, err))
        return -1;
    if (decoding.int8 && precision == PANELS_BF16)
        return usage_error(err, "give either --int8 or --precision bfloat16");
    Threads *threads = threads_new(count);
    printf("%s kernels, %d thread%s, %.0f GFLOP/s of multiply-adds in registers\n", kernels->name, count,
           count > 1 ? "s" : "", bench_peak(threads, (PanelFormat)precision) / 1e9);
    if (wanted[PART_KERNELS]) bench_kernels();
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        BenchSize s = sizes[i];
        if (size >= 0 && size != i) continue;
        if (batch) s.batch = batch;
        s.products = (PanelFormat)precision;
        if (wanted[PART_GEMM] && !s.config.depth) bench_gemm(threads, &s);
        if (wanted[PART_STEP]) bench_step(threads, &s, updates);
        if (wanted[PART_DECODE]) bench_decode(threads, &s, decoding);
        fflush(stdout);
    }
    threads_free(threads);
    return 0;
}

const Command command_bench = {
    .name = "bench",
    .summary = "measure how fast this machine trains and decodes",
    .usage = "[kernels] [gemm] [step] [decode] [flags]",
    .about =
        "Checks the kernels against the portable set and products against plain loops, and measures both; then\n"
        "measures training steps and decoding on random sentences, for RNNsearch in three sizes and for a\n"
        "Transformer. Speeds of products and training are also given in percent of the peak: multiply-adds in\n"
        "registers, measured at that moment. Without names of parts, runs all four parts. Run it on an idle machine.",
    COMMAND_FLAGS(flags),
    .prints = true,
    .word = {.values = MANY, .choices = part_names},
    .examples =
        REMARKS({"tide bench step --size small --threads 1", "Measure training steps of a small model on one core"}),
    .see = "train translate",
    .run = run,
};
