#include "model/constraints.h"

#include <string.h>

static bool is_met(const ConstraintState *state, int i) { return state->met >> i & 1; }

static ConstraintState meet(const Constraints *c, ConstraintState state, int i) {
    return (ConstraintState){.met = state.met | (uint64_t)1 << i, .ended = c->list[i].whole};
}

/* The phrase, not yet met, that begins with the first `at` words of ids and then `id`; the longest one, -1 if there is
   none. */
static int phrase_with(const Constraints *c, const ConstraintState *state, const int *ids, int at, int id) {
    int found = -1;
    for (int i = 0; i < c->count; i++) {
        const Constraint *phrase = &c->list[i];
        if (is_met(state, i) || phrase->length <= at || phrase->ids[at] != id) continue;
        if (ids && memcmp(phrase->ids, ids, (size_t)at * sizeof *ids) != 0) continue;
        if (found < 0 || phrase->length > c->list[found].length) found = i;
    }
    return found;
}

/* Follows phrase i, of which `at` words are written. */
static ConstraintState follow(const Constraints *c, ConstraintState state, int i, int at) {
    if (at == c->list[i].length) return meet(c, state, i);
    state.begun = i + 1;
    state.at = at;
    state.ended = false;
    return state;
}

/* The state of a hypothesis that leaves its begun phrase with the word `id`. A phrase that consists of the words so far
   is then met: New, where New York was begun. */
static ConstraintState leave(const Constraints *c, ConstraintState state, int id) {
    if (!state.begun) return state;
    const Constraint *begun = &c->list[state.begun - 1];
    for (int i = 0; i < c->count; i++) {
        const Constraint *phrase = &c->list[i];
        const bool same =
            phrase->length == state.at && !memcmp(phrase->ids, begun->ids, (size_t)state.at * sizeof(int));
        if (same && !is_met(&state, i) && !(phrase->whole && c->continues[id])) return meet(c, state, i);
    }
    return (ConstraintState){.met = state.met};
}

ConstraintState constraints_next(const Constraints *c, ConstraintState state, int id) {
    const int *begun = state.begun ? c->list[state.begun - 1].ids : NULL;
    int i = phrase_with(c, &state, begun, state.at, id);
    if (i >= 0) return follow(c, state, i, state.at + 1);
    state = leave(c, state, id);
    i = phrase_with(c, &state, NULL, 0, id);
    if (i >= 0) return follow(c, state, i, 1);
    return (ConstraintState){.met = state.met};
}

int constraints_words(const Constraints *c, const ConstraintState *state) {
    int words = state->at;
    for (int i = 0; i < c->count; i++)
        if (is_met(state, i)) words += c->list[i].length;
    return words;
}

int constraints_words_total(const Constraints *c) {
    int words = 0;
    for (int i = 0; i < c->count; i++) words += c->list[i].length;
    return words;
}

bool constraints_met(const Constraints *c, const ConstraintState *state) {
    for (int i = 0; i < c->count; i++)
        if (!is_met(state, i)) return false;
    return true;
}

static int add_once(int *ids, int n, int id) {
    for (int i = 0; i < n; i++)
        if (ids[i] == id) return n;
    ids[n] = id;
    return n + 1;
}

int constraints_expected(const Constraints *c, const ConstraintState *state, bool continue_only, int *ids) {
    int n = 0;
    if (state->begun) ids[n++] = c->list[state->begun - 1].ids[state->at];
    for (int i = 0; i < c->count && n < MOST_CONSTRAINTS && !(state->begun && continue_only); i++)
        if (!is_met(state, i)) n = add_once(ids, n, c->list[i].ids[0]);
    return n;
}

int constraints_allocate(const int *bank, int n, int most, int width, bool *chosen) {
    int count = 0;
    for (int i = 0; i < n; i++) chosen[i] = false;
    while (count < n && count < width)
        for (int b = most; b >= 0 && count < width; b--)
            for (int i = 0; i < n; i++) {
                if (chosen[i] || bank[i] != b) continue;
                chosen[i] = true;
                count++;
                break;
            }
    return count;
}
