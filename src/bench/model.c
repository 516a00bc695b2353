/* tide bench step and decode: training steps and decoding on random sentences of equal length. */
#include "bench/bench.h"
#include "io/system.h"
#include "model/beam.h"
#include "text/vocab.h"
#include "train/update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double bench_flops(const ModelConfig *c) {
    double n = c->rnn, m = c->emb;
    if (c->depth) return 6 * (c->depth * (12 * m * m + 4 * m * c->ffn) + m * c->target_vocab);
    double encoder = 2 * (m * 3 * n + 3 * n * n) + 2 * n * c->att;
    double c_and_f = n * c->att + m * 3 * n + 2 * n * 3 * n + 3 * n * n;
    double g = (n + m + 2 * n) * 2 * c->maxout + (double)c->maxout * c->target_vocab;
    return 6 * (encoder + c_and_f + g);
}

/* ---- a model and random sentences ------------------------------------------------------------------------------ */

/* A model with random weights, its tape, and a batch of sentences: ids, start of each row, length of each row. */
typedef struct Subject {
    const BenchSize *size;
    Model model;
    Tape tape;
    int *ids[2];
    const int **rows[2];
    int *length;
} Subject;

enum { MOST_INT8 = 127 };
static const double most_weight = 0.05;

/* A read-only model with 8 bits for each weight of a matrix. */
static void draw_integers(Params *params, Rng *rng) {
    for (int i = 0; i < params->count; i++) param_use_int8(params->list[i], params->list[i]->table);
    params_share(params);
    for (int i = 0; i < params->count; i++) {
        Param *param = params->list[i];
        const size_t n = var_size(&param->var),
                     scale_count = (size_t)(param->table ? param->var.rows : param->var.cols);
        void *values = mem_zalloc(n * sizeof(real)); /* other parameters are zero */
        int8_t *integers = values;
        float *scales = mem_alloc(scale_count * sizeof *scales);
        for (size_t j = 0; j < n && param->int8; j++)
            integers[j] = (int8_t)((int)rng_below(rng, 2 * MOST_INT8 + 1) - MOST_INT8);
        for (size_t j = 0; j < scale_count; j++) scales[j] = (float)(most_weight / MOST_INT8);
        param_write(param, 0, values, param->int8 ? scales : NULL, n);
        mem_free(values);
        mem_free(scales);
    }
}

static void draw_floats(Params *params, Rng *rng) {
    params_allocate(params);
    for (size_t i = 0; i < params->size; i++) params->values[i] = (real)(most_weight * (2 * rng_uniform(rng) - 1));
}

static void subject_begin(Subject *s, const BenchSize *size, Threads *threads, bool int8) {
    ModelConfig config = size->config;
    config.attention = attention_kind("additive");
    config.arch = arch_named(config.depth ? "transformer" : "rnnsearch");
    *s = (Subject){.size = size};
    model_init(&s->model, &config);
    tape_init(&s->tape, threads, rng_seed(1, 0));
    s->tape.products = size->products;
    Rng rng = rng_seed(1, 1);
    if (int8) draw_integers(&s->model.params, &rng);
    else draw_floats(&s->model.params, &rng);
    s->length = mem_alloc((size_t)size->batch * sizeof *s->length);
    for (int b = 0; b < size->batch; b++) s->length[b] = size->length;
    for (int side = 0; side < 2; side++) {
        int words = size->batch * size->length, vocab = side ? size->config.target_vocab : size->config.source_vocab;
        s->ids[side] = mem_alloc((size_t)words * sizeof(int));
        s->rows[side] = mem_alloc((size_t)size->batch * sizeof(int *));
        for (int i = 0; i < words; i++) s->ids[side][i] = (int)rng_below(&rng, (uint32_t)vocab);
        for (int b = 0; b < size->batch; b++) s->rows[side][b] = s->ids[side] + (size_t)b * (size_t)size->length;
    }
}

static void subject_end(Subject *s) {
    tape_free(&s->tape);
    model_free(&s->model);
    mem_free(s->length);
    for (int side = 0; side < 2; side++) {
        mem_free(s->ids[side]);
        mem_free(s->rows[side]);
    }
}

/* ---- training ------------------------------------------------------------------------------------------------- */

static int longest_first(const void *left, const void *right) {
    const Tally *a = left, *b = right;
    return a->seconds > b->seconds ? -1 : a->seconds < b->seconds;
}

static void print_shares(Threads *threads, double all) {
    int count;
    const Tally *found = threads_tallies(threads, &count);
    Tally *tallies = mem_alloc((size_t)count * sizeof *tallies);
    memcpy(tallies, found, (size_t)count * sizeof *tallies);
    qsort(tallies, (size_t)count, sizeof *tallies, longest_first);
    double seen = 0, waiting = 0;
    for (int i = 0; i < count; i++) {
        seen += tallies[i].seconds;
        waiting += tallies[i].seconds - tallies[i].busy / threads_count(threads);
        printf("    %-18s %5.1f %%   (%4.1f %% of this is waiting)\n", tallies[i].name, 100 * tallies[i].seconds / all,
               100 * (1 - tallies[i].busy / threads_count(threads) / tallies[i].seconds));
    }
    printf("    %-18s %5.1f %%\n", "serial code", 100 * (1 - seen / all));
    printf("    in parallel code, a thread waited for other threads during %.1f %% of the time\n", 100 * waiting / all);
    mem_free(tallies);
}

void bench_step(Threads *threads, const BenchSize *size, int updates) {
    Subject s;
    Optimizer optimizer;
    const UpdateOptions options = {.step = {.rate = 1e-3, .clip_norm = 1}, .products = size->products};
    enum { WARM = 2, MOST = 1000 };
    double seconds[MOST] = {0}, all = 0, tokens = (double)size->batch * size->length;
    subject_begin(&s, size, threads, false);
    params_optimizer(&s.model.params, optimizer_kind("adam"), &optimizer);
    for (int i = 0; i < updates + WARM; i++) {
        if (i == WARM) threads_profile(threads, true);
        double began = seconds_now();
        tape_reset(&s.tape);
        Batch batch = batch_fold(&s.tape.arena, s.rows[0], s.length, s.rows[1], s.length, size->batch, NULL, ID_BOS);
        double nats, norm;
        Err err;
        update_gradients(&s.tape, &s.model, &batch, &options, &nats);
        update_step(&s.tape, &s.model, &optimizer, NULL, nats, &options, &norm, &err);
        if (i >= WARM) all += seconds[i - WARM] = seconds_now() - began;
    }
    threads_profile(threads, false);
    double median = bench_median(seconds, updates);
    double peak = bench_peak(threads, size->products), speed = bench_flops(&size->config) * tokens / median;
    printf("train %-11s %6.0f target tokens/s (slowest %.0f, fastest %.0f)   %5.1f GFLOP/s, %.0f %% of %.0f   "
           "peak memory so far %ld MiB\n",
           size->name, tokens / median, tokens / seconds[updates - 1], tokens / seconds[0], speed / 1e9,
           100 * speed / peak, peak / 1e9, (long)memory_peak() >> 20);
    print_shares(threads, all);
    optimizer_free(&optimizer);
    subject_end(&s);
}

/* ---- decoding ------------------------------------------------------------------------------------------------- */

/* Translates the first `sentences` sentences and returns the seconds. </s> is banned, so each translation is as long as
   its source. */
static double decode_once(Subject *s, int sentences, int beam, const ColumnSet *shortlists) {
    static const int never[] = {ID_PAD, ID_UNK, ID_BOS, ID_EOS};
    const BenchSize *size = s->size;
    const BeamOptions options = {.beam = beam,
                                 .normalize = 0.6,
                                 .length_limit = (size->length - 9.5) / size->length,
                                 .bos = ID_BOS,
                                 .eos = ID_EOS,
                                 .shortlists = shortlists,
                                 .banned = never,
                                 .banned_count = sizeof never / sizeof *never};
    const Model *model = &s->model;
    Arena out = {0};
    double began = seconds_now();
    const Nbest *found =
        beam_search(&s->tape, (Ensemble){&model, 1}, s->rows[0], s->length, sentences, &options, &out, NULL);
    double seconds = seconds_now() - began;
    for (int i = 0; i < sentences; i++)
        CHECK(found[i].count == beam && found[i].list->length == size->length, "decode: %d translations, of %d words",
              found[i].count, found[i].count ? found[i].list->length : 0);
    arena_free(&out);
    return seconds;
}

/* For each sentence as many words, spread over the vocabulary; owned by the caller. NULL: all words. */
static ColumnSet *shortlists_of(const BenchSize *size, int words, int **ids) {
    *ids = mem_alloc((size_t)(words + 1) * sizeof **ids);
    if (words == 0) return NULL;
    ColumnSet *sets = mem_alloc((size_t)size->batch * sizeof *sets);
    for (int i = 0; i < words; i++) (*ids)[i] = (int)((int64_t)i * size->config.target_vocab / words);
    for (int b = 0; b < size->batch; b++) sets[b] = (ColumnSet){*ids, words};
    return sets;
}

void bench_decode(Threads *threads, const BenchSize *size, BenchDecoding decoding) {
    static const int beams[] = {1, 5};
    Subject s;
    int *ids;
    ColumnSet *shortlists = shortlists_of(size, decoding.shortlist, &ids);
    subject_begin(&s, size, threads, decoding.int8);
    for (int k = 0; k < 4; k++) {
        enum { REPEATS = 5 };
        double seconds[REPEATS];
        int sentences = k < 2 ? size->batch : 1, beam = beams[k % 2];
        decode_once(&s, sentences, beam, shortlists); /* packs the weights; later calls use the packed ones */
        for (int i = 0; i < REPEATS; i++) seconds[i] = decode_once(&s, sentences, beam, shortlists);
        double median = bench_median(seconds, REPEATS);
        printf("decode %-11s beam %d, %2d at once: %7.1f sentences/s (slowest %.1f, fastest %.1f)\n", size->name, beam,
               sentences, sentences / median, sentences / seconds[REPEATS - 1], sentences / seconds[0]);
    }
    mem_free(shortlists);
    mem_free(ids);
    subject_end(&s);
}
