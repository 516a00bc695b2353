/* search_constraints.c: what constraints change in a beam search. */
#include "model/search.h"

ConstraintState search_next_met(const Search *s, const Candidate *c) {
    const Constraints *constraints = s->sentences[s->owner[c->row]].constraints;
    if (!constraints) return (ConstraintState){0};
    return constraints_next(constraints, s->node[c->row]->constraints, c->id);
}

bool search_forbids(const Search *s, const Constraints *c, const ConstraintState *state, int id) {
    return (id == s->options->eos && !constraints_met(c, state)) || (state->ended && c->continues[id]);
}

int search_limit(const Search *s, int sentence) {
    return (int)(s->options->length_limit * s->sentences[sentence].length) + 10;
}

int search_add_expected(const Search *s, int row, const NextWords *next, Candidate *best, int count) {
    const Node *node = s->node[row];
    const Constraints *constraints = s->sentences[s->owner[row]].constraints;
    const bool late = node->length >= search_limit(s, s->owner[row]);
    int ids[MOST_CONSTRAINTS], n = constraints_expected(constraints, &node->constraints, late, ids);
    if (late && n) count = 0;
    for (int i = 0, free = count; i < n; i++) {
        bool found = false;
        for (int k = 0; k < free; k++) found |= best[k].id == ids[i];
        if (!found) best[count++] = search_candidate(s, next, row, ids[i]);
    }
    return count;
}

int search_allocate(const Search *s, Candidate *candidates, int n, int width) {
    Arena *arena = &s->tape->arena;
    const Constraints *constraints = n ? s->sentences[s->owner[candidates->row]].constraints : NULL;
    int *bank = arena_alloc(arena, (size_t)n * sizeof *bank), count = 0;
    bool *chosen = arena_alloc(arena, (size_t)n * sizeof *chosen);
    if (n == 0) return 0;
    for (int i = 0; i < n; i++) {
        const ConstraintState next = search_next_met(s, &candidates[i]);
        bank[i] = constraints_words(constraints, &next);
    }
    constraints_allocate(bank, n, constraints_words_total(constraints), width, chosen);
    for (int i = 0; i < n; i++)
        if (chosen[i]) candidates[count++] = candidates[i];
    return count;
}

int beam_width(const BeamOptions *options, const Constraints *constraints) {
    enum { MOST_MORE = 30 };
    const int words = constraints ? constraints_words_total(constraints) : 0;
    return options->beam + (words < MOST_MORE ? words : MOST_MORE);
}

void search_constraints_check(const Constraints *constraints, int words) {
    CHECK(constraints->count > 0 && constraints->count <= MOST_CONSTRAINTS, "beam_search: %d constraints",
          constraints->count);
    for (const Constraint *c = constraints->list; c < constraints->list + constraints->count; c++) {
        CHECK(c->length > 0, "beam_search: a constraint without words");
        for (int i = 0; i < c->length; i++)
            CHECK(c->ids[i] >= 0 && c->ids[i] < words, "beam_search: a constraint with id %d", c->ids[i]);
    }
}
