#include "text/bpe.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/pair_table.h"
#include "io/string_table.h"
#include "text/unicode.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* A piece is represented by its symbol, its number in `symbols`. An index into `merges` is the rank of the merge. */
typedef struct Pair {
    int left, right;
} Pair;

typedef struct Merge {
    Pair key;
    int joined;
} Merge;

struct Bpe {
    StringTable symbols;
    int *made;      /* stb_ds array: rank of the first merge that makes each symbol; -1: none */
    Merge *merges;  /* stb_ds array */
    PairTable rank; /* of the merge of a pair of symbols, plus 1 */
    int ascii[128]; /* the symbol of each one-byte character, -1 for none; avoids hashing */
};

int bpe_merges(const Bpe *bpe) { return (int)arrlen(bpe->merges); }

static Bpe *bpe_new(void) {
    Bpe *bpe = mem_zalloc(sizeof *bpe);
    for (int c = 0; c < 128; c++) bpe->ascii[c] = -1;
    bpe->rank = pair_table_new();
    return bpe;
}

void bpe_free(Bpe *bpe) {
    if (!bpe) return;
    string_table_free(&bpe->symbols);
    arrfree(bpe->made);
    arrfree(bpe->merges);
    pair_table_free(&bpe->rank);
    mem_free(bpe);
}

static const char *symbol_text(const Bpe *bpe, int symbol) { return bpe->symbols.strings[symbol]; }

/* The symbol of n bytes of text; adds it if it is new. */
static int symbol_add(Bpe *bpe, const char *text, size_t n) {
    const int symbol = string_table_add(&bpe->symbols, text, n);
    if (symbol == arrlen(bpe->made)) arrput(bpe->made, -1);
    if (n == 1) bpe->ascii[(unsigned char)*text] = symbol;
    return symbol;
}

/* The symbol of the character that starts at text and has n bytes, or -1. */
static int symbol_of_character(const Bpe *bpe, const char *text, size_t n) {
    return n == 1 ? bpe->ascii[(unsigned char)*text] : string_table_find(&bpe->symbols, text, n);
}

static int symbol_join(Bpe *bpe, Pair pair) {
    const char *left = symbol_text(bpe, pair.left), *right = symbol_text(bpe, pair.right);
    char *text = mem_alloc(strlen(left) + strlen(right) + 1), *end = stpcpy(stpcpy(text, left), right);
    int joined = symbol_add(bpe, text, (size_t)(end - text));
    mem_free(text);
    return joined;
}

/* The rank of the merge of a pair; -1 if no merge joins it or one of its symbols is unknown (-1). */
static int rank_of(const Bpe *bpe, Pair pair) {
    if (pair.left < 0 || pair.right < 0) return -1;
    return pair_table_number(&bpe->rank, (uint32_t)pair.left, (uint32_t)pair.right) - 1;
}

/* Appends a merge. Returns false if the merge exists already. */
static bool merge_add(Bpe *bpe, Pair pair) {
    PairEntry *known = pair_table_add(&bpe->rank, (uint32_t)pair.left, (uint32_t)pair.right);
    if (known->number) return false;
    Merge merge = {pair, symbol_join(bpe, pair)};
    int *made = &bpe->made[merge.joined];
    if (*made < 0) *made = bpe_merges(bpe);
    arrput(bpe->merges, merge);
    known->number = bpe_merges(bpe);
    return true;
}

/* ---- the text form ---- */

/* Adds the merge on a line of n bytes. */
static int parse_merge(Bpe *bpe, const char *line, size_t n, const char *path, long number, Err *err) {
    const char *space = memchr(line, ' ', n);
    size_t left = space ? (size_t)(space - line) : n;
    size_t right = space ? n - left - 1 : 0;
    if (left == 0 || right == 0 || memchr(space + 1, ' ', right))
        return err_set(err, path, number, "a merge must be two pieces with one space between");
    if (!utf8_valid(line, n)) return err_set(err, path, number, "merge is not valid UTF-8");
    Pair pair = {symbol_add(bpe, line, left), symbol_add(bpe, space + 1, right)};
    if (!merge_add(bpe, pair)) return err_set(err, path, number, "merge appears a second time");
    return 0;
}

Bpe *bpe_parse(const char *text, const char *path, Err *err) {
    Bpe *bpe = bpe_new();
    string_table_reserve_lines(&bpe->symbols, text);
    for (long number = 1; *text; number++) {
        size_t n = strcspn(text, "\n");
        if (parse_merge(bpe, text, n, path, number, err)) {
            bpe_free(bpe);
            return NULL;
        }
        text += n + (text[n] == '\n');
    }
    return bpe;
}

char *bpe_format(const Bpe *bpe) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (int i = 0; i < bpe_merges(bpe); i++) {
        const Pair pair = bpe->merges[i].key;
        fprintf(out, "%s %s\n", symbol_text(bpe, pair.left), symbol_text(bpe, pair.right));
    }
    return memory_close(&memory, NULL);
}

Bpe *bpe_copy(const Bpe *bpe) {
    Bpe *copy = bpe_new();
    for (int rank = 0; rank < bpe_merges(bpe); rank++) {
        Pair pair = bpe->merges[rank].key;
        const char *left = symbol_text(bpe, pair.left), *right = symbol_text(bpe, pair.right);
        merge_add(copy, (Pair){symbol_add(copy, left, strlen(left)), symbol_add(copy, right, strlen(right))});
    }
    return copy;
}

/* ---- applying ---- */

enum { UNRANKED = -2 };

/* A piece of the word after the merges so far. */
typedef struct Span {
    const char *text;
    size_t length;
    int symbol; /* -1 for a character that no merge knows */
    int rank;   /* of the merge with the next span, -1 for none; UNRANKED: not computed yet */
} Span;

static Span *characters(const Bpe *bpe, const char *word) {
    Span *spans = NULL;
    arrsetcap(spans, strlen(word));
    for (; *word; word += arrlast(spans).length) {
        size_t n = utf8_length(word);
        arrput(spans, ((Span){word, n, symbol_of_character(bpe, word, n), UNRANKED}));
    }
    return spans;
}

/* The lowest rank of all pairs of adjacent spans; -1 if none can be merged. */
static int lowest_rank(const Bpe *bpe, Span *spans) {
    int lowest = -1;
    for (ptrdiff_t i = 0; i + 1 < arrlen(spans); i++) {
        Span *span = &spans[i];
        if (span->rank == UNRANKED) span->rank = rank_of(bpe, (Pair){span->symbol, spans[i + 1].symbol});
        if (span->rank >= 0 && (lowest < 0 || span->rank < lowest)) lowest = span->rank;
    }
    return lowest;
}

/* Applies the merge to every occurrence, from left to right. */
static void merge_spans(Span *spans, int rank, Merge merge) {
    size_t n = arrlenu(spans), out = 0;
    for (size_t in = 0; in < n; in++) {
        Span span = spans[in];
        if (in + 1 < n && span.rank == rank) {
            span.symbol = merge.joined;
            span.length += spans[++in].length;
            span.rank = UNRANKED;
            if (out > 0) spans[out - 1].rank = UNRANKED;
        }
        spans[out++] = span;
    }
    arrsetlen(spans, out);
}

static void append_spans(Span *spans, char ***pieces) {
    for (ptrdiff_t i = 0; i < arrlen(spans); i++) arrput(*pieces, mem_strndup(spans[i].text, spans[i].length));
}

void bpe_apply(const Bpe *bpe, const char *word, char ***pieces) {
    Span *spans = characters(bpe, word);
    for (int rank; (rank = lowest_rank(bpe, spans)) >= 0;) merge_spans(spans, rank, bpe->merges[rank]);
    append_spans(spans, pieces);
    arrfree(spans);
}

void bpe_steps(const Bpe *bpe, const char *word, char ***pieces) {
    Span *spans = characters(bpe, word);
    append_spans(spans, pieces);
    for (int rank; (rank = lowest_rank(bpe, spans)) >= 0;) {
        merge_spans(spans, rank, bpe->merges[rank]);
        arrput(*pieces, mem_strdup(symbol_text(bpe, bpe->merges[rank].joined)));
    }
    arrfree(spans);
}

bool bpe_undo(const Bpe *bpe, const char *piece, const char *parts[2]) {
    const int symbol = string_table_find(&bpe->symbols, piece, strlen(piece));
    if (symbol < 0 || bpe->made[symbol] < 0) return false;
    const Pair pair = bpe->merges[bpe->made[symbol]].key;
    parts[0] = symbol_text(bpe, pair.left);
    parts[1] = symbol_text(bpe, pair.right);
    return true;
}

/* ---- learning ---- */

typedef struct Word {
    int *symbols; /* owned */
    int length;
    long count;
} Word;

typedef struct PairCount {
    Pair key;
    long count;  /* current number of occurrences in all words */
    long queued; /* the count in the newest heap entry of the pair */
    int *words;  /* stb_ds array: all words that contain the pair, and some that no longer do */
} PairCount;

/* A heap entry: a pair with its count at the time of the push. */
typedef struct Entry {
    long count;
    int pair;
} Entry;

/* Each merge updates the counts immediately, but the heap lazily. The count of a heap entry may be too large: pop
   corrects it. It is never too small, because a pair whose count grew is pushed again. */
typedef struct Learner {
    Bpe *bpe;
    Word *words;
    PairCount *pairs; /* stb_ds array; the index of a pair is its number */
    PairTable number; /* of each pair, plus 1 */
    int *grown;       /* stb_ds array: pairs whose count grew since the last queue_grown */
    Entry *heap;      /* stb_ds array: binary heap with the best entry at 0 */
} Learner;

/* The pair of higher count comes first; ties are in byte order, so that the result does not depend on hash order. */
static bool comes_before(const Learner *l, Entry a, Entry b) {
    if (a.count != b.count) return a.count > b.count;
    Pair p = l->pairs[a.pair].key, q = l->pairs[b.pair].key;
    int order = strcmp(symbol_text(l->bpe, p.left), symbol_text(l->bpe, q.left));
    if (order == 0) order = strcmp(symbol_text(l->bpe, p.right), symbol_text(l->bpe, q.right));
    return order < 0;
}

/* Pushes a pair with its current count, unless the count is below 2. */
static void heap_push(Learner *l, int pair) {
    Entry entry = {l->pairs[pair].count, pair};
    l->pairs[pair].queued = entry.count;
    if (entry.count < 2) return;
    arrput(l->heap, entry);
    size_t at = arrlenu(l->heap) - 1;
    for (; at > 0 && comes_before(l, entry, l->heap[(at - 1) / 2]); at = (at - 1) / 2)
        l->heap[at] = l->heap[(at - 1) / 2];
    l->heap[at] = entry;
}

static Entry heap_pop(Learner *l) {
    Entry top = l->heap[0], last = arrpop(l->heap);
    size_t n = arrlenu(l->heap), at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_before(l, l->heap[child + 1], l->heap[child])) child++;
        if (!comes_before(l, l->heap[child], last)) break;
        l->heap[at] = l->heap[child];
    }
    if (n > 0) l->heap[at] = last;
    return top;
}

/* Adds (sign +1) or removes (sign -1) one occurrence of (left, right) in the word. */
static void count_pair(Learner *l, int left, int right, int word, int sign) {
    PairEntry *known = pair_table_add(&l->number, (uint32_t)left, (uint32_t)right);
    if (!known->number) {
        CHECK(arrlen(l->pairs) < INT_MAX, "bpe: too many pairs");
        arrput(l->pairs, ((PairCount){.key = {left, right}}));
        known->number = (int)arrlen(l->pairs);
    }
    const int at = known->number - 1;
    PairCount *pair = &l->pairs[at];
    pair->count += sign * l->words[word].count;
    if (sign < 0) return;
    if (arrlen(pair->words) == 0 || arrlast(pair->words) != word) arrput(pair->words, word);
    arrput(l->grown, at);
}

/* Pushes the pairs whose count grew. */
static void queue_grown(Learner *l) {
    while (arrlen(l->grown) > 0) {
        int pair = arrpop(l->grown);
        if (l->pairs[pair].count > l->pairs[pair].queued) heap_push(l, pair);
    }
}

/* Pops the most frequent pair; -1 if no pair occurs twice. */
static int pop_most_frequent(Learner *l) {
    while (arrlen(l->heap) > 0) {
        Entry top = heap_pop(l);
        PairCount *pair = &l->pairs[top.pair];
        if (top.count == pair->count) return top.pair;
        if (top.count == pair->queued) heap_push(l, top.pair);
    }
    return -1;
}

/* Replaces each occurrence of the pair in the word, from left to right, and updates the counts. */
static void merge_word(Learner *l, int w, Merge merge) {
    Word *word = &l->words[w];
    int *symbols = word->symbols, out = 0;
    Pair pair = merge.key;
    for (int in = 0; in < word->length; in++) {
        bool more = in + 1 < word->length;
        if (!more || symbols[in] != pair.left || symbols[in + 1] != pair.right) {
            symbols[out++] = symbols[in];
            continue;
        }
        count_pair(l, pair.left, pair.right, w, -1);
        if (out > 0) {
            count_pair(l, symbols[out - 1], pair.left, w, -1);
            count_pair(l, symbols[out - 1], merge.joined, w, +1);
        }
        if (in + 2 < word->length) {
            count_pair(l, pair.right, symbols[in + 2], w, -1);
            count_pair(l, merge.joined, symbols[in + 2], w, +1);
        }
        symbols[out++] = merge.joined;
        in++;
    }
    word->length = out;
}

/* A pair is merged at most once: one merge makes all occurrences of a piece at the same time, so the pair cannot occur
   again. */
static void merge_everywhere(Learner *l, int pair) {
    CHECK(merge_add(l->bpe, l->pairs[pair].key), "bpe: the same merge learned twice");
    Merge merge = l->bpe->merges[bpe_merges(l->bpe) - 1];
    int *words = l->pairs[pair].words;
    l->pairs[pair].words = NULL;
    for (ptrdiff_t i = 0; i < arrlen(words); i++) merge_word(l, words[i], merge);
    arrfree(words);
    queue_grown(l);
}

static void add_word(Learner *l, int w, const char *text, long count) {
    size_t length = utf8_count(text);
    CHECK(length < INT_MAX, "bpe: a word of %zu characters", length);
    Word *word = &l->words[w];
    *word = (Word){mem_alloc(length * sizeof *word->symbols), (int)length, count};
    for (int i = 0; i < word->length; i++) {
        size_t n = utf8_length(text);
        word->symbols[i] = symbol_add(l->bpe, text, n);
        text += n;
        if (i > 0) count_pair(l, word->symbols[i - 1], word->symbols[i], w, +1);
    }
}

Bpe *bpe_learn(char *const *words, const long *counts, int n, int merges) {
    Learner l = {.bpe = bpe_new(), .words = mem_alloc((size_t)n * sizeof(Word)), .number = pair_table_new()};
    for (int w = 0; w < n; w++) add_word(&l, w, words[w], counts[w]);
    queue_grown(&l);
    for (int pair; bpe_merges(l.bpe) < merges && (pair = pop_most_frequent(&l)) >= 0;) merge_everywhere(&l, pair);
    for (int w = 0; w < n; w++) mem_free(l.words[w].symbols);
    for (ptrdiff_t i = 0; i < arrlen(l.pairs); i++) arrfree(l.pairs[i].words);
    mem_free(l.words);
    arrfree(l.pairs);
    pair_table_free(&l.number);
    arrfree(l.grown);
    arrfree(l.heap);
    return l.bpe;
}
