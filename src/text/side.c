#include "text/side.h"
#include "io/ds.h"

#include <limits.h>
#include <string.h>

/* Adds `count` to the counts of the pieces, a stb_ds array, which it frees. counts: [number of a piece], a stb_ds
   array. */
static void add_pieces(StringTable *names, long **counts, char **pieces, long count) {
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        const int piece = string_table_add(names, pieces[i], strlen(pieces[i]));
        if (piece == arrlen(*counts)) arrput(*counts, 0);
        (*counts)[piece] += count; /* NOLINT(clang-analyzer-core.NullDereference): arrput has allocated it */
    }
    strings_free(pieces);
}

/* Builds the vocabulary of at most `size` pieces for counted words. */
static Vocab *build_vocab(const Tokenizer *tokenizer, const WordCounts *words, int size) {
    StringTable names = {0};
    long *counts = NULL;
    for (ptrdiff_t i = 0; i < arrlen(words->counts); i++) {
        const char *word = words->words.strings[i];
        const WordCount *of_word = &words->counts[i];
        char **pieces = NULL, **steps = NULL;
        tokenizer_split_word(tokenizer, word, of_word->whole, &pieces);
        add_pieces(&names, &counts, pieces, of_word->count);
        if (of_word->whole) continue;
        bpe_steps(tokenizer->bpe, word, &steps);
        add_pieces(&names, &counts, steps, 0);
    }
    const int n = string_table_count(&names);
    Vocab *vocab = vocab_build(names.strings, counts, n, size, tokenizer->kind == TOKENIZER_BPE);
    string_table_free(&names);
    arrfree(counts);
    return vocab;
}

void side_learn(Side *side, TokenizerKind kind, WordCounts words, int merges, int size) {
    *side = (Side){.tokenizer = {kind, kind == TOKENIZER_BPE ? merges_learn(&words, 1, merges) : NULL}};
    side->vocab = build_vocab(&side->tokenizer, &words, size);
    words_free(&words);
}

void sides_learn_jointly(Side *const sides[2], WordCounts words[2], int merges, const int sizes[2]) {
    Bpe *bpe = merges_learn(words, 2, merges);
    for (int i = 0; i < 2; i++) {
        *sides[i] = (Side){.tokenizer = {TOKENIZER_BPE, i ? bpe : bpe_copy(bpe)}};
        sides[i]->vocab = build_vocab(&sides[i]->tokenizer, &words[i], sizes[i]);
        words_free(&words[i]);
    }
}

int side_check_subwords(const Side *side, const char *path, Err *err) {
    const long pieces = vocab_size(side->vocab), subwords = vocab_size(side->subwords->vocab);
    if (pieces * subwords <= INT_MAX) return 0;
    return err_set(err, path, 0,
                   "%ld source pieces times %ld subwords give more ids than an int holds; use smaller dim-vocabs or "
                   "fewer bpe-merges",
                   pieces, subwords);
}

int side_learn_subwords(Side *side, WordCounts words, int merges, Err *err) {
    side->subwords = mem_zalloc(sizeof *side->subwords);
    side_learn(side->subwords, TOKENIZER_BPE, words, merges, 0);
    return side_check_subwords(side, NULL, err);
}

int side_piece(const Side *side, int id) { return id % vocab_size(side->vocab); }

void side_free(Side *side) {
    if (side->subwords) side_free(side->subwords);
    mem_free(side->subwords);
    bpe_free(side->tokenizer.bpe);
    vocab_free(side->vocab);
    *side = (Side){0};
}

/* Appends a piece, or the parts that it is split into. */
static void append_known(const Side *side, const char *piece, char ***pieces) {
    const char *parts[2];
    if (vocab_has(side->vocab, piece) || !bpe_undo(side->tokenizer.bpe, piece, parts)) {
        arrput(*pieces, mem_strdup(piece));
        return;
    }
    append_known(side, parts[0], pieces);
    append_known(side, parts[1], pieces);
}

void side_split_word(const Side *side, const Words *words, char ***pieces) {
    if (words->whole) {
        arrput(*pieces, mem_strdup(words->word));
        return;
    }
    char **merged = NULL;
    bpe_apply(side->tokenizer.bpe, words->word, &merged);
    for (ptrdiff_t i = 0; i < arrlen(merged); i++) append_known(side, merged[i], pieces);
    strings_free(merged);
}

char **side_split(const Side *side, const char *sentence) {
    char **pieces = NULL;
    Words words = words_start(side->tokenizer.kind, sentence);
    while (words_next(&words)) side_split_word(side, &words, &pieces);
    words_end(&words);
    return pieces;
}

static bool is_left_out(const Side *side, const char *piece) {
    return side->tokenizer.kind != TOKENIZER_NONE && !strcmp(piece, SPACE_MARK) && !vocab_has(side->vocab, piece);
}

/* A piece, and the offset in bytes of its end in the word or in the sentence. */
typedef struct PieceEnd {
    int id, end;
} PieceEnd;

/* The pieces of a word: pieces[begin..begin + length - 1] of the cache. */
typedef struct CachedWord {
    size_t begin, length;
    int bytes; /* length of the word */
} CachedWord;

struct SideCache {
    const Side *side;
    StringTable names;
    CachedWord *words;   /* stb_ds array: of each name */
    PieceEnd *pieces;    /* stb_ds array: the pieces of all words */
    SideCache *subwords; /* for side->subwords; NULL: none */
    int end;             /* the last id of a sentence */
};

SideCache *side_cache(const Side *side) {
    SideCache *cache = mem_zalloc(sizeof *cache);
    cache->side = side;
    cache->end = ID_EOS;
    if (side->subwords) cache->subwords = side_cache(side->subwords);
    return cache;
}

static void cache_clear(SideCache *cache) {
    string_table_free(&cache->names);
    arrfree(cache->words);
    arrfree(cache->pieces);
}

void side_cache_free(SideCache *cache) {
    if (cache->subwords) side_cache_free(cache->subwords);
    cache_clear(cache);
    mem_free(cache);
}

/* The pieces of a word. Adds a new word to the cache; clears the cache first if it is full, so that it cannot fill the
   memory. */
static const CachedWord *cached_word(SideCache *cache, const Words *words) {
    enum { MOST = 1 << 18 };
    const size_t n = strlen(words->word);
    const int known = string_table_find(&cache->names, words->word, n);
    if (known >= 0) return &cache->words[known];
    if (arrlen(cache->words) == MOST) cache_clear(cache);
    CachedWord word = {.begin = arrlenu(cache->pieces)};
    char **pieces = NULL;
    side_split_word(cache->side, words, &pieces);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        word.bytes += (int)strlen(pieces[i]);
        if (!is_left_out(cache->side, pieces[i]))
            arrput(cache->pieces, ((PieceEnd){vocab_id(cache->side->vocab, pieces[i]), word.bytes}));
    }
    word.length = arrlenu(cache->pieces) - word.begin;
    strings_free(pieces);
    string_table_add(&cache->names, words->word, n);
    arrput(cache->words, word);
    return &arrlast(cache->words);
}

/* The pieces of a sentence: a stb_ds array. */
static PieceEnd *split_sentence(SideCache *cache, const char *sentence) {
    PieceEnd *ends = NULL;
    int bytes = 0;
    Words words = words_start(cache->side->tokenizer.kind, sentence);
    while (words_next(&words)) {
        const CachedWord *word = cached_word(cache, &words);
        for (size_t i = 0; i < word->length; i++) {
            PieceEnd piece = cache->pieces[word->begin + i];
            arrput(ends, ((PieceEnd){piece.id, bytes + piece.end}));
        }
        bytes += word->bytes;
    }
    words_end(&words);
    return ends;
}

/* Adds the source factor: ids[i] = piece + n_pieces × subword; the subword is the one that contains the end of the
   piece. The text of the subwords is a space mark and then the text of the pieces. */
static void add_subword_factor(const SideCache *cache, int *ids, const PieceEnd *pieces, const PieceEnd *subwords) {
    const int size = vocab_size(cache->side->vocab), mark = (int)strlen(SPACE_MARK);
    ptrdiff_t at = 0;
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        while (at < arrlen(subwords) && subwords[at].end < pieces[i].end + mark) at++;
        CHECK(at < arrlen(subwords), "side: the subwords end before piece %td", i);
        ids[i] += size * subwords[at].id;
    }
    ids[arrlen(pieces)] += size * ID_EOS;
}

void side_cache_end(SideCache *cache, int id) { cache->end = id; }

int *side_cache_encode(SideCache *cache, const char *sentence) {
    int *ids = NULL;
    PieceEnd *pieces = split_sentence(cache, sentence),
             *subwords = cache->subwords ? split_sentence(cache->subwords, sentence) : NULL;
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) arrput(ids, pieces[i].id);
    arrput(ids, cache->end);
    if (cache->subwords) add_subword_factor(cache, ids, pieces, subwords);
    arrfree(pieces);
    arrfree(subwords);
    return ids;
}

int **side_encode_all(const Side *side, char *const *sentences, int n) {
    int **all = mem_alloc((size_t)n * sizeof *all);
    SideCache *cache = side_cache(side);
    for (int i = 0; i < n; i++) all[i] = side_cache_encode(cache, sentences[i]);
    side_cache_free(cache);
    return all;
}

void side_ids_free(int **ids, int n) {
    for (int i = 0; i < n; i++) arrfree(ids[i]);
    mem_free(ids);
}

int *side_encode(const Side *side, const char *sentence) {
    int **all = side_encode_all(side, (char *[]){(char *)sentence}, 1), *ids = all[0];
    mem_free(all);
    return ids;
}

int side_piece_id(const Side *side, const char *piece, Err *err) {
    const int id = vocab_id(side->vocab, piece);
    return id != ID_UNK ? id : err_set(err, NULL, 0, "the vocabulary has no piece '%.100s'", piece);
}

int *side_piece_ids(const Side *side, char *const *pieces, int n, Err *err) {
    const int words = pieces_text_count(pieces, n);
    int *ids = NULL, status = 0;
    for (int i = 0; i < words && !status; i++) {
        const bool unknown = !strcmp(pieces[i], vocab_piece(side->vocab, ID_UNK));
        const int id = unknown ? ID_UNK : side_piece_id(side, pieces[i], err);
        if (piece_is_end(pieces[i])) status = err_set(err, NULL, 0, "a translation with pieces after </s>");
        else if (id < 0) status = -1;
        else arrput(ids, id);
    }
    if (!status) arrput(ids, ID_EOS);
    else arrfree(ids);
    return ids;
}

int side_check_lengths(const Side *side, char *const *sentences, int n, int most, const char *path, Err *err) {
    int status = 0;
    for (int i = 0; i < n && !status; i++) {
        if (2 * strlen(sentences[i]) < (size_t)most) continue; /* a byte gives at most two pieces: a backslash does */
        int *ids = side_encode(side, sentences[i]);
        const ptrdiff_t pieces = arrlen(ids) - 1;
        if (pieces > most)
            status = err_set(err, path, i + 1L, "a sentence of %td pieces, where %d are the limit", pieces, most);
        arrfree(ids);
    }
    return status;
}

double side_unknown(const Side *side, char *const *sentences, int n) {
    enum { MOST = 1000 };
    long unknown = 0, all = 0;
    for (int i = 0; i < n && i < MOST; i++) {
        int *ids = side_encode(side, sentences[i]);
        for (ptrdiff_t k = 0; k < arrlen(ids) - 1; k++) unknown += side_piece(side, ids[k]) == ID_UNK;
        all += arrlen(ids) - 1;
        arrfree(ids);
    }
    return all ? (double)unknown / (double)all : 0;
}

static char *marked(const char *piece, bool space) {
    char *text = mem_alloc(strlen(SPACE_MARK) + strlen(piece) + 1);
    strcpy(stpcpy(text, space ? SPACE_MARK : ""), piece);
    return text;
}

char **side_spell(const Side *side, const char *sentence) {
    char **pieces = side_split(side, sentence), **spelled = NULL;
    bool space = false; /* a space mark was omitted before this piece */
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        bool left_out = is_left_out(side, pieces[i]);
        if (!left_out) arrput(spelled, marked(pieces[i], space));
        space = left_out;
    }
    arrput(spelled, mem_strdup(vocab_piece(side->vocab, ID_EOS)));
    strings_free(pieces);
    return spelled;
}

char **side_pieces(const Side *side, const int *ids, int n) {
    char **pieces = NULL;
    for (int i = 0; i < n; i++) arrput(pieces, (char *)vocab_piece(side->vocab, ids[i]));
    return pieces;
}

char *side_decode(const Side *side, const int *ids, int n) {
    char **pieces = NULL;
    for (int i = 0; i < n; i++)
        if (ids[i] == ID_UNK || ids[i] >= ID_SPECIALS) arrput(pieces, (char *)vocab_piece(side->vocab, ids[i]));
    char *text = tokenizer_join(side->tokenizer.kind, pieces, (int)arrlen(pieces));
    arrfree(pieces);
    return text;
}
