#include "train/guides.h"
#include "text/ds.h"
#include "text/lines.h"
#include "train/alignment.h"

#include <stdlib.h>
#include <string.h>

static int by_target(const void *left, const void *right) {
    const Link *a = left, *b = right;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

/* The first piece of each word, and the number of pieces at last; owned by the caller. */
static int *first_pieces(const int *word_of, int n, int words) {
    int *first = mem_alloc((size_t)(words + 1) * sizeof *first);
    for (int i = n; i-- > 0;) first[word_of[i]] = i;
    first[words] = n;
    return first;
}

/* Every piece of a word is linked to every piece of the words that it is linked to. The links are sorted. */
static Link *between_pieces(const Link *links, const int *first_source, const int *target_word, int n_target) {
    Link *between = NULL;
    ptrdiff_t begin = 0, n = arrlen(links);
    for (int i = 0; i < n_target; i++) {
        while (begin < n && links[begin].target < target_word[i]) begin++;
        for (ptrdiff_t k = begin; k < n && links[k].target == target_word[i]; k++) {
            const int s = links[k].source;
            if (k > begin && links[k - 1].source == s) continue; /* given twice */
            for (int j = first_source[s]; j < first_source[s + 1]; j++) arrput(between, ((Link){j, i, false}));
        }
    }
    return between;
}

static int check_words(const Link *links, int source_words, int target_words, const char *path, long line, Err *err) {
    for (ptrdiff_t k = 0; k < arrlen(links); k++)
        if (links[k].source >= source_words || links[k].target >= target_words)
            return err_set(err, path, line, "the link %d-%d, but the pair has %d and %d words", links[k].source,
                           links[k].target, source_words, target_words);
    return 0;
}

/* The links of a line, between the pieces x and y; </s> takes no part. */
static int read_links(const char *line, const char *path, long number, char **x, char **y, Link **between, Err *err) {
    Link *links = NULL;
    int source_words, target_words;
    int *source_word = alignment_words(x, (int)arrlen(x), &source_words, NULL);
    int *target_word = alignment_words(y, (int)arrlen(y), &target_words, NULL);
    int *first = first_pieces(source_word, (int)arrlen(x), source_words);
    int status = links_parse(line, 0, path, number, &links, err);
    if (!status) status = check_words(links, source_words - 1, target_words - 1, path, number, err);
    if (!status && links) {
        qsort(links, arrlenu(links), sizeof *links, by_target);
        *between = between_pieces(links, first, target_word, (int)arrlen(y));
    }
    arrfree(links);
    mem_free(source_word);
    mem_free(target_word);
    mem_free(first);
    return status;
}

int guides_read(Guides *guides, const char *path, const Corpus *corpus, const Pairs *pairs, const Side *source,
                const Side *target, Err *err) {
    *guides = (Guides){0};
    char **lines = lines_read_raw(path, err);
    int status = lines ? 0 : -1;
    if (lines && arrlen(lines) != corpus->read)
        status = err_set(err, path, 0, "has %td lines, but the training set has %ld", arrlen(lines), corpus->read);
    if (!status) *guides = (Guides){mem_zalloc((size_t)pairs->n * sizeof *guides->links), pairs->n};
    for (int i = 0; i < pairs->n && !status; i++) {
        const int at = pairs->index[i];
        const long line = corpus->line[at];
        char **x = side_spell(source, corpus->source[at]), **y = side_spell(target, corpus->target[at]);
        status = read_links(lines[line - 1], path, line, x, y, &guides->links[i], err);
        pieces_free(x);
        pieces_free(y);
    }
    lines_free(lines);
    if (status) guides_free(guides);
    return status;
}

void guides_free(Guides *guides) {
    for (int i = 0; i < guides->n; i++) arrfree(guides->links[i]);
    mem_free(guides->links);
    *guides = (Guides){0};
}

int guide_cost(const char *name) {
    static const char *const names[] = {[GUIDE_CE] = "ce", [GUIDE_MULT] = "mult", [GUIDE_MSE] = "mse"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

Guide guides_fold(Arena *arena, const Guides *guides, const int *which, const Sequences *y) {
    size_t most = 0, n = (size_t)y->n;
    for (int b = 0; b < y->n; b++) most += arrlenu(guides->links[which[b]]);
    int *begin = arena_alloc(arena, (size_t)(y->rows + 1) * sizeof *begin),
        *column = arena_alloc(arena, most * sizeof *column);
    ptrdiff_t *next = arena_zalloc(arena, n * sizeof *next); /* link of each sentence */
    int at = 0;
    for (int t = 0; t < y->steps; t++)
        for (int b = 0; b < sequences_live(y, t); b++) {
            const Link *links = guides->links[which[y->order[b]]];
            begin[sequences_row(y, t, b)] = at;
            for (; next[b] < arrlen(links) && links[next[b]].target == t; next[b]++)
                column[at++] = links[next[b]].source;
        }
    begin[y->rows] = at;
    return (Guide){begin, column};
}
