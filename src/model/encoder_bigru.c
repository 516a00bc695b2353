/* encoder_bigru.c: bigru is the paper's encoder, with a GRU in each direction (Bahdanau et al. 2015, §3.2, appendix
   A.1.1). deep-bigru has several such layers with residual connections (He et al. 2016). */
#include "model/encoder.h"
#include "model/gru.h"

#include <stdio.h>

typedef struct Layer {
    GruWeights fwd, bwd;
} Layer;

typedef struct Bigru {
    int depth;
    Layer layers[]; /* [depth] */
} Bigru;

/* The names are encoder.fwd and encoder.bwd in the first layer, encoder.2.fwd and encoder.2.bwd in the second. */
static void declare_layers(Encoder *m, Params *params, int depth) {
    Bigru *bigru = m->weights = mem_alloc(sizeof *bigru + (size_t)depth * sizeof *bigru->layers);
    bigru->depth = depth;
    m->width = 2 * m->config.rnn;
    for (int l = 0; l < depth; l++) {
        char layer[24] = "encoder", name[32];
        const int in = l ? m->width : m->config.emb;
        if (l) snprintf(layer, sizeof layer, "encoder.%d", l + 1);
        snprintf(name, sizeof name, "%s.fwd", layer);
        bigru->layers[l].fwd = gru_declare(params, name, in, m->config.rnn);
        snprintf(name, sizeof name, "%s.bwd", layer);
        bigru->layers[l].bwd = gru_declare(params, name, in, m->config.rnn);
    }
}

static void declare(Encoder *m, Params *params) { declare_layers(m, params, 1); }
static void declare_deep(Encoder *m, Params *params) { declare_layers(m, params, m->config.depth); }

/* →h_j and ←h_j [rows, n], in the order of x. */
typedef struct States {
    Var *fwd, *bwd;
} States;

/* →h_j = GRU(x_j, →h_{j-1}), left to right: a sentence leaves the batch when it ends.
   ←h_j = GRU(x_j, ←h_{j+1}), right to left: a sentence joins the batch, with a state of zero, at its last word.
   The directions do not depend on each other, so each iteration computes one step of both. */
static States both_directions(Tape *tape, const Layer *layer, const Sequences *s, Var *x) {
    GruDirection fwd = gru_direction(tape, &layer->fwd, x, s->n);
    GruDirection bwd = gru_direction(tape, &layer->bwd, x, sequences_live(s, s->steps - 1));
    for (int i = 0; i < s->steps; i++) {
        int left = i, right = s->steps - 1 - i;
        const GruStep steps[] = {
            gru_step_at(tape, &fwd, s, left, slice(tape, fwd.h, 0, sequences_live(s, left))),
            gru_step_at(tape, &bwd, s, right, pad_rows(tape, bwd.h, sequences_live(s, right))),
        };
        Var *h[2];
        gru_steps(tape, steps, 2, h);
        fwd.h = h[0];
        bwd.h = h[1];
    }
    return (States){fwd.states, bwd.states};
}

/* h_j = [→h_j ; ←h_j];  each further layer reads h_j in place of x_j, and then h_j += [→h_j ; ←h_j] of this layer */
static Annotations annotate(Tape *tape, const Encoder *m, const Source *source, Var *x, const Dropout *rates) {
    const Bigru *bigru = m->weights;
    const Sequences *s = &source->x;
    States top = both_directions(tape, &bigru->layers[0], s, x);
    Var *below = NULL;
    for (int l = 1; l < bigru->depth; l++) {
        Var *h = hcat(tape, top.fwd, top.bwd);
        below = below ? add_scaled(tape, below, 1, h) : h;
        top =
            both_directions(tape, &bigru->layers[l], s, dropout(tape, below, (Drop){rates->annotation, source->words}));
    }
    Annotations H = {.H = gather_hcat(tape, top.fwd, top.bwd, source->rows, s->rows)};
    H.fwd_last = gather(tape, top.fwd, source->last, s->n);
    H.summary = gather(tape, top.bwd, source->first, s->n);
    if (below) H.H = add_scaled(tape, gather(tape, below, source->rows, s->rows), 1, H.H);
    return H;
}

const EncoderKind encoder_bigru = {"bigru", declare, annotate};
const EncoderKind encoder_deep_bigru = {"deep-bigru", declare_deep, annotate};
