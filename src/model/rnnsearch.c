/* rnnsearch.c: the paper's decoder, which combines c, f and g (Bahdanau et al. 2015, §3.1). */
#include "model/model.h"
#include "model/readout.h"
#include "model/state.h"

typedef struct Rnnsearch {
    Attention attention;
    StateWeights state;
    Readout readout;
} Rnnsearch;

static void *declare(const ModelConfig *c, Params *params, int annotation) {
    CHECK(!c->tied_embeddings || c->maxout == c->emb, "tied embeddings: maxout %d is not emb %d", c->maxout, c->emb);
    Rnnsearch *m = mem_zalloc(sizeof *m);
    attention_declare(&m->attention, params, c, annotation);
    state_declare(&m->state, params, c, annotation);
    readout_declare(&m->readout, params, c->tied_embeddings ? m->state.E : NULL, c, annotation);
    return m;
}

static Alignments alignments(const Model *model) {
    const Rnnsearch *m = model->decoder;
    return (Alignments){m->attention.heads > 0, m->attention.heads};
}

static const Var *target_embedding(const Model *model) { return ((const Rnnsearch *)model->decoder)->state.E; }

/* The indices of Forced.outputs, the inputs of the readout. */
enum { EY, S, C };

/* c and f are computed step by step, because both depend on s_{i-1}. */
static Forced force(Tape *tape, const Model *model, const Batch *batch, Annotations H, const PassOptions *options) {
    const Rnnsearch *m = model->decoder;
    const Sequences *y = &batch->target;
    const AttentionSource source = attention_prepare(tape, &m->attention, &H, options);
    tape_shard_rows(tape, batch->target_shards);
    Var *Ey = state_embed(tape, &m->state, batch->previous, y->rows, (Drop){options->dropout.embedding, batch->words});
    Var *WEy = state_input(tape, &m->state, Ey), *s = state_initial(tape, &m->state, &H);
    Var *memory = attention_init_memory(tape, &m->attention, &source, y->n);

    Var *all_s = var_new(tape, y->rows, s->cols), *all_c = var_new(tape, y->rows, H.H->cols);
    Var **states = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *states);
    Var **contexts = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *contexts);
    Var **alpha = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *alpha);
    for (int i = 0; i < y->steps; i++) {
        const int first = y->offset[i], live = sequences_live(y, i);
        Var *s_prev = slice(tape, s, 0, live);
        Var *input = slice(tape, WEy, first, live), *s_read = state_query(tape, &m->state, input, s_prev);
        const Query query = {s_read, memory ? slice(tape, memory, 0, live) : NULL, &H.spans};
        const Context c = attend(tape, &m->attention, &source, &query, slice(tape, all_c, first, live));
        Var *x = state_context(tape, &m->state, input, c.c);
        s = state_step(tape, &m->state, x, s_read, slice(tape, all_s, first, live));
        tape_note(tape, "state", "s_prev", s_prev);
        tape_note(tape, "state", "s_read", s_read);
        tape_note(tape, "state", "s", s);
        states[i] = model->config.readout_prev ? s_prev : s;
        contexts[i] = c.c;
        alpha[i] = c.alpha;
        memory = c.memory;
    }
    Forced forced = {.alpha = alpha, .drop = {options->dropout.readout, batch->words}};
    forced.outputs[EY] = Ey;
    forced.outputs[S] = vcat(tape, states, y->steps);
    forced.outputs[C] = vcat(tape, contexts, y->steps);
    return forced;
}

static OutputLayer output(Tape *tape, const Model *model, const Forced *forced) {
    const Readout *g = &((const Rnnsearch *)model->decoder)->readout;
    Var *t = readout_context(tape, g, forced->outputs[C]);
    return readout(tape, g, t, forced->outputs[EY], forced->outputs[S], forced->drop);
}

/* ---- word by word ------------------------------------------------------------------------------------------------ */

/* A recurrent matrix with a row for each open hypothesis. */
typedef struct Rows {
    Var *now;  /* the input of the next step; NULL: there is no such matrix */
    Var *next; /* the result of the last step; reorder copies its rows to `now` */
} Rows;

enum { STATE, MEMORY, RECURRENT }; /* s_{i-1}; the memory of the attention; the number of recurrent matrices */

typedef struct State {
    AttentionSource source;
    Rows recurrent[RECURRENT];
    Var *CH, *CoH; /* C h_j [rows, 3n] and C_o h_j + b [rows, 2l]; NULL if the attention does not define score */
} State;

/* f needs C c_i (a second unit also b), and g needs C_o c_i + b. If c_i = Σ_j α_ij h_j, they are Σ_j α_ij C h_j and
   Σ_j α_ij (C_o h_j + b), because Σ_j α_ij = 1. So the products are computed once for each annotation instead of once
   for each word of each hypothesis. Probabilities of the search differ from those of `force` only by rounding; with
   weights of int8, this includes the rounding of h_j and of c_i to 8 bits. */
static void project_annotations(Tape *tape, const Rnnsearch *m, const Annotations *H, State *state) {
    if (!m->attention.kind->score) return;
    state->CH = state_project(tape, &m->state, H->H);
    state->CoH = readout_context(tape, &m->readout, H->H);
}

/* x of f, see state_context; t = C_o c_i + b of g; alpha and memory as in Context. */
typedef struct ContextTerms {
    Var *x, *t, *alpha, *memory;
} ContextTerms;

static ContextTerms context_terms(Tape *tape, const Rnnsearch *m, const State *state, const Query *query, Var *WEy) {
    const AttentionSource *source = &state->source;
    if (!state->CH) {
        const Context c = attend(tape, &m->attention, source, query, NULL);
        Var *x = state_context(tape, &m->state, WEy, c.c);
        return (ContextTerms){x, readout_context(tape, &m->readout, c.c), c.alpha, c.memory};
    }
    Var *alpha = attention_weigh(tape, &m->attention, source, query);
    Var *x = state_add(tape, &m->state, WEy, weighted_sum(tape, alpha, state->CH, query->spans, NULL));
    Var *t = weighted_sum(tape, alpha, state->CoH, query->spans, NULL);
    return (ContextTerms){x, t, alpha, attention_next_memory(tape, &m->attention, source, query, alpha)};
}

/* Returns Rows with a new matrix `now` of `most` rows; the first n are those of `first`. NULL gives `now` = NULL. */
static Rows rows_new(Tape *tape, const Var *first, int n, int most) {
    Rows rows = {0};
    if (!first) return rows;
    rows.now = var_new(tape, most, first->cols);
    var_copy_rows(rows.now, 0, first, NULL, n);
    return rows;
}

static DecoderState *begin(Tape *tape, const Model *model, Annotations H, int n, int most, const PassOptions *options) {
    const Rnnsearch *m = model->decoder;
    State *state = arena_zalloc(&tape->arena, sizeof *state);
    state->source = attention_prepare(tape, &m->attention, &H, options);
    state->recurrent[STATE] = rows_new(tape, state_initial(tape, &m->state, &H), n, most);
    state->recurrent[MEMORY] = rows_new(tape, attention_init_memory(tape, &m->attention, &state->source, n), n, most);
    project_annotations(tape, m, &H, state);
    return state;
}

static Step step(Tape *tape, const Model *model, DecoderState *decoder_state, Hypotheses h) {
    const Rnnsearch *m = model->decoder;
    State *state = decoder_state;
    Rows *recurrent = state->recurrent;
    Spans spans = state->source.annotations.spans;
    spans.owner = h.owner;
    Var *s_prev = slice(tape, recurrent[STATE].now, 0, h.rows),
        *Ey = state_embed(tape, &m->state, h.previous, h.rows, (Drop){0});
    Var *memory = recurrent[MEMORY].now ? slice(tape, recurrent[MEMORY].now, 0, h.rows) : NULL;
    Var *input = state_input(tape, &m->state, Ey), *s_read = state_query(tape, &m->state, input, s_prev);
    const Query query = {s_read, memory, &spans};
    const ContextTerms terms = context_terms(tape, m, state, &query, input);
    Var *s = state_step(tape, &m->state, terms.x, s_read, NULL);
    recurrent[STATE].next = s;
    recurrent[MEMORY].next = terms.memory;
    Var *s_out = model->config.readout_prev ? s_prev : s;
    return (Step){readout(tape, &m->readout, terms.t, Ey, s_out, (Drop){0}), terms.alpha};
}

static void reorder(DecoderState *decoder_state, const int *parent, int rows) {
    const State *state = decoder_state;
    for (int k = 0; k < RECURRENT; k++) {
        const Rows *kept = &state->recurrent[k];
        if (!kept->now) continue;
        CHECK(kept->next && var_values(kept->next) != var_values(kept->now),
              "attention: next_memory returned the memory of this step");
        var_copy_rows(kept->now, 0, kept->next, parent, rows);
    }
}

static void end(DecoderState *state) { (void)state; /* the state lives in the tape's arena */ }

const Arch arch_rnnsearch = {.name = "rnnsearch",
                             .declare = declare,
                             .alignments = alignments,
                             .target_embedding = target_embedding,
                             .force = force,
                             .output = output,
                             .begin = begin,
                             .step = step,
                             .reorder = reorder,
                             .end = end};
