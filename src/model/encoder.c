#include "model/encoder.h"

#include <stdio.h>

GruWeights gru_declare(Params *params, const char *name, int in, int n) {
    char full[64];
    GruWeights gru;
    snprintf(full, sizeof full, "%s.W", name);
    gru.W = params_add(params, full, in, 3 * n, INIT_NORMAL, 0.01);
    snprintf(full, sizeof full, "%s.Uzr", name);
    gru.Uzr = params_add(params, full, n, 2 * n, INIT_ORTHOGONAL, 0);
    snprintf(full, sizeof full, "%s.U", name);
    gru.U = params_add(params, full, n, n, INIT_ORTHOGONAL, 0);
    snprintf(full, sizeof full, "%s.b", name);
    gru.b = params_add(params, full, 1, 3 * n, INIT_ZERO, 0);
    return gru;
}

void encoder_declare(Encoder *encoder, Params *params, int vocab, int emb, int rnn) {
    encoder->E = params_add(params, "encoder.E", vocab, emb, INIT_EMBEDDING, 0.01);
    encoder->fwd = gru_declare(params, "encoder.fwd", emb, rnn);
    encoder->bwd = gru_declare(params, "encoder.bwd", emb, rnn);
}

/* One direction on its way: W x of all words, the states that it makes [rows, n] as x is, and its present state. */
typedef struct Reader {
    const GruWeights *weights;
    Var *xW, *states, *h;
} Reader;

static Reader reader_begin(Tape *tape, const GruWeights *m, Var *x, int sentences) {
    return (Reader){m, linear(tape, x, m->W, m->b), var_new(tape, x->rows, m->U->rows),
                    zeros(tape, sentences, m->U->rows)};
}

/* Reads position t of the sentences alive there, with their states before. */
static GruStep reader_step(Tape *tape, const Reader *r, const Sequences *s, int t, Var *h) {
    int first = s->offset[t], live = sequences_live(s, t);
    return (GruStep){slice(tape, r->xW, first, live), h, r->weights->Uzr, r->weights->U,
                     slice(tape, r->states, first, live)};
}

/* →h_j = GRU(x_j, →h_{j-1}), left to right: a sentence leaves the batch when it ends.
   ←h_j = GRU(x_j, ←h_{j+1}), right to left: a sentence joins the batch, with a state of zero, at its last word.
   Both at once, for neither waits for the other. */
static void read_both(Tape *tape, Reader *fwd, Reader *bwd, const Sequences *s) {
    for (int i = 0; i < s->steps; i++) {
        int left = i, right = s->steps - 1 - i;
        const GruStep steps[] = {
            reader_step(tape, fwd, s, left, slice(tape, fwd->h, 0, sequences_live(s, left))),
            reader_step(tape, bwd, s, right, extend(tape, bwd->h, sequences_live(s, right))),
        };
        Var *h[2];
        gru_steps(tape, steps, 2, h);
        fwd->h = h[0];
        bwd->h = h[1];
    }
}

Annotations encode(Tape *tape, const Encoder *m, const Source *source) {
    const Sequences *s = &source->x;
    Var *x = dropout(tape, gather(tape, m->E, s->ids, s->rows), m->dropout_embedding);
    Reader fwd = reader_begin(tape, &m->fwd, x, s->n);
    Reader bwd = reader_begin(tape, &m->bwd, x, sequences_live(s, s->steps - 1));
    read_both(tape, &fwd, &bwd, s);
    Var *h = gather_beside(tape, fwd.states, bwd.states, source->rows, s->rows);
    return (Annotations){
        .H = dropout(tape, h, m->dropout_annotation),
        .forward_last = gather(tape, fwd.states, source->last, s->n),
        .backward_first = gather(tape, bwd.states, source->first, s->n),
        .spans = source->spans,
    };
}
