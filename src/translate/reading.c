#include "translate/reading.h"
#include "io/ds.h"
#include "text/placeholder.h"
#include "text/traditional.h"
#include "text/unicode.h"

#include <string.h>

/* Whether the text has a letter or a Han character, or, with `digits`, a digit. */
static bool has_letter(const char *text, bool digits) {
    size_t length;
    for (int32_t c; *text && (length = utf8_read(text, strlen(text), &c)); text += length)
        if (is_letter(c) || is_han(c) || (digits && is_digit(c))) return true;
    return false;
}

bool reads_nothing(const Side *source, const int *ids) {
    bool unknown = false;
    for (ptrdiff_t i = 0; i < arrlen(ids) - 1; i++) {
        const int id = side_piece(source, ids[i]);
        const char *piece = vocab_piece(source->vocab, id);
        if (id == ID_UNK) unknown = true;
        else if (placeholder_length(piece) || has_letter(piece, true)) return false;
    }
    return unknown;
}

/* ---- spans ------------------------------------------------------------------------------------------------------ */

/* The number of code points in n bytes. */
static int code_points(const char *text, size_t n) {
    int count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* The place of code point n. */
static const char *place_of(const char *text, int n) {
    while (n > 0) n -= ((unsigned char)*++text & 0xc0) != 0x80;
    return text;
}

char *text_span(const char *sentence, TextSpan span) {
    const char *begin = place_of(sentence, span.begin);
    return mem_strndup(begin, (size_t)(place_of(begin, span.end - span.begin) - begin));
}

static TextSpan *spans_of(const Reading *r, TokenizerKind kind, const char *sentence) {
    TextSpan *spans = NULL;
    const char *at = sentence;
    if (r->foreign) arrput(spans, ((TextSpan){0, code_points(sentence, strlen(sentence))}));
    bool before = false; /* the piece before is unknown */
    for (ptrdiff_t i = 0; i < arrlen(r->pieces) && !r->foreign; i++) {
        char *text = kind == TOKENIZER_NONE ? mem_strdup(r->pieces[i]) : pieces_unmark(r->pieces[i], false);
        const size_t length = strlen(text);
        at += length ? strspn(at, " ") : 0;
        const int begin = code_points(sentence, (size_t)(at - sentence)), end = begin + code_points(at, length);
        if (length && r->unknown[i] && before) arrlast(spans).end = end;
        else if (length && r->unknown[i]) arrput(spans, ((TextSpan){begin, end}));
        if (length) before = r->unknown[i];
        at += length;
        mem_free(text);
    }
    return spans;
}

/* ---- a sentence ------------------------------------------------------------------------------------------------- */

Reading reading_of(const Translator *translator, const char *sentence) {
    const Side *side = &translator->source;
    const bool han = translator_reads_han(translator);
    int *ids = side_encode(side, sentence);
    Reading r = {.pieces = side_spell(side, sentence)};
    bool letters = false, known = false; /* letters that the model knows */
    mem_free(arrlast(r.pieces));         /* </s> */
    arrsetlen(r.pieces, arrlenu(r.pieces) - 1);
    r.unknown = mem_zalloc(arrlenu(r.pieces) + 1);
    for (ptrdiff_t i = 0; i < arrlen(r.pieces); i++) {
        const char *piece = r.pieces[i];
        r.unknown[i] = side_piece(side, ids[i]) == ID_UNK;
        r.traditional = r.traditional || (r.unknown[i] && han && text_has_traditional(piece));
        if (placeholder_length(piece) || !has_letter(piece, false)) continue;
        letters = true;
        known = known || !r.unknown[i];
    }
    r.foreign = letters && (!known || (han && !text_has_han(sentence)));
    r.spans = spans_of(&r, side->tokenizer.kind, sentence);
    arrfree(ids);
    return r;
}

void reading_free(Reading *r) {
    strings_free(r->pieces);
    mem_free(r->unknown);
    arrfree(r->spans);
    *r = (Reading){0};
}
