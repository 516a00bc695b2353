/* encoder_cnn.c: a convolutional encoder; each layer widens the context of an annotation (Gehring et al. 2017, "A
   convolutional encoder model for neural machine translation", §3.2). */
#include "model/encoder.h"
#include "model/position.h"

#include <stdio.h>

typedef struct Layer {
    Var *W, *b; /* [k n, n], [1, n] */
} Layer;

typedef struct Cnn {
    Var *W;         /* [m, n] */
    Layer layers[]; /* [depth] */
} Cnn;

static void declare(Encoder *m, Params *params) {
    const ModelConfig *c = &m->config;
    const int n = m->width = c->rnn;
    CHECK(c->window % 2 == 1, "encoder cnn: the window of %d words is not odd", c->window);
    Cnn *cnn = m->weights = mem_zalloc(sizeof *cnn + (size_t)c->depth * sizeof *cnn->layers);
    cnn->W = params_add(params, "encoder.W", c->emb, n, INIT_NORMAL, 0.01);
    for (int l = 0; l < c->depth; l++) {
        char name[32];
        snprintf(name, sizeof name, "encoder.%d", l + 1);
        cnn->layers[l].W = params_add_part(params, name, "W", c->window * n, n, INIT_NORMAL, 0.01);
        cnn->layers[l].b = params_add_part(params, name, "b", 1, n, INIT_ZERO, 0);
    }
}

/* index[i] is the row of the word at distance `offset` from word i; -1 if it is not in the sentence of word i. */
static const int *neighbours(Arena *arena, const WordPositions *positions, int rows, int offset) {
    int *index = arena_alloc(arena, (size_t)rows * sizeof *index);
    for (int i = 0; i < rows; i++) {
        const int at = positions->position[i] + offset;
        index[i] = at >= 0 && at < positions->spans.length[positions->spans.owner[i]] ? i + offset : -1;
    }
    return index;
}

/* x_j = W (√m E w_j + P_j);  in each layer x_j += tanh(W_l [x_{j-k/2}; ...; x_j; ...; x_{j+k/2}] + b_l), where words
   outside the sentence are zero;  h_j = x_j */
static Annotations annotate(Tape *tape, const Encoder *m, const Source *source, Var *Ew, const Dropout *rates) {
    const Cnn *cnn = m->weights;
    const int rows = source->x.rows, k = m->config.window;
    const WordPositions positions = word_positions(&tape->arena, &source->spans, source->x.n, rows);
    const int **index = arena_alloc(&tape->arena, (size_t)k * sizeof *index);
    for (int o = 0; o < k; o++) index[o] = neighbours(&tape->arena, &positions, rows, o - k / 2);
    tape_shard_rows(tape, source->annotation_shards);
    Var *x = linear(tape, add_positional_encoding(tape, gather(tape, Ew, source->rows, rows), positions.position),
                    cnn->W, NULL);
    for (const Layer *layer = cnn->layers; layer < cnn->layers + m->config.depth; layer++) {
        Var *y = tanh_of(tape, linear(tape, im2col(tape, x, index, k, rows), layer->W, layer->b));
        x = add_scaled(tape, x, 1, dropout(tape, y, (Drop){rates->annotation, source->annotations}));
    }
    return (Annotations){.H = x, .summary = encoder_mean(tape, x, &source->spans, source->x.n)};
}

const EncoderKind encoder_cnn = {"cnn", declare, annotate};
