/* usage: bits
   Trains models of all kinds and decodes with them, once with each kernel set of this machine, with products of float
   and of bfloat16. Prints a line for each: the kernel set, the kind and, if it is bfloat16, the precision, and a hash
   of all losses, weights, ids, log probabilities and scores. The paper's model must have the same hash with three
   threads. neon.sh and wasm.sh of tests/e2e compare the hashes of two machines. Uses only core/ and model/, which need
   no library that another machine may lack. */
#include "core/kernels.h"
#include "model/beam.h"
#include "sets.h"
#include "training.h"

#include <inttypes.h>
#include <stdio.h>

/* Small, because an emulator is a hundred times slower. */
enum { EOS = 3, BATCH = 37, SMALL_BATCH = 9, SOURCES = 6 };

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    for (const unsigned char *p = bytes, *end = p + size; p < end; p++) hash = (hash ^ *p) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_decoding(uint64_t hash, Training *t, int beam) {
    static Sentences source;
    static const int banned[] = {0, 1, BOS};
    const BeamOptions options = {beam, .normalize = 0.6, .length_limit = 1, BOS, EOS, banned, 3};
    const Model *model = &t->model;
    Arena out = {0};
    Rng rng = rng_seed(5, 1);
    sentences_draw(&source, &rng);
    t->tape.recording = false;
    t->tape.products = t->products;
    Nbest *found =
        beam_search(&t->tape, (Ensemble){&model, 1}, source.rows, source.length, SOURCES, &options, &out, NULL);
    for (int i = 0; i < SOURCES; i++)
        for (int k = 0; k < found[i].count; k++) {
            const Hypothesis *h = &found[i].list[k];
            hash = hash_bytes(hash, h->ids, (size_t)h->length * sizeof *h->ids);
            hash = hash_bytes(hash, &h->log_probability, sizeof h->log_probability);
            hash = hash_bytes(hash, &h->score, sizeof h->score);
        }
    tape_reset(&t->tape);
    arena_free(&out);
    return hash;
}

static uint64_t hash_run(const char *kind, PanelFormat products, int batch, int threads) {
    uint64_t hash = 0xcbf29ce484222325u;
    Training t;
    training_begin(&t, kind, batch, threads);
    t.products = products;
    for (uint64_t update = 0; update < UPDATES; update++) {
        double nats = training_step(&t, update);
        hash = hash_bytes(hash, &nats, sizeof nats);
    }
    hash = hash_bytes(hash, t.model.params.values, t.model.params.size * sizeof(real));
    hash = hash_decoding(hash_decoding(hash, &t, 1), &t, 4);
    training_end(&t);
    return hash;
}

/* Returns whether the hash depends on the number of threads. */
static int print_hash(const char *kind, PanelFormat products, int batch) {
    const char *precision = products == PANELS_BF16 ? "-bfloat16" : "";
    const uint64_t alone = hash_run(kind, products, batch, 1);
    printf("%s %s%s %016" PRIx64 "\n", kernels->name, kind, precision, alone);
    if (batch != BATCH) return 0;
    const uint64_t shared = hash_run(kind, products, batch, 3);
    if (shared == alone) return 0;
    printf("%s %s%s %016" PRIx64 " with 3 threads\n", kernels->name, kind, precision, shared);
    return 1;
}

int main(void) {
    static const char *const kinds[] = {"additive", "dot", "general",        "scaled-dot",  "multi-head", "none",
                                        "gru",      "cnn", "self-attention", "transformer", "deep-bigru", "coverage"};
    int failed = 0;
    for (int set = 0; (kernels = distinct_set(set, PANELS_BF16)); set++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            failed |= print_hash(kinds[i], PANELS_F32, i ? SMALL_BATCH : BATCH);
            failed |= print_hash(kinds[i], PANELS_BF16, i ? SMALL_BATCH : BATCH);
        }
    return failed;
}
