/* attention_none.c: RNNencdec, the baseline without attention: one c for the whole sentence (Cho et al. 2014). */
#include "model/attention.h"

static void declare(Attention *m, Params *params, AttentionSizes sizes) {
    (void)m, (void)params, (void)sizes; /* there is nothing to learn */
}

/* The first word of each sentence stands for the sentence. */
static const RowId *sentence_ids(Arena *arena, const Annotations *A, int n) {
    if (!A->ids) return NULL;
    RowId *ids = arena_alloc(arena, (size_t)n * sizeof *ids);
    for (int s = 0; s < n; s++) ids[s] = A->ids[A->spans.start[s]];
    return ids;
}

/* The single vector of the sentence. Dropout is applied here: the other kinds read H, to which it is already applied.
 */
static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)m;
    const Annotations *A = &source->annotations;
    Var *c = A->fwd_last ? hcat(tape, A->fwd_last, A->summary) : A->summary;
    source->keys = dropout(tape, c, (Drop){rates->annotation, sentence_ids(&tape->arena, A, c->rows)});
}

/* For every i, c_i = [→h_T ; ←h_1], or the single vector of the sentence if the encoder produces one. */
static Context attend_none(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    (void)m;
    const int *owner = query->spans->owner, rows = query->s_prev->rows;
    Var *c = owner ? gather(tape, source->keys, owner, rows) : slice(tape, source->keys, 0, rows);
    return (Context){.c = c};
}

const AttentionKind attention_none = {.name = "none", .declare = declare, .prepare = prepare, .attend = attend_none};
