#include "translate/shortlist.h"

#include "io/ds.h"
#include "text/lexicon.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>

typedef struct Translated {
    double probability;
    int line; /* of the file, so that the order of equals is fixed */
    int *ids; /* stb_ds array, without </s> */
} Translated;

/* ---- reading --------------------------------------------------------------------------------------------------- */

static void add_ids(const Side *target, const char *text, int **ids) {
    int *more = side_encode(target, text);
    for (ptrdiff_t i = 0; i + 1 < arrlen(more); i++) arrput(*ids, more[i]); /* without </s> */
    arrfree(more);
}

/* `tide lexicon` ignores case, so a translation may also begin a sentence. */
static int *ids_of(const Side *target, const char *text) {
    int *ids = NULL;
    char *capitalised = text_capitalised(text);
    add_ids(target, text, &ids);
    if (strcmp(text, capitalised) != 0) add_ids(target, capitalised, &ids);
    mem_free(capitalised);
    return ids;
}

static int add(void *context, const LexiconEntry *line, Err *err) {
    Shortlist *s = context;
    (void)err;
    const size_t length = strlen(line->source);
    const int at = string_table_add(&s->sources, line->source, length);
    if (at == arrlen(s->translations)) arrput(s->translations, NULL);
    arrput(s->translations[at], ((Translated){line->probability, (int)line->number, ids_of(s->target, line->target)}));
    if (length > s->longest) s->longest = length;
    return 0;
}

static int most_probable_first(const void *left, const void *right) {
    const Translated *a = left, *b = right;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static void keep_most_probable(Translated *texts, int best) {
    qsort(texts, arrlenu(texts), sizeof *texts, most_probable_first);
    while (arrlen(texts) > best) {
        Translated worst = arrpop(texts);
        arrfree(worst.ids);
    }
}

static void keep_best(Shortlist *s, int best) {
    for (ptrdiff_t i = 0; i < arrlen(s->translations); i++) keep_most_probable(s->translations[i], best);
}

int shortlist_read(Shortlist *s, const char *path, const Side *target, int first, int best, Err *err) {
    *s = (Shortlist){.target = target, .first = first};
    const int status = lexicon_each(path, add, s, err);
    keep_best(s, best);
    return status;
}

int shortlist_parse(Shortlist *s, const char *text, const Side *target, int first, int best, Err *err) {
    *s = (Shortlist){.target = target, .first = first};
    const int status = lexicon_each_of(text, add, s, err);
    keep_best(s, best);
    return status;
}

void shortlist_free(Shortlist *s) {
    for (ptrdiff_t i = 0; i < arrlen(s->translations); i++) {
        for (ptrdiff_t k = 0; k < arrlen(s->translations[i]); k++) arrfree(s->translations[i][k].ids);
        arrfree(s->translations[i]);
    }
    arrfree(s->translations);
    string_table_free(&s->sources);
    *s = (Shortlist){0};
}

/* ---- the words of a sentence ------------------------------------------------------------------------------------ */

/* Marks the translations of the source text of n bytes. */
static void mark_translations(const Shortlist *s, const char *source, size_t n, bool *marked) {
    const int at = string_table_find(&s->sources, source, n);
    const Translated *texts = at < 0 ? NULL : s->translations[at];
    for (ptrdiff_t k = 0; k < arrlen(texts); k++)
        for (ptrdiff_t i = 0; i < arrlen(texts[k].ids); i++) marked[texts[k].ids[i]] = true;
}

/* Marks the translations of all texts that begin at `text`. */
static void mark_texts(const Shortlist *s, const char *text, bool *marked) {
    for (const char *end = text; *end;) {
        end = run_end(end);
        const size_t n = (size_t)(end - text);
        if (n > s->longest) return;
        mark_translations(s, text, n, marked);
    }
}

static ColumnSet set_of(const Shortlist *s, const char *sentence, bool *marked) {
    const int all = vocab_size(s->target->vocab);
    memset(marked, 0, (size_t)all * sizeof *marked);
    for (int id = 0; id < ID_SPECIALS + s->first && id < all; id++) marked[id] = true;
    for (const char *at = sentence; *at; at = run_end(at)) mark_texts(s, at, marked);
    return columns_marked(marked, all, mem_alloc((size_t)all * sizeof(int)));
}

ColumnSet *shortlist_sets(const Shortlist *s, char *const *sentences, int n) {
    if (!s->target) return NULL;
    ColumnSet *sets = mem_alloc((size_t)n * sizeof *sets);
    bool *marked = mem_alloc((size_t)vocab_size(s->target->vocab) * sizeof *marked);
    for (int i = 0; i < n; i++) sets[i] = set_of(s, sentences[i], marked);
    mem_free(marked);
    return sets;
}

void shortlist_sets_free(ColumnSet *sets, int n) {
    for (int i = 0; sets && i < n; i++) mem_free((int *)sets[i].ids);
    mem_free(sets);
}
