/* search_constraints.c: what constraints change in a beam search. */
#include "model/search.h"

const Constraints *search_constraints(const Search *s, int sentence) {
    return s->options->constraints ? s->options->constraints[s->order[sentence]] : NULL;
}

ConstraintState search_met(const Search *s, int row) {
    return s->node[row] ? s->node[row]->constraints : (ConstraintState){0};
}

ConstraintState search_next_met(const Search *s, const Candidate *c) {
    const Constraints *constraints = search_constraints(s, s->owner[c->row]);
    if (!constraints) return (ConstraintState){0};
    return constraints_next(constraints, search_met(s, c->row), c->id);
}

bool search_forbids(const Search *s, const Constraints *c, const ConstraintState *state, int id) {
    return (id == s->options->eos && !constraints_met(c, state)) || (state->ended && c->continues[id]);
}

int search_limit(const Search *s, int sentence) { return (int)(s->options->length_limit * s->length[sentence]) + 10; }

int search_add_expected(const Search *s, int row, Candidate *best, int count, const real *x, double log_sum) {
    const Node *node = s->node[row];
    const ConstraintState state = search_met(s, row);
    const bool late = node && node->length >= search_limit(s, s->owner[row]);
    const double so_far = node ? node->log_probability : 0;
    int ids[MOST_CONSTRAINTS], n = constraints_expected(search_constraints(s, s->owner[row]), &state, late, ids);
    if (late && n) count = 0;
    for (int i = 0, free = count; i < n; i++) {
        bool found = false;
        for (int k = 0; k < free; k++) found |= best[k].id == ids[i];
        if (!found)
            best[count++] = (Candidate){so_far + ((double)x[search_place(s, row, ids[i])] - log_sum), row, ids[i], 0};
    }
    return count;
}

int search_allocate(const Search *s, Candidate *candidates, int n, int width) {
    Arena *arena = &s->tape->arena;
    const Constraints *constraints = n ? search_constraints(s, s->owner[candidates->row]) : NULL;
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

static void check_constraints(const Constraints *constraints, int words) {
    CHECK(constraints->count > 0 && constraints->count <= MOST_CONSTRAINTS, "beam_search: %d constraints",
          constraints->count);
    for (const Constraint *c = constraints->list; c < constraints->list + constraints->count; c++) {
        CHECK(c->length > 0, "beam_search: a constraint without words");
        for (int i = 0; i < c->length; i++)
            CHECK(c->ids[i] >= 0 && c->ids[i] < words, "beam_search: a constraint with id %d", c->ids[i]);
    }
}

void search_init_widths(Search *s) {
    s->width = arena_alloc(&s->tape->arena, (size_t)s->n * sizeof *s->width);
    s->most_rows = 0;
    s->stride = s->options->beam;
    for (int i = 0; i < s->n; i++) {
        const Constraints *constraints = search_constraints(s, i);
        s->width[i] = beam_width(s->options, constraints);
        s->most_rows += s->width[i];
        if (!constraints) continue;
        check_constraints(constraints, s->members->model->config.target_vocab);
        if (s->stride < s->options->beam + constraints->count + 1)
            s->stride = s->options->beam + constraints->count + 1; /* also the next word of a begun one */
    }
}
