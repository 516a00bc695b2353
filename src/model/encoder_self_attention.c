/* encoder_self_attention.c: the encoder of a Transformer: every word attends to all words of its sentence (Vaswani et
   al. 2017, §3.1). */
#include "model/encoder.h"
#include "model/layer.h"
#include "model/position.h"

#include <stdio.h>

typedef struct Layer {
    AttentionLayer attention;
    FeedForward ffn;
} Layer;

typedef struct Stack {
    Var *W; /* [m, n]; NULL if m = n */
    Norm last;
    Layer layers[]; /* [depth] */
} Stack;

static void declare(Encoder *m, Params *params) {
    const ModelConfig *c = &m->config;
    const int n = m->width = c->rnn;
    Stack *stack = m->weights = mem_zalloc(sizeof *stack + (size_t)c->depth * sizeof *stack->layers);
    if (c->emb != n) stack->W = params_add(params, "encoder.W", c->emb, n, INIT_NORMAL, 0.01);
    for (int l = 0; l < c->depth; l++) {
        char name[32];
        snprintf(name, sizeof name, "encoder.%d.self", l + 1);
        stack->layers[l].attention = attention_layer_declare(params, name, n, c->heads);
        snprintf(name, sizeof name, "encoder.%d.ffn", l + 1);
        stack->layers[l].ffn = feed_forward_declare(params, name, n, c->ffn);
    }
    stack->last = norm_declare(params, "encoder", n);
}

/* x = W (√m E w + P), or √m E w + P if m = n;  in each layer x += MultiHead(norm(x)), x += FeedForward(norm(x));
   H = norm(x) */
static Annotations annotate(Tape *tape, const Encoder *m, const Source *source, Var *Ew, const Dropout *rates) {
    const Stack *stack = m->weights;
    const WordPositions positions = word_positions(&tape->arena, &source->spans, source->x.n, source->x.rows);
    Var *x = add_positional_encoding(tape, gather(tape, Ew, source->rows, source->x.rows), positions.position);
    tape_shard_rows(tape, source->annotation_shards);
    if (stack->W) x = linear(tape, x, stack->W, NULL);
    for (const Layer *layer = stack->layers; layer < stack->layers + m->config.depth; layer++) {
        Var *y = norm(tape, &layer->attention.norm, x);
        const KeysValues words = multi_head_project(tape, &layer->attention.heads, y, &positions.spans);
        const Drop drop = {rates->annotation, source->annotations};
        x = attention_layer(tape, &layer->attention, x, y, words, false, drop).x;
        x = feed_forward(tape, &layer->ffn, x, drop);
    }
    Var *H = norm(tape, &stack->last, x);
    return (Annotations){.H = H, .summary = encoder_mean(tape, H, &source->spans, source->x.n)};
}

const EncoderKind encoder_self_attention = {"self-attention", declare, annotate};
