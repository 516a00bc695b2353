#include "corpus/correction_terms.h"

#include "io/ds.h"
#include "io/string_table.h"
#include "text/codes.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORDS = 8,     /* of a term */
    MOST_CHANGED = 128, /* words between the first and the last change of a sentence; more is another sentence */
    MOST_SOURCE = 200   /* words of a source that has terms; a longer one is a paragraph */
};
/* Limits for the time that hostile corrections take. */
enum {
    MOST_MEMBERS = 50, /* corrections with a change whose sources are compared */
    MOST_TRIED = 20    /* texts that they share */
};

/* A part of a text. */
typedef struct Span {
    const char *begin, *end;
} Span;

/* The normalised texts of a correction. */
typedef struct Texts {
    char *source, *translation, *correction;
} Texts;

/* Words that a correction replaced. */
typedef struct Change {
    int texts;          /* index of the correction */
    int key;            /* number of the two texts */
    Span before, after; /* in the translation and in the correction */
} Change;

/* The changes with one key, which stand side by side. */
typedef struct Group {
    Change *changes;
    int count;
} Group;

typedef struct Search {
    bool unspaced[2]; /* whether the source, the target has no spaces */
    Texts *texts;     /* stb_ds array */
    Change *changes;  /* stb_ds array */
    StringTable keys; /* "before\tafter" */
    int *last_texts;  /* stb_ds array: the last correction with each key, so that it counts once */
} Search;

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Whether two characters belong to one word. In a language without spaces, only letters of ASCII and digits do. */
static bool is_joined(int32_t before, int32_t after, bool unspaced) {
    return is_inside_run(before, after) && !(unspaced && is_letter(before) && !is_ascii_letter(before));
}

/* The end of the word or of the mark that starts at text, which must not be empty. */
static const char *word_end(const char *text, bool unspaced) {
    for (;;) {
        const int32_t before = utf8_next(&text);
        const char *next = text;
        if (!*text || !is_joined(before, utf8_next(&next), unspaced)) return text;
    }
}

/* The words and marks of a text, without spaces: a stb_ds array, not NULL. */
static Span *split(const char *text, bool unspaced) {
    Span *words = NULL;
    arrsetcap(words, 16);
    for (const char *end; *text; text = end) {
        end = word_end(text, unspaced);
        if (*text != ' ') arrput(words, ((Span){text, end}));
    }
    return words;
}

static bool is_same(Span a, Span b) {
    return a.end - a.begin == b.end - b.begin && !memcmp(a.begin, b.begin, (size_t)(a.end - a.begin));
}

/* Whether this is a word, not a mark. */
static bool is_word(Span span) {
    const int32_t c = utf8_next(&span.begin);
    return is_han(c) || is_letter(c) || is_digit(c);
}

/* Whether a text has a term as whole words. */
static bool has_term(const char *text, const char *term, bool unspaced) {
    if (!strstr(text, term)) return false; /* mostly */
    for (; *text; text = word_end(text, unspaced)) {
        if (!starts_with(text, term)) continue;
        const char *after = text + strlen(term);
        if (!*after || !is_joined(utf8_last(term), utf8_next(&after), unspaced)) return true;
    }
    return false;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* The words from begin[0] to end[0] of a translation became those from begin[1] to end[1] of its correction. */
typedef struct Range {
    int begin[2], end[2];
} Range;

/* The length of the longest common subsequence of a[i..n-1] and b[j..m-1], at [i × (m + 1) + j]; the caller owns it. */
static uint16_t *common_lengths(const Span *a, int n, const Span *b, int m) {
    const size_t row = (size_t)m + 1;
    uint16_t *lengths = mem_zalloc(((size_t)n + 1) * row * sizeof *lengths);
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--) {
            uint16_t *at = lengths + (size_t)i * row + (size_t)j;
            *at = is_same(a[i], b[j]) ? (uint16_t)(at[row + 1] + 1) : at[row] > at[1] ? at[row] : at[1];
        }
    return lengths;
}

/* Appends a range, if it is not empty. In a language without spaces, a single character between two changes is part of
   the change: 服务 has become 伺服. */
static void add_range(Range **ranges, Range range, bool unspaced) {
    const ptrdiff_t n = arrlen(*ranges);
    if (range.begin[0] == range.end[0] && range.begin[1] == range.end[1]) return;
    if (!unspaced || n == 0 || range.begin[0] - (*ranges)[n - 1].end[0] > 1) arrput(*ranges, range);
    else memcpy((*ranges)[n - 1].end, range.end, sizeof range.end);
}

/* The ranges in which a[0..n-1] and b[0..m-1] differ: a stb_ds array. */
static Range *differences(const Span *a, int n, const Span *b, int m, bool unspaced) {
    Range *ranges = NULL, range = {{0, 0}, {0, 0}};
    uint16_t *lengths = common_lengths(a, n, b, m);
    for (int i = 0, j = 0; i < n || j < m;) {
        const uint16_t *at = lengths + (size_t)i * ((size_t)m + 1) + j;
        if (i < n && j < m && is_same(a[i], b[j])) {
            add_range(&ranges, range, unspaced);
            i++;
            j++;
            range = (Range){{i, j}, {i, j}};
        } else if (j == m || (i < n && at[m + 1] >= at[1])) {
            range.end[0] = ++i;
        } else {
            range.end[1] = ++j;
        }
    }
    add_range(&ranges, range, unspaced);
    mem_free(lengths);
    return ranges;
}

/* The text of some words, without marks at its ends. Returns false if it is no term: it has no word, or too many. */
static bool trim_marks(const Span *words, int begin, int end, Span *text) {
    while (begin < end && !is_word(words[begin])) begin++;
    while (begin < end && !is_word(words[end - 1])) end--;
    if (begin == end || end - begin > MOST_WORDS) return false;
    *text = (Span){words[begin].begin, words[end - 1].end};
    return true;
}

/* The number of two texts. */
static int key_of(Search *s, Span before, Span after) {
    const size_t n = (size_t)(before.end - before.begin), m = (size_t)(after.end - after.begin);
    char *key = mem_alloc(n + 1 + m);
    memcpy(key, before.begin, n);
    key[n] = '\t';
    memcpy(key + n + 1, after.begin, m);
    const int number = string_table_add(&s->keys, key, n + 1 + m);
    mem_free(key);
    return number;
}

static void add_change(Search *s, int texts, Span before, Span after) {
    const int key = key_of(s, before, after);
    if (key == arrlen(s->last_texts)) arrput(s->last_texts, -1);
    if (is_same(before, after) || s->last_texts[key] == texts) return;
    s->last_texts[key] = texts;
    arrput(s->changes, ((Change){texts, key, before, after}));
}

/* Adds the changes of a correction. */
static void add_changes(Search *s, int texts) {
    Span *words[2] = {split(s->texts[texts].translation, s->unspaced[1]),
                      split(s->texts[texts].correction, s->unspaced[1])};
    const Span *a = words[0], *b = words[1];
    Span before, after;
    int n = (int)arrlen(a), m = (int)arrlen(b);
    for (; n > 0 && m > 0 && is_same(*a, *b); n--, m--) a++, b++;
    while (n > 0 && m > 0 && is_same(a[n - 1], b[m - 1])) n--, m--;
    Range *ranges = n <= MOST_CHANGED && m <= MOST_CHANGED ? differences(a, n, b, m, s->unspaced[1]) : NULL;
    for (ptrdiff_t i = 0; i < arrlen(ranges); i++) {
        const Range *r = &ranges[i];
        if (trim_marks(a, r->begin[0], r->end[0], &before) && trim_marks(b, r->begin[1], r->end[1], &after))
            add_change(s, texts, before, after);
    }
    arrfree(ranges);
    arrfree(words[0]);
    arrfree(words[1]);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static int by_key(const void *left, const void *right) {
    const Change *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->texts > b->texts) - (a->texts < b->texts);
}

/* The largest group first, of equal ones the one that was met first. */
static int by_count(const void *left, const void *right) {
    const Group *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return (a->changes->key > b->changes->key) - (a->changes->key < b->changes->key);
}

/* The groups that are large enough: a stb_ds array. Sorts the changes. */
static Group *find_groups(Change *changes) {
    Group *groups = NULL;
    const int n = (int)arrlen(changes);
    if (n > 0) qsort(changes, (size_t)n, sizeof *changes, by_key);
    for (int begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && changes[end].key == changes[begin].key) end++;
        if (end - begin >= TERM_LEAST) arrput(groups, ((Group){changes + begin, end - begin}));
    }
    if (groups) qsort(groups, (size_t)arrlen(groups), sizeof *groups, by_count);
    return groups;
}

/* The character after a part of `text`, or before it; 0: none. */
static int32_t neighbour(const char *text, Span span, bool after) {
    if (after) return *span.end ? utf8_next(&span.end) : 0;
    if (span.begin == text) return 0;
    while ((*--span.begin & 0xC0) == 0x80) continue;
    return utf8_next(&span.begin);
}

/* Lengthens all changes of a group by the Han character on this side, if it is the same one. Returns whether it did. */
static bool lengthen(const Search *s, const Group *group, bool after) {
    const Change *first = group->changes;
    const int32_t c = neighbour(s->texts[first->texts].correction, first->after, after);
    const int bytes = c < 0x10000 ? 3 : 4;
    if (!is_han(c)) return false;
    for (const Change *change = first; change < first + group->count; change++) {
        const Texts *texts = &s->texts[change->texts];
        if (neighbour(texts->translation, change->before, after) != c ||
            neighbour(texts->correction, change->after, after) != c)
            return false;
    }
    for (Change *change = group->changes; change < first + group->count; change++) {
        Span *const sides[] = {&change->before, &change->after};
        for (int i = 0; i < 2; i++) {
            if (after) sides[i]->end += bytes;
            else sides[i]->begin -= bytes;
        }
    }
    return true;
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

/* Whether all sources of a group have a text. */
static bool all_have(const Search *s, const Group *group, const char *source) {
    for (int i = 0; i < smaller(group->count, MOST_MEMBERS); i++)
        if (!has_term(s->texts[group->changes[i].texts].source, source, s->unspaced[0])) return false;
    return true;
}

/* Whether more than half of the corrections whose source has the one text have the other one. */
static bool predicts(const Search *s, const char *source, const char *after) {
    int with = 0, without = 0;
    for (ptrdiff_t i = 0; i < arrlen(s->texts); i++) {
        if (!has_term(s->texts[i].source, source, s->unspaced[0])) continue;
        if (has_term(s->texts[i].correction, after, s->unspaced[1])) with++;
        else without++;
    }
    return with > without;
}

/* A copy of some words with the text between them, if the sources of a group share it; else NULL. */
static char *shared_text(const Search *s, const Group *group, const Span *words, int n) {
    if (!is_word(words[0]) || !is_word(words[n - 1])) return NULL;
    char *text = mem_strndup(words[0].begin, (size_t)(words[n - 1].end - words[0].begin));
    if ((!s->unspaced[0] || utf8_count(text) > 1) && all_have(s, group, text)) return text;
    mem_free(text);
    return NULL;
}

/* The longest source of a group, which the caller owns; NULL: there is none. */
static char *find_source(const Search *s, const Group *group, const char *after) {
    Span *words = split(s->texts[group->changes->texts].source, s->unspaced[0]);
    const int count = (int)arrlen(words) <= MOST_SOURCE ? (int)arrlen(words) : 0;
    char *source = NULL;
    for (int n = smaller(MOST_WORDS, count), i = 0, tried = 0; n > 0 && !source && tried < MOST_TRIED;) {
        source = shared_text(s, group, words + i, n);
        if (source) tried++;
        if (source && !predicts(s, source, after)) {
            mem_free(source);
            source = NULL;
        }
        if (++i + n > count) n--, i = 0;
    }
    arrfree(words);
    return source;
}

static char *copy(Span span) { return mem_strndup(span.begin, (size_t)(span.end - span.begin)); }

/* Appends the proposal of a group, if there is one. */
static void propose(const Search *s, const Group *group, TermProposal **terms) {
    enum { MOST_LONGER = 2 };
    for (int i = 0; s->unspaced[1] && i < 2 * MOST_LONGER; i++) lengthen(s, group, i < MOST_LONGER);
    char *after = copy(group->changes->after), *source = find_source(s, group, after);
    if (source) arrput(*terms, ((TermProposal){source, copy(group->changes->before), after, group->count}));
    else mem_free(after);
}

static bool is_of(const Correction *c, const char *const langs[2]) {
    return c->translation && !strcmp(c->langs[0], langs[0]) && !strcmp(c->langs[1], langs[1]);
}

static void texts_free(Texts *texts) {
    mem_free(texts->source);
    mem_free(texts->translation);
    mem_free(texts->correction);
}

/* Appends the texts of a correction, if all are valid, and its changes. */
static void add_correction(Search *s, const Correction *c) {
    Texts texts = {.source = text_normalise(c->source, strlen(c->source), NULL),
                   .translation = text_normalise(c->translation, strlen(c->translation), NULL),
                   .correction = text_normalise(c->correction, strlen(c->correction), NULL)};
    if (texts.source && texts.translation && texts.correction) {
        arrput(s->texts, texts);
        add_changes(s, (int)arrlen(s->texts) - 1);
    } else {
        texts_free(&texts);
    }
}

TermProposal *correction_terms(const Correction *const *corrections, int n, const char *const langs[2]) {
    Search s = {.unspaced = {unspaced_language(langs[0]), unspaced_language(langs[1])}};
    TermProposal *terms = NULL;
    for (int i = 0; i < n; i++)
        if (is_of(corrections[i], langs)) add_correction(&s, corrections[i]);
    Group *groups = find_groups(s.changes);
    for (int i = 0; i < smaller((int)arrlen(groups), TERM_MOST); i++) propose(&s, &groups[i], &terms);
    for (ptrdiff_t i = 0; i < arrlen(s.texts); i++) texts_free(&s.texts[i]);
    arrfree(groups);
    arrfree(s.texts);
    arrfree(s.changes);
    arrfree(s.last_texts);
    string_table_free(&s.keys);
    return terms;
}

void correction_terms_free(TermProposal *terms) {
    for (ptrdiff_t i = 0; i < arrlen(terms); i++) {
        mem_free(terms[i].source);
        mem_free(terms[i].before);
        mem_free(terms[i].after);
    }
    arrfree(terms);
}
