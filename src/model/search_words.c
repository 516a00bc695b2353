/* search_words.c: what shortlists of words change in a beam search. */
#include "model/search.h"

#include <string.h>

ColumnSet search_words(const Search *s, int row) {
    if (s->members->words) return s->members->words->list[s->owner[row]];
    return (ColumnSet){NULL, s->members->model->config.target_vocab};
}

int search_place(const Search *s, int row, int id) {
    const ColumnSet words = search_words(s, row);
    if (!words.ids) return id;
    int begin = 0, end = words.count;
    while (end - begin > 1) {
        const int middle = begin + (end - begin) / 2;
        *(words.ids[middle] <= id ? &begin : &end) = middle;
    }
    CHECK(words.ids[begin] == id, "beam_search: the word %d is not in its shortlist", id);
    return begin;
}

static void mark(const Search *s, bool *marked, int id) {
    const int words = s->members->model->config.target_vocab;
    CHECK(id >= 0 && id < words, "beam_search: a shortlist with id %d of %d", id, words);
    marked[id] = true;
}

/* Marks the words that a sentence needs: those of its shortlist, its prefix and its constraints, and </s>. */
static void mark_words(const Search *s, int sentence, bool *marked) {
    const ColumnSet *own = &s->options->shortlists[s->sentences[sentence].number];
    const Prefix *prefix = s->sentences[sentence].prefix;
    const Constraints *constraints = s->sentences[sentence].constraints;
    mark(s, marked, s->options->eos);
    for (int i = 0; i < own->count; i++) mark(s, marked, own->ids[i]);
    for (int i = 0; prefix && prefix->states > 0 && i < prefix->begin[prefix->states]; i++)
        mark(s, marked, prefix->arcs[i].id);
    for (int c = 0; constraints && c < constraints->count; c++)
        for (int i = 0; i < constraints->list[c].length; i++) mark(s, marked, constraints->list[c].ids[i]);
}

static ColumnSet marked_words(Arena *arena, const bool *marked, int all) {
    size_t count = 0;
    for (int id = 0; id < all; id++) count += marked[id];
    return columns_marked(marked, all, arena_alloc(arena, count * sizeof(int)));
}

void search_words_init(Search *s) {
    if (!s->options->shortlists) return;
    CHECK(!s->options->sampling, "beam_search: samples with shortlists");
    Arena *arena = &s->tape->arena;
    const int all = s->members->model->config.target_vocab;
    bool *marked = arena_alloc(arena, (size_t)all * sizeof *marked);
    ColumnSet *words = arena_alloc(arena, (size_t)s->n * sizeof *words);
    int widest = 0;
    for (int i = 0; i < s->n; i++) {
        memset(marked, 0, (size_t)all * sizeof *marked);
        mark_words(s, i, marked);
        words[i] = marked_words(arena, marked, all);
        if (words[i].count > widest) widest = words[i].count;
    }
    for (Member *member = s->members; member < s->members + s->count; member++) {
        member->words = arena_alloc(arena, sizeof *member->words);
        *member->words = (ColumnSets){.list = words, .count = s->n, .widest = widest};
    }
}

void search_words_free(Search *s) {
    for (Member *member = s->members; member < s->members + s->count; member++)
        if (member->words) column_sets_free(member->words);
}
