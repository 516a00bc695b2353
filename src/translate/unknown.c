#include "translate/unknown.h"
#include "io/ds.h"
#include "text/unicode.h"

#include <string.h>

/* Source pieces begin..end - 1. */
typedef struct Span {
    int begin, end;
} Span;

typedef struct Replacer {
    const Lexicon *lexicon;
    bool han; /* words with Han characters may be copied from the source */
    TokenizerKind source_kind, target_kind;
    char **source; /* stb_ds array: the pieces of the sentence, with </s> */
    int n;         /* number of pieces without </s> */
    char **pieces; /* stb_ds array: the pieces of the text so far, owned */
} Replacer;

/* ---- the source ----------------------------------------------------------------------------------------------- */

static bool is_written(int32_t c) { return is_letter(c) || is_digit(c) || is_han(c); }

/* Whether a piece has a letter, a digit or a Han character. */
static bool has_word(const char *text) {
    while (*text)
        if (is_written(utf8_next(&text))) return true;
    return false;
}

static char *source_text(const Replacer *r, Span span) {
    return tokenizer_join(r->source_kind, r->source + span.begin, span.end - span.begin);
}

/* The source piece with the largest weight; for a space mark of bpe, the piece after it. */
static int attended(const Replacer *r, const float *weight) {
    int best = 0;
    for (int j = 1; j < r->n; j++)
        if (weight[j] > weight[best]) best = j;
    if (r->source_kind == TOKENIZER_BPE && !strcmp(r->source[best], SPACE_MARK) && best + 1 < r->n) best++;
    return best;
}

static Span word_at(const Replacer *r, int at) {
    Span word = {at, at + 1};
    if (r->source_kind != TOKENIZER_BPE) return word;
    while (word.begin > 0 && !piece_is_spaced(r->source[word.begin])) word.begin--;
    while (word.end < r->n && !piece_is_spaced(r->source[word.end])) word.end++;
    while (word.begin < word.end && !has_word(r->source[word.begin])) word.begin++;
    while (word.begin < word.end && !has_word(r->source[word.end - 1])) word.end--;
    return word.begin <= at && at < word.end ? word : (Span){at, at + 1};
}

/* Whether source pieces i - 1 and i are parts of one run of letters, or of one run of digits, that bpe has split. */
static bool splits_run(const Replacer *r, int i) {
    if (r->source_kind != TOKENIZER_BPE || i == 0 || i == r->n) return false;
    const char *text = r->source[i];
    return is_inside_run(utf8_last(r->source[i - 1]), utf8_next(&text));
}

/* The translation of the longest entry that covers piece `at`, NULL if there is none; *span receives its pieces. Of
   several spans with texts of this length it is the one that begins first and ends last, so all pieces of an entry
   find the same span. */
static const char *find_entry(const Replacer *r, int at, Span *span) {
    const char *found = NULL;
    size_t longest = 0, limit = r->lexicon ? lexicon_longest(r->lexicon) : 0;
    for (int begin = at; begin >= 0 && limit > 0; begin--) {
        if (splits_run(r, begin)) continue;
        for (int end = at + 1; end <= r->n; end++) {
            char *text = source_text(r, (Span){begin, end});
            size_t length = strlen(text);
            const char *target = splits_run(r, end) ? NULL : lexicon_find(r->lexicon, text, length);
            mem_free(text);
            if (length > limit && end == at + 1) return found; /* an earlier `begin` makes the text longer still */
            if (length > limit) break;
            if (!target || length < longest) continue;
            found = target;
            longest = length;
            *span = (Span){begin, end};
        }
    }
    return found;
}

/* ---- the target ----------------------------------------------------------------------------------------------- */

/* Whether the next piece follows without a space. */
static bool is_opening(const char *piece) {
    static const char *const marks[] = {"(", "[", "{", "“", "‘", SPACE_MARK "\"", SPACE_MARK "'"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (ends_with(piece, marks[i])) return true;
    return false;
}

static void put(Replacer *r, const char *piece) { arrput(r->pieces, mem_strdup(piece)); }

/* Adds a piece that the model wrote. If it continues a word that was replaced, it starts a new word instead. */
static void put_piece(Replacer *r, const char *piece, bool after_unknown) {
    const char *rest = piece;
    if (after_unknown && r->target_kind == TOKENIZER_BPE && is_written(utf8_next(&rest))) put(r, SPACE_MARK);
    put(r, piece);
}

/* Adds a text, split as the target's tokenizer splits text. */
static void put_text(Replacer *r, const char *text) {
    if (!*text) return;
    if (r->target_kind == TOKENIZER_NONE) {
        put(r, text);
        return;
    }
    bool close = !has_word(text) || (arrlen(r->pieces) && is_opening(arrlast(r->pieces)));
    if (r->target_kind == TOKENIZER_BPE && !close) put(r, SPACE_MARK);
    char **spelled = tokenizer_split(&(Tokenizer){.kind = TOKENIZER_CHAR}, text);
    for (ptrdiff_t i = 0; i < arrlen(spelled); i++) arrput(r->pieces, spelled[i]);
    arrfree(spelled);
}

/* Adds the replacement of an <unk>, unless the <unk> directly before it has the same source span. Returns the span. */
static Span put_unknown(Replacer *r, const float *weight, Span before) {
    int at = attended(r, weight);
    Span span = word_at(r, at);
    const char *entry = find_entry(r, at, &span);
    if (span.begin == before.begin && span.end == before.end) return span;
    char *word = source_text(r, span);
    if (entry) put_text(r, entry);
    else if (r->han || !text_has_han(word)) put_text(r, word);
    mem_free(word);
    return span;
}

char *unknown_replace(const Translator *translator, const char *sentence, const Hypothesis *h, const Lexicon *lexicon,
                      bool han) {
    const Tokenizer *source = &translator->source.tokenizer, *target = &translator->target.tokenizer;
    Replacer r = {.lexicon = lexicon,
                  .han = han || translator_writes_han(translator),
                  .source_kind = source->kind,
                  .target_kind = target->kind,
                  .source = side_spell(&translator->source, sentence)};
    const Span none = {-1, -1};
    Span before = none;
    CHECK(h->alpha, "unknown_replace: a hypothesis without an alignment");
    r.n = (int)arrlen(r.source) - 1;
    for (int i = 0; i < h->length; i++) {
        if (h->ids[i] == ID_UNK) {
            before = put_unknown(&r, h->alpha + (size_t)i * (size_t)(r.n + 1), before);
        } else if (h->ids[i] >= ID_SPECIALS) {
            put_piece(&r, vocab_piece(translator->target.vocab, h->ids[i]), before.end > 0);
            before = none;
        }
    }
    char *text = tokenizer_join(target->kind, r.pieces, (int)arrlen(r.pieces));
    strings_free(r.source);
    strings_free(r.pieces);
    return translator_written(translator, text);
}
