/* measures.c: tide_bleu, tide_chrf and tide_aer. */
#include "api/api.h"
#include "score/bleu.h"
#include "score/chrf.h"
#include "io/ds.h"
#include "aligner/links.h"

#include <limits.h>

typedef struct MeasureCall {
    Call call;
    const char *const *hypotheses, *const *references;
    int count;
    const TideScoreOptions *options;
    TideScore *score;
    TideAer *aer;
} MeasureCall;

/* Checks the texts and copies the options. Returns whether the measure can be computed. The names in errors are the
   arguments of tide_aer: only tide_aer tells its caller why it failed. */
static bool measure_given(MeasureCall *c, TideScoreOptions *options) {
    enum { MOST_REFERENCES = 1000 };
    if (!argument_given(&c->call, "aer", c->score ? (const void *)c->score : c->aer)) return false;
    if (c->count == 0) return call_fail(&c->call, TIDE_BAD_ARGUMENT, "the count is 0");
    if (!texts_given(&c->call, "links", c->hypotheses, c->count) ||
        !options_copy(&c->call, c->options, options, sizeof *options))
        return false;
    if (options->references < 0 || options->references > MOST_REFERENCES || options->references > INT_MAX / c->count)
        return call_fail(&c->call, TIDE_BAD_ARGUMENT, "references is %ld, but must be between 0 and %d",
                         options->references, MOST_REFERENCES);
    if (!options->references) options->references = 1;
    return texts_given(&c->call, "gold", c->references, c->count * (int)options->references);
}

/* The references of a call; the list is owned by the caller. */
static References references_of(const MeasureCall *c, const TideScoreOptions *options) {
    const int sets = (int)options->references;
    char *const **list = mem_alloc((size_t)sets * sizeof *list);
    for (int i = 0; i < sets; i++) list[i] = (char *const *)c->references + (ptrdiff_t)i * c->count;
    return (References){list, sets};
}

static void compute_bleu(void *context) {
    const MeasureCall *c = context;
    TideScoreOptions options = {0};
    if (!measure_given(context, &options)) return;
    const References references = references_of(c, &options);
    const Bleu bleu = bleu_references((char *const *)c->hypotheses, references, c->count,
                                      (BleuOptions){.lowercase = options.lowercase, .chinese = options.chinese});
    mem_free((void *)references.sets);
    c->score->value = bleu.score;
    bleu_format(&bleu, c->score->line, sizeof c->score->line);
}

static void compute_chrf(void *context) {
    const MeasureCall *c = context;
    TideScoreOptions options = {0};
    if (!measure_given(context, &options)) return;
    const References references = references_of(c, &options);
    const Chrf chrf = chrf_references((char *const *)c->hypotheses, references, c->count, options.lowercase != 0);
    mem_free((void *)references.sets);
    c->score->value = chrf.score;
    chrf_format(&chrf, c->score->line, sizeof c->score->line);
}

TideStatus tide_bleu(const char *const *hypotheses, const char *const *references, int count,
                     const TideScoreOptions *options, TideScore *score) {
    MeasureCall c = {
        .hypotheses = hypotheses, .references = references, .count = count, .options = options, .score = score};
    return call_once(&c.call, compute_bleu, NULL, 0);
}

TideStatus tide_chrf(const char *const *hypotheses, const char *const *references, int count,
                     const TideScoreOptions *options, TideScore *score) {
    MeasureCall c = {
        .hypotheses = hypotheses, .references = references, .count = count, .options = options, .score = score};
    return call_once(&c.call, compute_chrf, NULL, 0);
}

static void compute_aer(void *context) {
    MeasureCall *c = context;
    TideScoreOptions none;
    Aer counts = {0};
    Err err;
    int status = 0;
    if (!measure_given(c, &none)) return;
    for (int i = 0; i < c->count && !status; i++) {
        Link *found = NULL, *gold = NULL;
        status = links_parse(c->hypotheses[i], 0, "links", i + 1, &found, &err) ||
                 links_parse(c->references[i], 0, "gold", i + 1, &gold, &err);
        if (!status) aer_add(&counts, found, (int)arrlen(found), gold, (int)arrlen(gold));
        arrfree(found);
        arrfree(gold);
    }
    if (status) call_fail_err(&c->call, TIDE_BAD_TEXT, NULL, &err);
    else *c->aer = (TideAer){aer_rate(&counts), aer_precision(&counts), aer_recall(&counts)};
}

TideStatus tide_aer(const char *const *links, const char *const *gold, int count, TideAer *aer, char *error,
                    size_t error_size) {
    MeasureCall c = {.hypotheses = links, .references = gold, .count = count, .aer = aer};
    return call_once(&c.call, compute_aer, error, error_size);
}
