/* encoder_gru.c: a GRU from left to right: an annotation does not depend on the words after its own. */
#include "model/encoder.h"
#include "model/gru.h"

static void declare(Encoder *m, Params *params) {
    GruWeights *weights = m->weights = mem_alloc(sizeof *weights);
    *weights = gru_declare(params, "encoder.gru", m->config.emb, m->config.rnn);
    m->width = m->config.rnn;
}

/* h_j = GRU(x_j, h_{j-1}): a sentence leaves the batch when it ends. h_T depends on all words of the sentence. */
static Annotations annotate(Tape *tape, const Encoder *m, const Source *source, Var *x, const Dropout *rates) {
    (void)rates; /* there is one layer only, so no dropout between layers */
    const Sequences *s = &source->x;
    GruDirection fwd = gru_direction(tape, m->weights, x, s->n);
    for (int t = 0; t < s->steps; t++) {
        Var *h = slice(tape, fwd.h, 0, sequences_live(s, t));
        const GruStep step = gru_step_at(tape, &fwd, s, t, h);
        fwd.h = gru_step(tape, step);
    }
    return (Annotations){.H = gather(tape, fwd.states, source->rows, s->rows),
                         .summary = gather(tape, fwd.states, source->last, s->n)};
}

const EncoderKind encoder_gru = {"gru", declare, annotate};
