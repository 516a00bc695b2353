/* attention_none.c: RNNencdec (Cho et al. 2014), the baseline without attention: every target word reads the same c. */
#include "model/attention.h"

/* Dropout of c uses the row identity of the sentence's first word. */
static const RowId *sentence_ids(Arena *arena, const Annotations *A, int n) {
    if (!A->ids) return NULL;
    RowId *ids = arena_alloc(arena, (size_t)n * sizeof *ids);
    for (int s = 0; s < n; s++) ids[s] = A->ids[A->spans.start[s]];
    return ids;
}

/* Computes c and applies dropout to it: encode applies dropout only to H, and c is not computed from H. */
static void prepare(Tape *tape, const Attention *m, AttentionSource *source, const Dropout *rates) {
    (void)m;
    const Annotations *A = &source->annotations;
    Var *c = A->fwd_last ? hcat(tape, A->fwd_last, A->summary) : A->summary;
    source->keys = dropout(tape, c, (Drop){rates->annotation, sentence_ids(&tape->arena, A, c->rows)});
}

/* c_i = c = [→h_T ; ←h_1] for every i; if the encoder has no →h_T, c is its summary of the sentence. */
static Context attend_none(Tape *tape, const Attention *m, const AttentionSource *source, const Query *query) {
    (void)m;
    const int *owner = query->spans->owner, rows = query->s_prev->rows;
    Var *c = owner ? gather(tape, source->keys, owner, rows) : slice(tape, source->keys, 0, rows);
    tape_note(tape, "attention", "c", c);
    return (Context){.c = c};
}

const AttentionKind attention_none = {.name = "none", .prepare = prepare, .attend = attend_none};
