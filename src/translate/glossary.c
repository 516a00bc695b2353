#include "translate/glossary.h"

#include "io/ds.h"
#include "text/unicode.h"

/* Whether a character continues a word. */
static bool is_inner(int32_t c) { return is_letter(c) || is_digit(c) || is_mark(c); }

/* ---- the target ------------------------------------------------------------------------------------------------ */

/* The ids of a translation: a stb_ds array. NULL if the vocabulary cannot write it. */
static int *ids_of(const Side *target, const char *text) {
    int *ids = side_encode(target, text);
    arrpop(ids); /* </s> */
    char *written = side_decode(target, ids, (int)arrlen(ids));
    bool good = !strcmp(written, text);
    mem_free(written);
    for (ptrdiff_t i = 0; i < arrlen(ids); i++) good &= ids[i] != ID_UNK;
    if (!good) arrfree(ids);
    return ids;
}

/* Marks the pieces that make the word before them longer. */
static bool *continuing_pieces(const Side *target) {
    bool *continues = mem_zalloc((size_t)vocab_size(target->vocab) * sizeof *continues);
    for (int id = ID_SPECIALS; id < vocab_size(target->vocab) && target->tokenizer.kind != TOKENIZER_NONE; id++) {
        const char *piece = vocab_piece(target->vocab, id);
        continues[id] = is_inner(utf8_next(&piece));
    }
    return continues;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

int glossary_init(Glossary *g, Lexicon *terms, const Side *target) {
    const char *source, *text;
    *g = (Glossary){.terms = terms, .target = target};
    if (!terms) return -1;
    g->continues = continuing_pieces(target);
    for (int i = 0; lexicon_entry(terms, i, &source, &text); i++) {
        int *ids = ids_of(target, text);
        if (!ids && g->unwritable++ == 0) g->example = text;
        arrfree(ids);
    }
    return 0;
}

void glossary_free(Glossary *g) {
    lexicon_free(g->terms);
    mem_free(g->continues);
    *g = (Glossary){0};
}

/* ---- the source ------------------------------------------------------------------------------------------------ */

/* The translation of a term of n bytes; NULL if there is none. */
static const char *find(const Glossary *g, const char *term, size_t n) {
    const char *own = lexicon_find(g->terms, term, n);
    return own || !g->base ? own : lexicon_find(g->base->terms, term, n);
}

/* The length in bytes of the longest term. */
static size_t longest_term(const Glossary *g) {
    const size_t own = lexicon_longest(g->terms), base = g->base ? lexicon_longest(g->base->terms) : 0;
    return own > base ? own : base;
}

/* The translation of the longest term at text; NULL if there is none. *length receives the bytes of the term. */
static const char *term_at(const Glossary *g, const char *text, size_t *length) {
    const size_t longest = longest_term(g);
    const char *found = NULL;
    for (const char *end = text; *end;) {
        end = run_end(end);
        const size_t n = (size_t)(end - text);
        if (n > longest) break;
        const char *translation = find(g, text, n);
        if (!translation) continue;
        found = translation;
        *length = n;
    }
    return found;
}

/* Adds a constraint to the stb_ds array *list, unless the translation cannot be written. */
static void add(const Glossary *g, const char *translation, Constraint **list) {
    int *ids = ids_of(g->target, translation);
    if (!ids) return;
    const int n = (int)arrlen(ids);
    int *own = memcpy(mem_alloc((size_t)n * sizeof *own), ids, (size_t)n * sizeof *own);
    arrfree(ids);
    arrput(*list, ((Constraint){own, n, is_inner(utf8_last(translation))}));
}

Constraints *glossary_constraints(const Glossary *g, const char *sentence) {
    Constraint *list = NULL;
    for (const char *at = sentence; *at && arrlen(list) < MOST_CONSTRAINTS;) {
        size_t length = 0;
        const char *translation = term_at(g, at, &length);
        if (translation) add(g, translation, &list);
        at = translation ? at + length : run_end(at);
    }
    if (!list) return NULL;
    Constraints *constraints = mem_alloc(sizeof *constraints);
    *constraints = (Constraints){list, (int)arrlen(list), g->continues};
    return constraints;
}

void constraints_free(Constraints *constraints) {
    if (!constraints) return;
    for (int i = 0; i < constraints->count; i++) mem_free((int *)constraints->list[i].ids);
    Constraint *list = (Constraint *)constraints->list;
    arrfree(list);
    mem_free(constraints);
}

SentenceTerms glossary_terms(const Glossary *g, char *const *sentences, int n) {
    SentenceTerms terms = {mem_zalloc((size_t)n * sizeof(Constraints *)), n};
    for (int i = 0; i < n; i++) terms.list[i] = glossary_constraints(g, sentences[i]);
    return terms;
}

void sentence_terms_free(SentenceTerms *terms) {
    for (int i = 0; i < terms->n; i++) constraints_free((Constraints *)terms->list[i]);
    mem_free(terms->list);
    *terms = (SentenceTerms){0};
}
