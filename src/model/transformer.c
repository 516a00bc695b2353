/* transformer.c: the decoder of a Transformer: every position attends to itself and the positions before it, then to
   the source (Vaswani et al. 2017, §3). The encoder is self-attention; embeddings and all layers have the width m. */
#include "model/layer.h"
#include "model/model.h"
#include "model/position.h"

#include <stdio.h>
#include <string.h>

typedef struct Layer {
    AttentionLayer self, cross;
    FeedForward ffn;
} Layer;

typedef struct Decoder {
    Var *E; /* [V, m] target embedding */
    Norm last;
    Var *Wo, *bo; /* [m, V], or NULL if the embeddings are tied; [1, V] */
    int depth;
    Layer layers[]; /* [depth] */
} Decoder;

static void configure(ModelConfig *c) {
    c->encoder = encoder_kind("self-attention");
    c->rnn = c->emb;
}

static void *declare(const ModelConfig *c, Params *params, int annotation) {
    CHECK(annotation == c->emb, "transformer: annotations have the width %d, the decoder %d", annotation, c->emb);
    Decoder *d = mem_zalloc(sizeof *d + (size_t)c->decoder_depth * sizeof *d->layers);
    d->depth = c->decoder_depth;
    d->E = params_add_table(params, "decoder.E", c->target_vocab, c->emb, INIT_EMBEDDING, 0.01);
    for (int l = 0; l < d->depth; l++) {
        char name[32];
        snprintf(name, sizeof name, "decoder.%d.self", l + 1);
        d->layers[l].self = attention_layer_declare(params, name, c->emb, c->heads);
        snprintf(name, sizeof name, "decoder.%d.cross", l + 1);
        d->layers[l].cross = attention_layer_declare(params, name, c->emb, c->heads);
        snprintf(name, sizeof name, "decoder.%d.ffn", l + 1);
        d->layers[l].ffn = feed_forward_declare(params, name, c->emb, c->ffn);
    }
    d->last = norm_declare(params, "decoder", c->emb);
    d->Wo = c->tied_embeddings ? NULL : params_add(params, "decoder.Wo", c->emb, c->target_vocab, INIT_NORMAL, 0.01);
    d->bo = params_add(params, "decoder.bo", 1, c->target_vocab, INIT_ZERO, 0);
    return d;
}

static Alignments alignments(const Model *m) { return (Alignments){m->config.decoder_depth, m->config.heads}; }

static const Var *target_embedding(const Model *model) { return ((const Decoder *)model->decoder)->E; }

/* Returns the keys and values of the source for each layer [depth]. */
static KeysValues *project_source(Tape *tape, const Decoder *d, const Annotations *H, const Spans *spans) {
    KeysValues *layers = arena_alloc(&tape->arena, (size_t)d->depth * sizeof *layers);
    for (int l = 0; l < d->depth; l++) layers[l] = multi_head_project(tape, &d->layers[l].cross.heads, H->H, spans);
    return layers;
}

/* √m E y_{i-1} + P, with dropout of E y_{i-1} */
static Var *embed(Tape *tape, const Decoder *d, const int *previous, const int *position, int n, Drop drop) {
    return add_positional_encoding(tape, dropout(tape, gather(tape, d->E, previous, n), drop), position);
}

/* x += MultiHead(norm(x), words), x += MultiHead(norm(x), source), x += FeedForward(norm(x)). `normed` is norm(x) of
   the first sublayer. Returns x, and the weights α of the source. */
static Attended decoder_layer(Tape *tape, const Layer *layer, Var *x, Var *normed, KeysValues words, KeysValues source,
                              bool hard, Drop drop) {
    x = attention_layer(tape, &layer->self, x, normed, words, false, drop).x;
    Attended read = attention_layer(tape, &layer->cross, x, norm(tape, &layer->cross.norm, x), source, hard, drop);
    read.x = feed_forward(tape, &layer->ffn, read.x, drop);
    return read;
}

/* Whether the alignment comes from layer l, counted from 0. */
static bool is_alignment(const Decoder *d, AttentionOptions options, int l) {
    CHECK(options.layer <= d->depth, "attention options: layer %d of %d", options.layer, d->depth);
    return l + 1 == (options.layer ? options.layer : d->depth);
}

/* The target positions, sentence after sentence; Sequences stores them step after step. */
typedef struct Targets {
    Spans before; /* the target positions that each position may attend to */
    Spans source; /* the annotations that each position may attend to */
    const int *position, *previous;
    const RowId *ids;
    const int *rows; /* row i of the Sequences is row rows[i] in this order */
    const RowShards *shards;
} Targets;

static Targets targets_of(Arena *arena, const Batch *batch) {
    const Sequences *y = &batch->target;
    int *start = arena_alloc(arena, (size_t)y->n * sizeof *start),
        *rows = arena_alloc(arena, (size_t)y->rows * sizeof *rows);
    int *previous = arena_alloc(arena, (size_t)y->rows * sizeof *previous),
        *visible = arena_alloc(arena, (size_t)y->rows * sizeof *visible);
    RowId *ids = arena_alloc(arena, (size_t)y->rows * sizeof *ids);
    const RowShards *shards = batch->target_shards;
    int *shard = shards ? arena_alloc(arena, (size_t)y->rows * sizeof *shard) : NULL;
    for (int b = 0, at = 0; b < y->n; b++) {
        start[b] = at;
        for (int t = 0; t < y->length[b]; t++, at++) {
            const int row = sequences_row(y, t, b);
            rows[row] = at;
            previous[at] = batch->previous[row];
            ids[at] = batch->words[row];
            visible[at] = t + 1;
            if (shard) shard[at] = shards->of[row];
        }
    }
    const WordPositions positions =
        word_positions(arena, &(Spans){.start = start, .length = y->length, .longest = y->steps}, y->n, y->rows);
    Targets targets = {positions.spans, batch->source.spans, positions.position, previous, ids, rows, NULL};
    if (shard) targets.shards = row_shards(arena, shard, y->rows, shards->count);
    targets.before.visible = visible;
    targets.source.owner = positions.spans.owner;
    return targets;
}

/* Computes all positions at once. Position i attends to the positions 0..i only. */
static Forced force(Tape *tape, const Model *model, const Batch *batch, Annotations H, const PassOptions *options) {
    const Decoder *d = model->decoder;
    const Sequences *y = &batch->target;
    const Targets targets = targets_of(&tape->arena, batch);
    const KeysValues *source = project_source(tape, d, &H, &targets.source);
    const Dropout *rates = &options->dropout;
    const Drop drop = {rates->annotation, targets.ids};
    tape_shard_rows(tape, targets.shards);
    Var *first = embed(tape, d, targets.previous, targets.position, y->rows, (Drop){rates->embedding, targets.ids});
    Attended x = {first, NULL};
    Var *alpha = NULL;
    for (int l = 0; l < d->depth; l++) {
        const Layer *layer = &d->layers[l];
        Var *normed = norm(tape, &layer->self.norm, x.x);
        const KeysValues words = multi_head_project(tape, &layer->self.heads, normed, &targets.before);
        x = decoder_layer(tape, layer, x.x, normed, words, source[l], options->attention.hard, drop);
        if (is_alignment(d, options->attention, l))
            alpha = attention_alignment(tape, options->attention, model->config.heads, x.alpha, &targets.source);
    }
    alpha = gather(tape, alpha, targets.rows, y->rows);
    Forced forced = {.alpha = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *forced.alpha),
                     .drop = {rates->readout, batch->words}};
    for (int t = 0; t < y->steps; t++) forced.alpha[t] = slice(tape, alpha, y->offset[t], sequences_live(y, t));
    forced.outputs[0] = gather(tape, x.x, targets.rows, y->rows);
    tape_shard_rows(tape, batch->target_shards);
    return forced;
}

/* p(y_i) = softmax(W_o norm(x_i) + b) */
static OutputLayer last_layer(Tape *tape, const Decoder *d, Var *x, Drop drop) {
    Var *h = dropout(tape, norm(tape, &d->last, x), drop);
    return (OutputLayer){.x = h, .W = d->Wo ? d->Wo : d->E, .b = d->bo, .transposed = !d->Wo};
}

static OutputLayer output(Tape *tape, const Model *model, const Forced *forced) {
    return last_layer(tape, model->decoder, forced->outputs[0], forced->drop);
}

/* ---- word by word ------------------------------------------------------------------------------------------------ */

/* The cache of keys and values: a row for each word of each hypothesis so far. Each hypothesis has a list of the rows
   of its words; hypotheses with a common prefix share the rows of this prefix. */
typedef struct State {
    AttentionOptions options;
    Spans spans;        /* of the source */
    KeysValues *source; /* [depth], in the tape's arena, without spans */
    Arena arena;        /* of `layers` */
    int used, capacity; /* rows of `layers` */
    int steps;          /* words of each hypothesis so far */
    int **words;    /* [hypotheses][steps + 1] rows of each word in `layers`; the last one is set by the next step */
    Arena lists[2]; /* `words` lives in lists[list]; reorder reads it there and writes the new one to the other arena */
    int list;
    KeysValues layers[]; /* [depth], each [capacity, m], without spans */
} State;

static DecoderState *begin(Tape *tape, const Model *model, Annotations H, int n, int most, const PassOptions *options) {
    (void)most; /* the lists grow */
    const Decoder *d = model->decoder;
    State *state = mem_zalloc(sizeof *state + (size_t)d->depth * sizeof *state->layers);
    state->options = options->attention;
    state->spans = H.spans;
    state->source = project_source(tape, d, &H, NULL);
    Arena *list = &state->lists[state->list];
    state->words = arena_alloc(list, (size_t)n * sizeof *state->words);
    for (int i = 0; i < n; i++) state->words[i] = arena_alloc(list, sizeof **state->words);
    return state;
}

/* Returns a new matrix [capacity, m]. Its first `used` rows are copies of those of `old`; the others are not set. */
static Var *grow(Arena *arena, const Var *old, int used, int capacity, int m) {
    Var *var = var_in(arena, capacity, m);
    if (used) var_copy_rows(var, 0, old, NULL, used);
    return var;
}

/* Makes room for `rows` more rows in every layer. */
static void make_room(State *state, const Decoder *d, int rows) {
    if (state->used + rows <= state->capacity) return;
    const int capacity = 2 * (state->used + rows), m = d->E->cols;
    for (int l = 0; l < d->depth; l++) {
        KeysValues *layer = &state->layers[l];
        layer->keys = grow(&state->arena, layer->keys, state->used, capacity, m);
        layer->values = grow(&state->arena, layer->values, state->used, capacity, m);
    }
    state->capacity = capacity;
}

static Step step(Tape *tape, const Model *model, DecoderState *decoder_state, Hypotheses h) {
    const Decoder *d = model->decoder;
    State *state = decoder_state;
    make_room(state, d, h.rows);
    int *position = arena_alloc(&tape->arena, (size_t)h.rows * sizeof *position);
    int *visible = arena_alloc(&tape->arena, (size_t)h.rows * sizeof *visible);
    for (int i = 0; i < h.rows; i++) {
        position[i] = state->steps;
        visible[i] = state->steps + 1;
        state->words[i][state->steps] = state->used + i;
    }
    const Spans before = {.visible = visible, .rows = (const int *const *)state->words, .longest = state->steps + 1};
    Spans source = state->spans;
    source.owner = h.owner;
    Attended x = {embed(tape, d, h.previous, position, h.rows, (Drop){0}), NULL};
    Var *alpha = NULL;
    for (int l = 0; l < d->depth; l++) {
        const Layer *layer = &d->layers[l];
        KeysValues words = state->layers[l], read = state->source[l];
        Var *normed = norm(tape, &layer->self.norm, x.x);
        const KeysValues new = multi_head_project(tape, &layer->self.heads, normed, NULL);
        var_copy_rows(words.keys, state->used, new.keys, NULL, h.rows);
        var_copy_rows(words.values, state->used, new.values, NULL, h.rows);
        words.spans = &before;
        read.spans = &source;
        x = decoder_layer(tape, layer, x.x, normed, words, read, state->options.hard, (Drop){0});
        if (is_alignment(d, state->options, l))
            alpha = attention_alignment(tape, state->options, model->config.heads, x.alpha, &source);
    }
    state->used += h.rows;
    state->steps++;
    return (Step){last_layer(tape, d, x.x, (Drop){0}), alpha};
}

static void reorder(DecoderState *decoder_state, const int *parent, int rows) {
    State *state = decoder_state;
    const size_t steps = (size_t)state->steps;
    Arena *list = &state->lists[state->list = !state->list];
    arena_reset(list);
    int **words = arena_alloc(list, (size_t)(rows + 1) * sizeof *words);
    for (int i = 0; i < rows; i++) {
        words[i] = arena_alloc(list, (steps + 1) * sizeof *words[i]);
        memcpy(words[i], state->words[parent[i]], steps * sizeof *words[i]);
    }
    state->words = words;
}

static void end(DecoderState *decoder_state) {
    State *state = decoder_state;
    arena_free(&state->arena);
    for (int i = 0; i < 2; i++) arena_free(&state->lists[i]);
    mem_free(state);
}

const Arch arch_transformer = {.name = "transformer",
                               .configure = configure,
                               .declare = declare,
                               .alignments = alignments,
                               .target_embedding = target_embedding,
                               .force = force,
                               .output = output,
                               .begin = begin,
                               .step = step,
                               .reorder = reorder,
                               .end = end};
