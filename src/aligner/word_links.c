#include "aligner/word_links.h"

#include "io/ds.h"

/* The links of each row's largest weight, unless it is less than what is missing from 1. A row is a source word if
   `flip` is set, otherwise a target word. */
static Link *largest(const float *weight, int rows, int columns, bool flip) {
    Link *links = NULL;
    for (int i = 0; i < rows; i++) {
        const float *row = weight + (size_t)i * (size_t)columns;
        double none = 1;
        int best = 0;
        for (int j = 0; j < columns; j++) {
            if (row[j] > row[best]) best = j;
            none -= (double)row[j];
        }
        if ((double)row[best] <= none) continue;
        if (flip) arrput(links, ((Link){i, best, false}));
        else arrput(links, ((Link){best, i, false}));
    }
    return links;
}

/* forward: [n_target, n_source], reverse: [n_source, n_target]. */
static Link *combine(const float *forward, const float *reverse, int n_target, int n_source, LinkOptions options) {
    if (symmetrization_is_soft(options.kind))
        return links_of_matrices(options.kind, forward, reverse, n_target, n_source, options.threshold);
    Link *a = largest(forward, n_target, n_source, false), *b = largest(reverse, n_source, n_target, true);
    Link *links = links_symmetrize(options.kind, a, (int)arrlen(a), b, (int)arrlen(b));
    arrfree(a);
    arrfree(b);
    return links;
}

Link *token_links(const PairAlignment *a, LinkOptions options) {
    return combine(a->forward, a->reverse, a->n[TARGET], a->n[SOURCE], options);
}

/* The words of one side of a pair. */
typedef struct Grouping {
    const uint16_t *word; /* of each token */
    int tokens, words;
} Grouping;

static Grouping grouping_of(const PairAlignment *a, int side) {
    const BitextSide *s = &a->bitext->side[side];
    const uint16_t *word = s->word + bitext_begin(s, a->pair);
    return (Grouping){word, a->n[side], word[a->n[side] - 1] + 1};
}

/* The matrix of the words of a matrix of tokens; owned by the caller. */
static float *merge(const float *weight, const Grouping *rows, const Grouping *columns) {
    float *merged = mem_zalloc((size_t)rows->words * (size_t)columns->words * sizeof *merged);
    for (int i = 0, end; i < rows->tokens; i = end) {
        float *to = merged + (size_t)rows->word[i] * (size_t)columns->words;
        for (end = i; end < rows->tokens && rows->word[end] == rows->word[i]; end++) {
            const float *from = weight + (size_t)end * (size_t)columns->tokens;
            for (int j = 0; j < columns->tokens; j++) to[columns->word[j]] += from[j];
        }
        for (int j = 0; j < columns->words; j++) to[j] /= (float)(end - i);
    }
    return merged;
}

Link *word_links(const PairAlignment *a, LinkOptions options) {
    const Grouping source = grouping_of(a, SOURCE), target = grouping_of(a, TARGET);
    float *forward = merge(a->forward, &target, &source), *reverse = merge(a->reverse, &source, &target);
    Link *links = combine(forward, reverse, target.words, source.words, options);
    mem_free(forward);
    mem_free(reverse);
    return links;
}
