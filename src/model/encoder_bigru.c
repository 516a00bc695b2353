/* encoder_bigru.c: the paper's encoder: a GRU in each direction (Bahdanau et al. 2015, §3.2, appendix A.1.1). */
#include "model/encoder.h"
#include "model/gru.h"

typedef struct Bigru {
    GruWeights fwd, bwd;
} Bigru;

static void declare(Encoder *m, Params *params) {
    Bigru *weights = m->weights = mem_alloc(sizeof *weights);
    weights->fwd = gru_declare(params, "encoder.fwd", m->sizes.emb, m->sizes.rnn);
    weights->bwd = gru_declare(params, "encoder.bwd", m->sizes.emb, m->sizes.rnn);
    m->width = 2 * m->sizes.rnn;
}

/* →h_j = GRU(x_j, →h_{j-1}), left to right: a sentence leaves the batch when it ends.
   ←h_j = GRU(x_j, ←h_{j+1}), right to left: a sentence joins the batch, with a state of zero, at its last word.
   Both at once, for neither waits for the other. */
static void read_both(Tape *tape, GruReader *fwd, GruReader *bwd, const Sequences *s) {
    for (int i = 0; i < s->steps; i++) {
        int left = i, right = s->steps - 1 - i;
        const GruStep steps[] = {
            gru_read(tape, fwd, s, left, slice(tape, fwd->h, 0, sequences_live(s, left))),
            gru_read(tape, bwd, s, right, extend(tape, bwd->h, sequences_live(s, right))),
        };
        Var *h[2];
        gru_steps(tape, steps, 2, h);
        fwd->h = h[0];
        bwd->h = h[1];
    }
}

/* h_j = [→h_j ; ←h_j] */
static Annotations read(Tape *tape, const Encoder *m, const Source *source, Var *x) {
    const Bigru *weights = m->weights;
    const Sequences *s = &source->x;
    GruReader fwd = gru_begin(tape, &weights->fwd, x, s->n);
    GruReader bwd = gru_begin(tape, &weights->bwd, x, sequences_live(s, s->steps - 1));
    read_both(tape, &fwd, &bwd, s);
    Annotations H = {.H = gather_beside(tape, fwd.states, bwd.states, source->rows, s->rows)};
    H.end = gather(tape, fwd.states, source->last, s->n);
    H.begin = gather(tape, bwd.states, source->first, s->n);
    return H;
}

const EncoderKind encoder_bigru = {"bigru", declare, read};
