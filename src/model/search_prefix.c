/* search_prefix.c: what prefixes change in a beam search. */
#include "model/search.h"

const PrefixArc *search_arcs(const Search *s, int row, int *count) {
    const Prefix *prefix = s->sentences[s->owner[row]].prefix;
    const int state = s->node[row]->state;
    *count = 0;
    if (!prefix || state >= prefix->states) return NULL;
    *count = prefix->begin[state + 1] - prefix->begin[state];
    return prefix->arcs + prefix->begin[state];
}

int search_next_state(const Search *s, int row, int id) {
    int n;
    const PrefixArc *arcs = search_arcs(s, row, &n);
    for (int k = 0; k < n; k++)
        if (arcs[k].id == id) return arcs[k].next;
    return s->node[row]->state;
}

void search_prefix_check(const Prefix *prefix, int words) {
    for (int q = 0; q < prefix->states; q++) {
        CHECK(prefix->begin[q] < prefix->begin[q + 1], "beam_search: state %d of a prefix has no arc", q);
        for (const PrefixArc *arc = prefix->arcs + prefix->begin[q]; arc < prefix->arcs + prefix->begin[q + 1]; arc++)
            CHECK(arc->id >= 0 && arc->id < words && arc->next > q && arc->next <= prefix->states,
                  "beam_search: a prefix of %d states goes from state %d with id %d to %d", prefix->states, q, arc->id,
                  arc->next);
    }
}
