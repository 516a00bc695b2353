#include "train/guides.h"
#include "aligner/links.h"
#include "io/ds.h"
#include "text/normal_lines.h"

#include <limits.h>
#include <stdlib.h>

static int by_target(const void *left, const void *right) {
    const Link *a = left, *b = right;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

/* The first piece of each word, and after the last word the number of pieces; owned by the caller. */
static int *first_pieces(const int *word_of, int n, int words) {
    int *first = mem_alloc((size_t)(words + 1) * sizeof *first);
    for (int i = n; i-- > 0;) first[word_of[i]] = i;
    first[words] = n;
    return first;
}

/* Converts links between words to links between pieces: each piece of a source word is linked to each piece of the
   target word. The links must be sorted by target, then source. unlinked: the source piece for target pieces that have
   no link; -1: none. */
static Link *between_pieces(const Link *links, const int *first_source, const int *target_word, int n_target,
                            int unlinked) {
    Link *between = NULL;
    ptrdiff_t begin = 0, n = arrlen(links);
    for (int i = 0; i < n_target; i++) {
        while (begin < n && links[begin].target < target_word[i]) begin++;
        if (unlinked >= 0 && (begin == n || links[begin].target > target_word[i]))
            arrput(between, ((Link){unlinked, i, false}));
        for (ptrdiff_t k = begin; k < n && links[k].target == target_word[i]; k++) {
            const int s = links[k].source;
            if (k > begin && links[k - 1].source == s) continue; /* a duplicate */
            for (int j = first_source[s]; j < first_source[s + 1]; j++) arrput(between, ((Link){j, i, false}));
        }
    }
    return between;
}

/* Parses the links of a line into links between the pieces x and y. No link may have </s>. null: see guides_read. */
static int read_links(const char *line, const char *path, long number, char **x, char **y, bool null, Link **between,
                      Err *err) {
    Link *links = NULL;
    int source_words, target_words;
    int *source_word = pieces_words(x, (int)arrlen(x), &source_words, NULL);
    int *target_word = pieces_words(y, (int)arrlen(y), &target_words, NULL);
    int *first = first_pieces(source_word, (int)arrlen(x), source_words);
    int status = links_parse(line, 0, path, number, &links, err);
    if (!status) status = links_check(links, (int)arrlen(links), source_words - 1, target_words - 1, path, number, err);
    if (!status && links) {
        qsort(links, arrlenu(links), sizeof *links, by_target);
        *between = between_pieces(links, first, target_word, (int)arrlen(y), null ? (int)arrlen(x) - 1 : -1);
    }
    arrfree(links);
    mem_free(source_word);
    mem_free(target_word);
    mem_free(first);
    return status;
}

static int add_links(Guides *guides, const Link *links, Err *err) {
    const size_t n = arrlenu(links);
    const uint64_t pair = arrlenu(guides->links.ends);
    int *numbers = mem_alloc(2 * n * sizeof *numbers);
    for (size_t k = 0; k < n; k++) {
        numbers[2 * k] = links[k].source;
        numbers[2 * k + 1] = links[k].target;
        guides->hash ^= pair ^ (uint64_t)links[k].source << 40 ^ (uint64_t)links[k].target << 20;
        guides->hash *= 0x9e3779b97f4a7c15u;
        guides->hash ^= guides->hash >> 29;
    }
    const int failed = records_add(&guides->links, numbers, 2 * n, err);
    mem_free(numbers);
    return failed;
}

/* Reads the links of a pair from the current line. */
static int read_pair_links(Guides *guides, const LineReader *lines, const DiskPair *pair, const Side *source,
                           const Side *target, Err *err) {
    char *line = line_reader_text(lines, 0, lines->length, err);
    if (!line) return -1;
    char **x = side_spell(source, pair->text[SOURCE]), **y = side_spell(target, pair->text[TARGET]);
    Link *links = NULL;
    int failed = read_links(line, lines->path, lines->number, x, y, guides->null, &links, err);
    if (!failed) failed = add_links(guides, links, err);
    arrfree(links);
    strings_free(x);
    strings_free(y);
    mem_free(line);
    return failed;
}

/* Reads up to this line, or to the end of the file. Returns 0, or -1 with *err filled. */
static int read_to_line(LineReader *lines, long number, Err *err) {
    int status = 1;
    while (status > 0 && lines->number < number) status = line_reader_next(lines, err);
    return status < 0 ? -1 : 0;
}

static int read_all_links(Guides *guides, LineReader *lines, DiskCorpus *corpus, const Pairs *pairs, const Side *source,
                          const Side *target, Err *err) {
    DiskPair pair;
    int status = disk_corpus_rewind(corpus, err);
    for (int i = 0; i < pairs->n && !status;) {
        const int more = disk_corpus_next(corpus, &pair, err);
        if (more < 0) return -1;
        if (!more) return err_set(err, corpus->dir, 0, "the temporary file in this directory ends too early");
        if (pair.line != pairs->line[i]) continue; /* the pair is too long for training */
        if (read_to_line(lines, pair.number, err)) return -1;
        if (lines->number < pair.number) break;
        status = read_pair_links(guides, lines, &pair, source, target, err);
        i++;
    }
    return status;
}

/* Checks the number of lines. Replaces an error of one line, because a missing line moves all later links to wrong
   pairs. */
static int check_count(LineReader *lines, long pairs, Err *err) {
    Err broken;
    if (read_to_line(lines, LONG_MAX, &broken)) return *err = broken, -1;
    if (lines->number == pairs) return 0;
    return err_set(err, lines->path, 0, "has %ld lines, but the training set has %ld", lines->number, pairs);
}

int guides_read(Guides *guides, const char *path, DiskCorpus *corpus, const Pairs *pairs, const Side *source,
                const Side *target, const char *dir, bool null, Err *err) {
    LineReader lines;
    *guides = (Guides){.null = null};
    if (line_reader_open(&lines, path, err)) return -1;
    int status = records_open(&guides->links, dir, err);
    if (!status) status = read_all_links(guides, &lines, corpus, pairs, source, target, err);
    if (check_count(&lines, corpus->read, err)) status = -1;
    if (!status) status = records_flush(&guides->links, err);
    line_reader_close(&lines);
    if (status) guides_free(guides);
    return status;
}

void guides_free(Guides *guides) {
    records_close(&guides->links);
    *guides = (Guides){0};
}

const char guide_cost_names[] = "ce|mult|mse";

/* The links of a sentence that are not yet written to rows. */
typedef struct Column {
    const int *next, *end; /* source, target, source, target, ... */
} Column;

int guides_fold(Arena *arena, const Guides *guides, const int *which, const Sequences *y, Guide *guide, Err *err) {
    size_t links = 0;
    Column *columns = arena_alloc(arena, (size_t)y->n * sizeof *columns);
    for (int b = 0; b < y->n; b++) {
        const int pair = which[y->order[b]];
        const size_t n = records_length(&guides->links, pair);
        int *numbers = arena_alloc(arena, n * sizeof *numbers);
        if (records_read(&guides->links, pair, numbers, err)) return -1;
        columns[b] = (Column){numbers, numbers + n};
        links += n / 2;
    }
    int *begin = arena_alloc(arena, (size_t)(y->rows + 1) * sizeof *begin),
        *column = arena_alloc(arena, links * sizeof *column), at = 0;
    for (int t = 0; t < y->steps; t++)
        for (int b = 0; b < sequences_live(y, t); b++) {
            begin[sequences_row(y, t, b)] = at;
            for (Column *c = &columns[b]; c->next < c->end && c->next[1] == t; c->next += 2) column[at++] = c->next[0];
        }
    begin[y->rows] = at;
    *guide = (Guide){begin, column};
    return 0;
}
