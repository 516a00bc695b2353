/* rnnsearch.c: the paper's decoder: c, f and g put together (Bahdanau et al. 2015, §3.1). */
#include "model/model.h"

#include <string.h>

static EncoderSizes encoder(Model *m) {
    const ModelConfig *c = &m->config;
    return (EncoderSizes){c->emb, c->rnn, c->depth, c->heads, c->ffn, c->window};
}

static void declare(Model *m) {
    const ModelConfig *c = &m->config;
    const int annotation = m->encoder.width;
    CHECK(!c->tied_embeddings || c->maxout == c->emb, "tied: maxout %d, emb %d", c->maxout, c->emb);
    attention_declare(&m->attention, c->attention, &m->params, (AttentionSizes){c->rnn, annotation, c->att, c->heads});
    state_declare(&m->state, &m->params, c->target_vocab, c->emb, c->rnn, annotation);
    m->E = m->state.E;
    Var *tied = c->tied_embeddings ? m->E : NULL;
    readout_declare(&m->readout, &m->params, tied, c->target_vocab, c->emb, c->rnn, annotation, c->maxout);
}

static void release(Model *m) { (void)m; }

static Alignments alignments(const Model *m) { return (Alignments){m->attention.heads > 0, m->attention.heads}; }

static void prepare(Tape *tape, const Model *m, Annotations *H) { attention_prepare(tape, &m->attention, H); }

/* c and f step by step, for s_i feeds back into both. */
static Forced force(Tape *tape, const Model *m, const Batch *batch, const Annotations *H) {
    const Sequences *y = &batch->target;
    Var *Ey = state_embed(tape, &m->state, batch->previous, y->rows);
    Var *WEy = state_enter(tape, &m->state, Ey), *s = state_begin(tape, &m->state, H);

    Var *all_s = var_new(tape, y->rows, s->cols), *all_c = var_new(tape, y->rows, H->H->cols);
    Var **states = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *states);
    Var **contexts = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *contexts);
    Var **alpha = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *alpha);
    for (int i = 0; i < y->steps; i++) {
        int first = y->offset[i], live = sequences_live(y, i);
        Var *s_prev = slice(tape, s, 0, live);
        Context c = attend(tape, &m->attention, H, s_prev, slice(tape, all_c, first, live));
        Var *x = state_see(tape, &m->state, slice(tape, WEy, first, live), c.c);
        s = advance(tape, &m->state, x, s_prev, slice(tape, all_s, first, live));
        states[i] = m->config.readout_prev ? s_prev : s;
        contexts[i] = c.c;
        alpha[i] = c.alpha;
    }
    Var *S = stack(tape, states, y->steps), *C = stack(tape, contexts, y->steps);
    return (Forced){alpha, Ey, S, C};
}

static Var *logits(Tape *tape, const Model *m, const Forced *forced) {
    return readout(tape, &m->readout, readout_see(tape, &m->readout, forced->c), forced->Ey, forced->s);
}

/* ---- word by word ------------------------------------------------------------------------------------------------ */

/* What c_i brings into f and g: C c_i, and C_o c_i + b. Where c_i = Σ_j α_ij h_j, they are Σ_j α_ij C h_j and
   Σ_j α_ij (C_o h_j + b), for Σ_j α_ij = 1: the products are made once for each annotation, and not for each word of
   each hypothesis. So the search's probabilities are those of `force` but for rounding. */
static void see_all(Tape *tape, const Model *m, const Annotations *H, Past *past) {
    if (!m->attention.kind->weigh) return;
    past->CH = linear(tape, H->H, m->state.C, NULL);
    past->CoH = readout_see(tape, &m->readout, H->H);
}

typedef struct Seen {
    Var *x, *t, *alpha;
} Seen;

static Seen see(Tape *tape, const Model *m, const Annotations *H, const Past *past, Var *WEy, Var *s_prev) {
    if (!past->CH) {
        Context c = attend(tape, &m->attention, H, s_prev, NULL);
        return (Seen){state_see(tape, &m->state, WEy, c.c), readout_see(tape, &m->readout, c.c), c.alpha};
    }
    Var *alpha = m->attention.kind->weigh(tape, &m->attention, H, s_prev);
    Var *x = add_scaled(tape, WEy, 1, weighted_sum(tape, alpha, past->CH, &H->spans, NULL));
    return (Seen){x, weighted_sum(tape, alpha, past->CoH, &H->spans, NULL), alpha};
}

static Past begin(Tape *tape, const Model *m, const Annotations *H, int n, int most) {
    Var *s = state_begin(tape, &m->state, H);
    Past past = {.s = var_new(tape, most, s->cols)};
    memcpy(past.s->v, s->v, (size_t)n * (size_t)s->cols * sizeof(real));
    see_all(tape, m, H, &past);
    return past;
}

static Step step(Tape *tape, const Model *m, const Annotations *H, const int *previous, int rows, Past *past) {
    Var *s_prev = slice(tape, past->s, 0, rows), *Ey = state_embed(tape, &m->state, previous, rows);
    Seen seen = see(tape, m, H, past, state_enter(tape, &m->state, Ey), s_prev);
    Var *s = past->s_next = advance(tape, &m->state, seen.x, s_prev, NULL);
    return (Step){readout(tape, &m->readout, seen.t, Ey, m->config.readout_prev ? s_prev : s), seen.alpha};
}

static void follow(Past *past, const int *parent, int rows) {
    const size_t n = (size_t)past->s->cols;
    for (int i = 0; i < rows; i++)
        memcpy(past->s->v + (size_t)i * n, past->s_next->v + (size_t)parent[i] * n, n * sizeof(real));
}

static void end(Past *past) { (void)past; }

const Arch arch_rnnsearch = {"rnnsearch", encoder, declare, release, alignments, prepare,
                             force,       logits,  begin,   step,    follow,     end};
