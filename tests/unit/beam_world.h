/* beam_world.h: small models with random weights, and searches with them, on ids. Requires cmocka.h. */
#ifndef TIDE_TESTS_BEAM_WORLD_H
#define TIDE_TESTS_BEAM_WORLD_H

#include "kinds.h"
#include "model/beam.h"

#include <math.h>
#include <string.h>

enum { VOCAB = 9, PAD = 0, UNK = 1, BOS = 2, EOS = 3, SENTENCES = 5 };

static const int source_ids[SENTENCES][8] = {
    {4, 5, 6, EOS}, {7, EOS}, {8, 4, 4, 5, 7, 6, EOS}, {5, 5, EOS}, {6, 8, EOS}};
static const int lengths[SENTENCES] = {4, 2, 7, 3, 3};
static const int banned[] = {PAD, UNK, BOS};
static const int *const sources[SENTENCES] = {source_ids[0], source_ids[1], source_ids[2], source_ids[3],
                                              source_ids[4]};

typedef struct World {
    Threads *threads;
    Tape tape;
    Model model;
    const Model *models[3]; /* the ensemble: the model above and those that a test adds */
    int count;
    AttentionOptions attention; /* for searches and forced decoding */
    Arena out;
} World;

/* Draws weights from N(0, scale²). */
static inline void draw(real *block, size_t size, double scale, uint64_t seed) {
    Rng rng = rng_seed(seed, 0);
    for (size_t i = 0; i < size; i++) block[i] = (real)(scale * rng_normal(&rng));
}

/* Sets shared weights, for tapes that only read them. */
static inline void write_shared(Params *params, const real *block) {
    params_share(params);
    for (int i = 0; i < params->count; i++) {
        Param *p = params->list[i];
        param_write(p, 0, block + p->offset, NULL, var_size(&p->var));
    }
}

/* Draws shared weights. */
static inline void draw_shared(Params *params, double scale, uint64_t seed) {
    real *block = mem_alloc(params->size * sizeof *block);
    draw(block, params->size, scale, seed);
    write_shared(params, block);
    mem_free(block);
}

/* Draws the same weights for a model that can be trained. */
static inline void draw_trained(Params *params, double scale, uint64_t seed) {
    params_allocate(params);
    draw(params->values, params->size, scale, seed);
}

/* Makes a model, but does not allocate its weights. */
static inline void init_model(Model *model, const char *kind, bool readout_prev, int rnn) {
    ModelConfig config = {.source_vocab = VOCAB,
                          .target_vocab = VOCAB,
                          .emb = 6,
                          .rnn = rnn,
                          .att = 6,
                          .maxout = 4,
                          .readout_prev = readout_prev,
                          .heads = 2};
    choose_kind(&config, kind);
    model_init(model, &config);
}

/* Standard deviation of the weights: so large that no distribution is close to uniform. */
static const double LARGE = 0.6;
static inline void draw_model(Model *model, const char *kind, bool readout_prev, int rnn, uint64_t seed) {
    init_model(model, kind, readout_prev, rnn);
    draw_shared(&model->params, LARGE, seed);
}

static inline void begin(World *w, const char *kind, bool readout_prev) {
    *w = (World){.threads = threads_new(2), .models = {&w->model}, .count = 1};
    tape_init(&w->tape, w->threads, rng_seed(1, 1));
    draw_model(&w->model, kind, readout_prev, 8, 7);
}

static inline void end(World *w) {
    tape_free(&w->tape);
    model_free(&w->model);
    threads_free(w->threads);
    arena_free(&w->out);
}

static inline BeamOptions options(int beam, double normalize) {
    return (BeamOptions){.beam = beam,
                         .normalize = normalize,
                         .length_limit = 1,
                         .alignments = beam,
                         .bos = BOS,
                         .eos = EOS,
                         .banned = banned,
                         .banned_count = 3};
}

static inline Nbest *search(World *w, const int *const *ids, const int *length, int n, const BeamOptions *o) {
    BeamOptions options = *o;
    options.attention = w->attention;
    return beam_search(&w->tape, (Ensemble){w->models, w->count}, ids, length, n, &options, &w->out, NULL);
}

/* Checks that the hypotheses are the same bit for bit. */
static inline void check_same(const Nbest *a, const Nbest *b, int width) {
    assert_int_equal(a->count, b->count);
    for (int k = 0; k < a->count; k++) {
        const Hypothesis *x = &a->list[k], *y = &b->list[k];
        assert_int_equal(x->length, y->length);
        assert_memory_equal(x->ids, y->ids, (size_t)x->length * sizeof(int));
        assert_memory_equal(&x->score, &y->score, sizeof(double));
        assert_true(!x->alpha == !y->alpha);
        if (x->alpha) assert_memory_equal(x->alpha, y->alpha, (size_t)(x->length * width) * sizeof(real));
    }
}

static inline double mean_logit(const real *const *x, int count, int id) {
    double sum = 0;
    for (int m = 0; m < count; m++) sum += (double)x[m][id];
    return sum / count;
}

/* Returns log p(id) under the normalised geometric mean of the distributions of `count` models with logits x. */
static inline double log_softmax(const real *const *x, int count, int words, int id) {
    double ratios = 1; /* Σ_k p(k) / p(id) */
    for (int k = 0; k < words; k++)
        if (k != id) ratios += exp(mean_logit(x, count, k) - mean_logit(x, count, id));
    return -log(ratios);
}

/* Checks alpha against row i of the mean of the alignments, over the models with attention. */
static inline void check_alpha(const World *w, const Forced *forced, int i, int width, const real *alpha) {
    int count = 0;
    for (int m = 0; m < w->count; m++) count += forced[m].alpha[i] != NULL;
    assert_true((alpha != NULL) == (count > 0));
    for (int j = 0; alpha && j < width; j++) {
        double sum = 0;
        for (int m = 0; m < w->count; m++)
            if (forced[m].alpha[i]) sum += (double)forced[m].alpha[i]->v[j];
        assert_true(fabs(sum / count - (double)alpha[j]) < 1e-5);
    }
}

/* Checks that forced decoding of a hypothesis gives the probability and the alignment that the search reported. */
static inline void check_forced(World *w, int sentence, const Hypothesis *h) {
    const int width = lengths[sentence], words = w->model.config.target_vocab;
    TapeMark mark = tape_mark(&w->tape);
    Batch batch = batch_fold(&w->tape.arena, &sources[sentence], &width, &h->ids, &h->length, 1, NULL, BOS);
    Forced forced[3];
    const real *logits[3];
    for (int m = 0; m < w->count; m++) {
        forced[m] = model_force(&w->tape, w->models[m], &batch, &(PassOptions){.attention = w->attention});
        logits[m] = output_logits(&w->tape, model_output(&w->tape, w->models[m], &forced[m]), NULL, NULL)->v;
    }
    double log_probability = 0;
    for (int i = 0; i < h->length; i++) {
        log_probability += log_softmax(logits, w->count, words, h->ids[i]);
        check_alpha(w, forced, i, width, h->alpha ? h->alpha + (size_t)(i * width) : NULL);
        for (int m = 0; m < w->count; m++) logits[m] += words;
    }
    assert_true(fabs(log_probability - h->log_probability) < 1e-4);
    tape_rewind(&w->tape, mark);
}

#endif
