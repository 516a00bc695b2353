#include "train/learn_text.h"
#include "core/rng.h"
#include "corpus/correction_check.h"
#include "io/ds.h"
#include "io/output.h"
#include "io/string_table.h"
#include "text/normal_lines.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

int text_pairs_count(const TextPairs *pairs) { return (int)arrlen(pairs->text[SOURCE]); }

void text_pairs_free(TextPairs *pairs) {
    for (int side = 0; side < 2; side++) strings_free(pairs->text[side]);
    *pairs = (TextPairs){0};
}

/* Adds copies. */
static void add_pair(TextPairs *pairs, const char *source, const char *target) {
    arrput(pairs->text[SOURCE], mem_strdup(source));
    arrput(pairs->text[TARGET], mem_strdup(target));
}

/* Calls `take` with the normalised texts of each pair in which both have characters. */
typedef void TakePair(void *context, const char *source, const char *target);

static int read_pair(const RawPair *pair, TakePair *take, void *context, Err *err) {
    char *text[2] = {0};
    int status = pair->short_of ? err_set(err, pair->path[0], pair->line, "%s", pair->short_of) : 0;
    for (int side = 0; side < 2 && !status; side++) {
        text[side] = line_text(pair->text[side], pair->size[side], pair->path[side], pair->line, pair->byte[side], err);
        status = text[side] ? 0 : -1;
    }
    if (!status && *text[SOURCE] && *text[TARGET]) take(context, text[SOURCE], text[TARGET]);
    for (int side = 0; side < 2; side++) mem_free(text[side]);
    return status;
}

static int read_corpus(const CorpusFiles *files, const char *const langs[2], TakePair *take, void *context, Err *err) {
    RawPair pair;
    Reader *reader = reader_open(files, langs, err);
    int status = reader ? 1 : -1;
    while (status > 0 && (status = reader_next(reader, &pair, err)) > 0)
        if (read_pair(&pair, take, context, err)) status = -1;
    if (reader) reader_close(reader);
    return status;
}

static void take_pair(void *context, const char *source, const char *target) { add_pair(context, source, target); }

int text_pairs_read(TextPairs *pairs, const CorpusFiles *files, const char *const langs[2], Err *err) {
    *pairs = (TextPairs){0};
    if (read_corpus(files, langs, take_pair, pairs, err)) return -1;
    return pairs->text[SOURCE] ? 0 : err_set(err, files->path[0], 0, "no pair with text on both sides");
}

int text_pairs_write(const TextPairs *pairs, const char *path, Err *err) {
    OutputFile out;
    if (output_open(&out, path, err)) return -1;
    for (int i = 0; i < text_pairs_count(pairs); i++)
        fprintf(out.stream, "%s\t%s\n", pairs->text[SOURCE][i], pairs->text[TARGET][i]);
    return output_commit(&out, err);
}

static bool fits(const Translator *translator, int most, char *source, char *target) {
    Err unread;
    return !side_check_lengths(&translator->source, &source, 1, most, NULL, &unread) &&
           !side_check_lengths(&translator->target, &target, 1, most, NULL, &unread);
}

/* ---- corrections ------------------------------------------------------------------------------------------------ */

/* A fifth of the first corrections is held out; of later ones a twentieth, because enough are held out already. */
enum { FIRST = 500, HELD_OUT_OF_FIRST = 5, HELD_OUT_LATER = 20 };

typedef struct Corrections {
    const Translator *translator;
    const char *langs[2];
    int most;
    TextPairs current;
    StringTable sources; /* of `current`, with the same numbers */
    CorrectionCounts *counts;
    Err *why;
} Corrections;

static void take_correction(void *context, const char *source, const char *target) {
    Corrections *c = context;
    const Correction correction = {.model = "",
                                   .langs = {(char *)c->langs[SOURCE], (char *)c->langs[TARGET]},
                                   .source = (char *)source,
                                   .correction = (char *)target};
    Err why;
    c->counts->read++;
    if (correction_check(&correction, &why)) {
        if (!c->counts->refused++) *c->why = why;
    } else if (!fits(c->translator, c->most, (char *)source, (char *)target)) {
        c->counts->too_long++;
    } else {
        const int before = string_table_count(&c->sources);
        const int number = string_table_add(&c->sources, source, strlen(source));
        if (number == before) {
            add_pair(&c->current, source, target);
        } else {
            c->counts->replaced++;
            mem_free(c->current.text[TARGET][number]);
            c->current.text[TARGET][number] = mem_strdup(target);
        }
    }
}

/* Takes those of a file of corrections that are in the model's languages. */
static int read_corrections(Corrections *c, const char *path, Err *err) {
    Correction *list = corrections_read(path, err);
    if (!list) return -1;
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        char *text[2] = {text_normalise(list[i].source, strlen(list[i].source), NULL),
                         text_normalise(list[i].correction, strlen(list[i].correction), NULL)};
        const bool ours = language_is_variant(list[i].langs[SOURCE], c->langs[SOURCE]) &&
                          language_is_variant(list[i].langs[TARGET], c->langs[TARGET]);
        if (ours && text[SOURCE] && text[TARGET]) {
            take_correction(c, text[SOURCE], text[TARGET]);
        } else {
            c->counts->read++;
            c->counts->foreign++;
        }
        for (int side = 0; side < 2; side++) mem_free(text[side]);
    }
    corrections_free(list);
    return 0;
}

static bool is_held_out(const char *source, int number) {
    return XXH3_64bits(source, strlen(source)) % (number < FIRST ? HELD_OUT_OF_FIRST : HELD_OUT_LATER) == 0;
}

int corrections_divide(const CorpusFiles *files, int count, const Translator *translator, int most, TextPairs *learned,
                       TextPairs *held_out, CorrectionCounts *counts, Err *why, Err *err) {
    const ModelOptions *o = &translator->options;
    Corrections c = {.translator = translator,
                     .langs = {o->langs[SOURCE], o->langs[TARGET]},
                     .most = most,
                     .counts = counts,
                     .why = why};
    *learned = *held_out = (TextPairs){0};
    *counts = (CorrectionCounts){0};
    why->reason[0] = '\0';
    int status = 0;
    for (int i = 0; i < count && !status; i++)
        status = files[i].form == FORM_JSONL ? read_corrections(&c, files[i].path[0], err)
                                             : read_corpus(&files[i], c.langs, take_correction, &c, err);
    for (int i = 0; i < text_pairs_count(&c.current) && !status; i++) {
        const char *source = c.current.text[SOURCE][i];
        add_pair(is_held_out(source, i) ? held_out : learned, source, c.current.text[TARGET][i]);
    }
    counts->learned = text_pairs_count(learned);
    counts->held_out = text_pairs_count(held_out);
    text_pairs_free(&c.current);
    string_table_free(&c.sources);
    return status;
}

/* ---- a sample of a corpus --------------------------------------------------------------------------------------- */

/* A pair, and its place in a random order. */
typedef struct Drawn {
    uint64_t place;
    char *text[2];
} Drawn;

typedef struct Drawing {
    const Translator *translator;
    int n, most;
    Rng rng;
    StringTable without;
    Drawn *drawn; /* stb_ds array, owned with its texts */
} Drawing;

static int by_place(const void *a, const void *b) {
    const Drawn *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Keeps the first n. */
static void cut(Drawing *d) {
    if (arrlen(d->drawn) == 0) return;
    qsort(d->drawn, arrlenu(d->drawn), sizeof *d->drawn, by_place);
    while (arrlen(d->drawn) > d->n) {
        const Drawn last = arrpop(d->drawn);
        for (int side = 0; side < 2; side++) mem_free(last.text[side]);
    }
}

static void draw(void *context, const char *source, const char *target) {
    Drawing *d = context;
    const uint64_t place = rng_next(&d->rng);
    if (string_table_find(&d->without, source, strlen(source)) >= 0 ||
        !fits(d->translator, d->most, (char *)source, (char *)target))
        return;
    arrput(d->drawn, ((Drawn){place, {mem_strdup(source), mem_strdup(target)}}));
    if (arrlen(d->drawn) >= 2 * (ptrdiff_t)d->n) cut(d);
}

int text_pairs_draw(TextPairs *pairs, const CorpusFiles *files, const Translator *translator, int n, int most,
                    uint64_t seed, const TextPairs *const without[], int count, Err *err) {
    const ModelOptions *o = &translator->options;
    const char *const langs[] = {o->langs[SOURCE], o->langs[TARGET]};
    Drawing d = {.translator = translator, .n = n, .most = most, .rng = rng_seed(seed, 0x64726177)};
    for (int k = 0; k < count; k++)
        for (int i = 0; i < text_pairs_count(without[k]); i++)
            string_table_add(&d.without, without[k]->text[SOURCE][i], strlen(without[k]->text[SOURCE][i]));
    const int status = read_corpus(files, langs, draw, &d, err);
    cut(&d);
    *pairs = (TextPairs){0};
    for (ptrdiff_t i = 0; i < arrlen(d.drawn); i++)
        for (int side = 0; side < 2; side++) arrput(pairs->text[side], d.drawn[i].text[side]);
    arrfree(d.drawn);
    string_table_free(&d.without);
    return status;
}
