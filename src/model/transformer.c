/* transformer.c: a decoder without recurrence: every word looks at the words before it, then at the source (Vaswani et
   al. 2017, §3). Its encoder is self-attention, as wide as an embedding, m. */
#include "model/layer.h"
#include "model/model.h"
#include "model/position.h"

#include <stdio.h>
#include <string.h>

typedef struct Layer {
    MultiHead self, cross;
    FeedForward ffn;
} Layer;

typedef struct TransformerDecoder {
    Norm last;
    Var *Wo, *bo; /* [m, V] or, where the output is tied, NULL; [1, V] */
    int depth;
    Layer layers[]; /* [depth] */
} Decoder;

static EncoderSizes encoder(Model *m) {
    ModelConfig *c = &m->config;
    c->encoder = encoder_kind("self-attention");
    return (EncoderSizes){c->emb, c->emb, c->depth, c->heads, c->ffn, c->window};
}

static void declare(Model *m) {
    const ModelConfig *c = &m->config;
    Params *params = &m->params;
    Decoder *d = m->transformer = mem_zalloc(sizeof *d + (size_t)c->decoder_depth * sizeof *d->layers);
    d->depth = c->decoder_depth;
    m->E = params_add(params, "decoder.E", c->target_vocab, c->emb, INIT_EMBEDDING, 0.01);
    for (int l = 0; l < d->depth; l++) {
        char name[32];
        snprintf(name, sizeof name, "decoder.%d.self", l + 1);
        d->layers[l].self = multi_head_declare(params, name, c->emb, c->heads);
        snprintf(name, sizeof name, "decoder.%d.cross", l + 1);
        d->layers[l].cross = multi_head_declare(params, name, c->emb, c->heads);
        snprintf(name, sizeof name, "decoder.%d.ffn", l + 1);
        d->layers[l].ffn = feed_forward_declare(params, name, c->emb, c->ffn);
    }
    d->last = norm_declare(params, "decoder", c->emb);
    d->Wo = c->tied_embeddings ? NULL : params_add(params, "decoder.Wo", c->emb, c->target_vocab, INIT_NORMAL, 0.01);
    d->bo = params_add(params, "decoder.bo", 1, c->target_vocab, INIT_ZERO, 0);
}

static void release(Model *m) { mem_free(m->transformer); }

static Alignments alignments(const Model *m) { return (Alignments){m->config.decoder_depth, m->config.heads}; }

/* Every layer's keys and values of the source: those who ask know which are theirs. */
static void prepare(Tape *tape, const Model *m, Annotations *H) {
    const Decoder *d = m->transformer;
    H->memory = arena_alloc(&tape->arena, (size_t)d->depth * sizeof *H->memory);
    for (int l = 0; l < d->depth; l++) H->memory[l] = multi_head_memory(tape, &d->layers[l].cross, H->H, NULL);
}

/* √m E y + P */
static Var *enter(Tape *tape, const Model *m, const int *previous, const int *position, int n) {
    Var *Ey = dropout(tape, gather(tape, m->E, previous, n), m->config.dropout_embedding);
    return positioned(tape, Ey, position);
}

/* x += MultiHead(x, memory of the words so far), x += MultiHead(x, memory of the source), x += FeedForward(x) */
static Attended through(Tape *tape, const Model *m, const Layer *layer, Var *x, Var *normed, Memory words,
                        Memory source) {
    const double drop = m->config.dropout_annotation;
    MultiHead cross = layer->cross;
    cross.hard = m->attention.reading.hard;
    x = multi_head(tape, &layer->self, x, normed, words, drop).x;
    Attended looked = multi_head(tape, &cross, x, norm(tape, &cross.norm, x), source, drop);
    looked.x = feed_forward(tape, &layer->ffn, looked.x, drop);
    return looked;
}

/* Whether the l-th layer's weights, counted from 0, are the alignment. */
static bool is_read(const Model *m, int l) {
    const int layer = m->attention.reading.layer;
    CHECK(layer <= m->transformer->depth, "layer %d of %d", layer, m->transformer->depth);
    return l + 1 == (layer ? layer : m->transformer->depth);
}

static Var *alignment(Tape *tape, const Model *m, Var *alpha, const Spans *spans) {
    return attention_alignment(tape, m->attention.reading, m->config.heads, alpha, spans);
}

/* The same keys and values, for other queries. */
static Memory for_queries(Memory memory, const Spans *spans) {
    memory.spans = spans;
    return memory;
}

/* The target's words as they lie sentence after sentence, where its sequences lie step after step. */
typedef struct Targets {
    Spans before, source; /* what each of them may look at */
    const int *position, *previous;
    const int *rows; /* [rows] of each of the sequences' rows, the word here */
} Targets;

static Targets targets_of(Arena *arena, const Batch *batch) {
    const Sequences *y = &batch->target;
    int *start = arena_alloc(arena, (size_t)y->n * sizeof *start),
        *rows = arena_alloc(arena, (size_t)y->rows * sizeof *rows);
    int *previous = arena_alloc(arena, (size_t)y->rows * sizeof *previous),
        *seen = arena_alloc(arena, (size_t)y->rows * sizeof *seen);
    for (int b = 0, at = 0; b < y->n; b++) {
        start[b] = at;
        for (int t = 0; t < y->length[b]; t++, at++) {
            rows[sequences_row(y, t, b)] = at;
            previous[at] = batch->previous[sequences_row(y, t, b)];
            seen[at] = t + 1;
        }
    }
    const Places places =
        places_of(arena, &(Spans){.start = start, .length = y->length, .longest = y->steps}, y->n, y->rows);
    Targets targets = {places.spans, batch->source.spans, places.position, previous, rows};
    targets.before.seen = seen;
    targets.source.owner = places.spans.owner;
    return targets;
}

/* All positions at once: word i looks at the words up to i alone, so it cannot know those that are to come. */
static Forced force(Tape *tape, const Model *m, const Batch *batch, const Annotations *H) {
    const Decoder *d = m->transformer;
    const Sequences *y = &batch->target;
    const Targets targets = targets_of(&tape->arena, batch);
    Attended x = {enter(tape, m, targets.previous, targets.position, y->rows), NULL};
    Var *alpha = NULL;
    for (int l = 0; l < d->depth; l++) {
        const Layer *layer = &d->layers[l];
        Var *normed = norm(tape, &layer->self.norm, x.x);
        Memory words = multi_head_memory(tape, &layer->self, normed, &targets.before);
        x = through(tape, m, layer, x.x, normed, words, for_queries(H->memory[l], &targets.source));
        if (is_read(m, l)) alpha = alignment(tape, m, x.alpha, &targets.source);
    }
    alpha = gather(tape, alpha, targets.rows, y->rows);
    Forced forced = {.alpha = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *forced.alpha)};
    for (int t = 0; t < y->steps; t++) forced.alpha[t] = slice(tape, alpha, y->offset[t], sequences_live(y, t));
    forced.s = gather(tape, x.x, targets.rows, y->rows);
    return forced;
}

/* p(y_i) = softmax(W_o norm(x_i) + b) */
static Var *output(Tape *tape, const Model *m, Var *x) {
    const Decoder *d = m->transformer;
    Var *h = dropout(tape, norm(tape, &d->last, x), m->config.dropout_readout);
    return d->Wo ? linear(tape, h, d->Wo, d->bo) : linear_transposed(tape, h, m->E, d->bo);
}

static Var *logits(Tape *tape, const Model *m, const Forced *forced) { return output(tape, m, forced->s); }

/* ---- word by word ------------------------------------------------------------------------------------------------ */

/* The keys and values of all words of all hypotheses so far, so that none is computed twice. A hypothesis knows which
   of them are its own: where two have a beginning in common, they share it. */
typedef struct Cache {
    Arena arena;
    int used, capacity, steps;
    int **words;    /* [hypotheses][steps, and room for one] rows of each layer's keys and values, in lists[list]: */
    Arena lists[2]; /* the next ones are written from them into the other */
    int list;
    Memory layers[];
} Cache;

static Past begin(Tape *tape, const Model *m, const Annotations *H, int n, int most) {
    (void)tape, (void)H, (void)most;
    Cache *cache = mem_zalloc(sizeof *cache + (size_t)m->transformer->depth * sizeof *cache->layers);
    Arena *list = &cache->lists[cache->list];
    cache->words = arena_alloc(list, (size_t)n * sizeof *cache->words);
    for (int i = 0; i < n; i++) cache->words[i] = arena_alloc(list, sizeof **cache->words);
    return (Past){.cache = cache};
}

static Var *grown(Arena *arena, const Var *old, int used, int capacity, int m) {
    Var *var = arena_alloc(arena, sizeof *var);
    *var = (Var){.rows = capacity, .cols = m};
    var->v = arena_alloc(arena, (size_t)capacity * (size_t)m * sizeof(real));
    if (used) memcpy(var->v, old->v, (size_t)used * (size_t)m * sizeof(real));
    return var;
}

static void make_room(Cache *cache, const Model *m, int rows) {
    if (cache->used + rows <= cache->capacity) return;
    const int capacity = 2 * (cache->used + rows);
    for (int l = 0; l < m->transformer->depth; l++) {
        Memory *layer = &cache->layers[l];
        layer->keys = grown(&cache->arena, layer->keys, cache->used, capacity, m->config.emb);
        layer->values = grown(&cache->arena, layer->values, cache->used, capacity, m->config.emb);
    }
    cache->capacity = capacity;
}

static void keep(Var *all, int used, const Var *rows) {
    memcpy(all->v + (size_t)used * (size_t)all->cols, rows->v, (size_t)rows->rows * (size_t)rows->cols * sizeof(real));
}

static Step step(Tape *tape, const Model *m, const Annotations *H, const int *previous, int rows, Past *past) {
    const Decoder *d = m->transformer;
    Cache *cache = past->cache;
    make_room(cache, m, rows);
    int *position = arena_alloc(&tape->arena, (size_t)rows * sizeof *position);
    int *seen = arena_alloc(&tape->arena, (size_t)rows * sizeof *seen);
    for (int i = 0; i < rows; i++) {
        position[i] = cache->steps;
        seen[i] = cache->steps + 1;
        cache->words[i][cache->steps] = cache->used + i;
    }
    const Spans before = {.seen = seen, .rows = (const int *const *)cache->words, .longest = cache->steps + 1};
    Attended x = {enter(tape, m, previous, position, rows), NULL};
    Var *alpha = NULL;
    for (int l = 0; l < d->depth; l++) {
        const Layer *layer = &d->layers[l];
        Var *normed = norm(tape, &layer->self.norm, x.x);
        Memory new = multi_head_memory(tape, &layer->self, normed, NULL);
        keep(cache->layers[l].keys, cache->used, new.keys);
        keep(cache->layers[l].values, cache->used, new.values);
        x = through(tape, m, layer, x.x, normed, for_queries(cache->layers[l], &before),
                    for_queries(H->memory[l], &H->spans));
        if (is_read(m, l)) alpha = alignment(tape, m, x.alpha, &H->spans);
    }
    cache->used += rows;
    cache->steps++;
    return (Step){output(tape, m, x.x), alpha};
}

static void follow(Past *past, const int *parent, int rows) {
    Cache *cache = past->cache;
    const size_t steps = (size_t)cache->steps;
    Arena *list = &cache->lists[cache->list = !cache->list];
    arena_reset(list);
    int **words = arena_alloc(list, (size_t)(rows + 1) * sizeof *words);
    for (int i = 0; i < rows; i++) {
        words[i] = arena_alloc(list, (steps + 1) * sizeof *words[i]);
        memcpy(words[i], cache->words[parent[i]], steps * sizeof *words[i]);
    }
    cache->words = words;
}

static void end(Past *past) {
    arena_free(&past->cache->arena);
    for (int i = 0; i < 2; i++) arena_free(&past->cache->lists[i]);
    mem_free(past->cache);
}

const Arch arch_transformer = {"transformer", encoder, declare, release, alignments, prepare,
                               force,         logits,  begin,   step,    follow,     end};
