#include "aligner/entries.h"

#include "io/ds.h"
#include "text/lexicon.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 4 };
#define LEAST_PROBABILITY 0.05

void entries_free(Entries *entries) {
    string_table_free(&entries->pairs);
    arrfree(entries->counts);
}

/* ---- groups of linked tokens ---- */

/* The tokens of a group on one side. */
typedef struct Run {
    int first, last, count;
} Run;

/* Source tokens are nodes 0..n-1, target tokens n..n+m-1; root[i] leads to the node that names the group. */
static int root_of(int *root, int node) {
    while (root[node] != node) node = root[node] = root[root[node]];
    return node;
}

static bool is_entry(const Run *run) {
    return run->count > 0 && run->count <= MOST_TOKENS && run->last - run->first + 1 == run->count;
}

/* ---- texts ---- */

/* The text of the tokens of a run; owned by the caller. */
static char *run_text(const PairAlignment *a, int side, const Run *run) {
    const BitextSide *s = &a->bitext->side[side];
    const size_t begin = bitext_begin(s, a->pair);
    char *text = NULL;
    for (int i = run->first; i <= run->last; i++) {
        const char *word = units_spelling(s->units, s->unit[begin + (size_t)i]);
        const size_t n = strlen(word);
        if (i > run->first && s->spaced[begin + (size_t)i]) arrput(text, ' ');
        memcpy(arraddnptr(text, n), word, n);
    }
    arrput(text, '\0');
    char *copy = s->units->kind == UNIT_GIVEN ? mem_strdup(text) : pieces_unmark(text, true);
    arrfree(text);
    return copy;
}

static void count_entry(Entries *entries, const PairAlignment *a, const Run run[2]) {
    char *source = run_text(a, SOURCE, &run[SOURCE]), *target = run_text(a, TARGET, &run[TARGET]);
    const size_t n = strlen(source), m = strlen(target);
    if (n > 0 && n <= LEXICON_SOURCE_BYTES && m > 0) {
        char *both = mem_alloc(n + m + 2);
        sprintf(both, "%s\t%s", source, target);
        const int pair = string_table_add(&entries->pairs, both, n + m + 1);
        if (pair == arrlen(entries->counts)) arrput(entries->counts, 0);
        entries->counts[pair]++;
        mem_free(both);
    }
    mem_free(source);
    mem_free(target);
}

void entries_count(Entries *entries, const PairAlignment *a, const Link *links, int n) {
    const int sources = a->n[SOURCE], nodes = sources + a->n[TARGET];
    int *root = mem_alloc((size_t)nodes * sizeof *root);
    Run(*runs)[2] = mem_zalloc((size_t)nodes * sizeof *runs);
    for (int i = 0; i < nodes; i++) root[i] = i;
    for (int k = 0; k < n; k++) root[root_of(root, links[k].source)] = root_of(root, sources + links[k].target);
    for (int i = 0; i < nodes; i++) {
        const int side = i < sources ? SOURCE : TARGET;
        Run *run = &runs[root_of(root, i)][side];
        run->last = side == SOURCE ? i : i - sources;
        if (run->count++ == 0) run->first = run->last;
    }
    for (int i = 0; i < nodes; i++)
        if (is_entry(&runs[i][SOURCE]) && is_entry(&runs[i][TARGET])) count_entry(entries, a, runs[i]);
    mem_free(root);
    mem_free(runs);
}

/* ---- writing ---- */

/* An entry as it is written. */
typedef struct Row {
    const char *key;
    size_t source; /* length of the source text */
    long count;
} Row;

static int by_source(const void *left, const void *right) {
    const Row *a = left, *b = right;
    const int order = memcmp(a->key, b->key, a->source < b->source ? a->source : b->source);
    if (order) return order;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return strcmp(a->key, b->key);
}

static bool same_source(const Row *a, const Row *b) {
    return a->source == b->source && !memcmp(a->key, b->key, a->source);
}

/* Writes n rows, which are all rows of a source text. */
static void write_source(const Row *rows, ptrdiff_t n, FILE *out) {
    long all = 0;
    for (ptrdiff_t i = 0; i < n; i++) all += rows[i].count;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double probability = (double)rows[i].count / (double)all;
        const long share = (long)(probability * 10000 + 0.5);
        if (probability < LEAST_PROBABILITY) continue;
        fprintf(out, "%s\t%ld.%04ld\n", rows[i].key, share / 10000, share % 10000);
    }
}

void entries_write(const Entries *entries, FILE *out) {
    Row *rows = NULL;
    for (ptrdiff_t i = 0; i < arrlen(entries->counts); i++) {
        const char *pair = entries->pairs.strings[i];
        arrput(rows, ((Row){pair, strcspn(pair, "\t"), entries->counts[i]}));
    }
    if (rows) qsort(rows, arrlenu(rows), sizeof *rows, by_source);
    for (ptrdiff_t i = 0, n; i < arrlen(rows); i += n) {
        for (n = 1; i + n < arrlen(rows) && same_source(&rows[i], &rows[i + n]);) n++;
        write_source(rows + i, n, out);
    }
    arrfree(rows);
}
