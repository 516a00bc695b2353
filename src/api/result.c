/* result.c: results that the caller owns. Each sentence of a result is one block of memory, with all its texts and
   weights, so that few allocations outlive the call and a result is freed quickly. */
#include "api/api.h"
#include "io/ds.h"

#include <string.h>

/* A block that is laid out twice: first without memory, to find its size, then in the allocated block. */
typedef struct Pack {
    char *block; /* NULL: only the size is wanted */
    size_t size;
} Pack;

/* The next `bytes` of the block; NULL if there is no block yet. */
static void *pack_take(Pack *pack, size_t bytes) {
    enum { ALIGN = 16 };
    char *at = pack->block ? pack->block + pack->size : NULL;
    pack->size += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

static void *pack_bytes(Pack *pack, const void *bytes, size_t n) {
    void *copy = pack_take(pack, n);
    return copy ? memcpy(copy, bytes, n) : NULL;
}

static const char *pack_text(Pack *pack, const char *text) { return pack_bytes(pack, text, strlen(text) + 1); }

static const char *const *pack_texts(Pack *pack, char *const *texts, int n) {
    const char **copy = pack_take(pack, (size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++) {
        const char *text = pack_text(pack, texts[i]);
        if (copy) copy[i] = text;
    }
    return copy;
}

static TideAlignment pack_alignment(Pack *pack, const Alignment *a) {
    const size_t weights = (size_t)a->n_source * (size_t)a->n_target * sizeof *a->weight;
    TideAlignment copy = {.source_count = a->n_source, .target_count = a->n_target};
    copy.source = pack_texts(pack, a->source, a->n_source);
    copy.target = pack_texts(pack, a->target, a->n_target);
    copy.weights = a->weight ? pack_bytes(pack, a->weight, weights) : NULL;
    return copy;
}

static const double *pack_scores(Pack *pack, const Draft *draft) {
    const size_t bytes = (size_t)draft->pieces * sizeof *draft->piece_scores;
    return draft->piece_scores ? pack_bytes(pack, draft->piece_scores, bytes) : NULL;
}

static const TideHypothesis *pack_hypothesis(Pack *pack, const Draft *draft) {
    const TideHypothesis copy = {.text = pack_text(pack, draft->text),
                                 .log_probability = draft->log_probability,
                                 .score = draft->score,
                                 .pieces = draft->pieces,
                                 .confidence = draft->confidence,
                                 .alignment = pack_alignment(pack, &draft->alignment),
                                 .piece_scores = pack_scores(pack, draft)};
    return pack_bytes(pack, &copy, sizeof copy);
}

/* Lays out a sentence at the start of the block. */
static void pack_sentence(Pack *pack, const Draft *drafts, int n) {
    TideSentence *sentence = pack_take(pack, sizeof *sentence);
    const TideHypothesis **list = pack_take(pack, (size_t)n * sizeof *list);
    for (int i = 0; i < n; i++) {
        const TideHypothesis *hypothesis = pack_hypothesis(pack, &drafts[i]);
        if (list) list[i] = hypothesis;
    }
    if (sentence) *sentence = (TideSentence){n, list};
}

TideResult *result_new(int n) {
    Pack pack = {.block = mem_zalloc(sizeof(TideResult) + 16 + (size_t)n * sizeof(TideSentence *))};
    TideResult *result = pack_take(&pack, sizeof *result);
    result->count = n;
    result->sentences = pack_take(&pack, (size_t)n * sizeof(TideSentence *));
    return result;
}

void result_set(TideResult *result, int i, Draft *drafts, int n) {
    Pack pack = {0};
    pack_sentence(&pack, drafts, n);
    pack = (Pack){.block = mem_alloc(pack.size)};
    pack_sentence(&pack, drafts, n);
    ((const TideSentence **)result->sentences)[i] = (const TideSentence *)(const void *)pack.block;
    for (int k = 0; k < n; k++) {
        mem_free(drafts[k].text);
        alignment_free(&drafts[k].alignment);
    }
}

TideResult *result_keep(TideResult *result) {
    for (int i = 0; i < result->count; i++) scope_keep((void *)result->sentences[i]);
    return scope_keep(result);
}

static TidePieces *pack_pieces(Pack *pack, char *const *texts, int n) {
    TidePieces *pieces = pack_take(pack, sizeof *pieces);
    const char *const *list = pack_texts(pack, texts, n);
    if (pieces) *pieces = (TidePieces){n, list};
    return pieces;
}

TidePieces *pieces_keep(char *const *texts, int n) {
    Pack pack = {0};
    pack_pieces(&pack, texts, n);
    pack = (Pack){.block = mem_alloc(pack.size)};
    return scope_keep(pack_pieces(&pack, texts, n));
}

void tide_pieces_free(TidePieces *pieces) { mem_free(pieces); }

static const TideWord *pack_word(Pack *pack, const StepWord *word) {
    const TideWord copy = {pack_text(pack, word->piece), word->probability};
    return pack_bytes(pack, &copy, sizeof copy);
}

static const TideNumbers *pack_numbers(Pack *pack, const StepNumbers *numbers) {
    const size_t values = (size_t)numbers->rows * (size_t)numbers->cols * sizeof *numbers->values;
    const TideNumbers copy = {.of = pack_text(pack, numbers->of),
                              .name = pack_text(pack, numbers->name),
                              .rows = numbers->rows,
                              .columns = numbers->cols,
                              .values = pack_bytes(pack, numbers->values, values)};
    return pack_bytes(pack, &copy, sizeof copy);
}

static TideExplanation *pack_explanation(Pack *pack, const Explanation *x) {
    TideExplanation *explanation = pack_take(pack, sizeof *explanation);
    const int count = (int)arrlen(x->numbers), best_count = (int)arrlen(x->best);
    const TideNumbers **numbers = pack_take(pack, (size_t)count * sizeof *numbers);
    const TideWord **best = pack_take(pack, (size_t)best_count * sizeof *best);
    TideExplanation copy = {.step = x->step, .number_count = count, .numbers = numbers, .best_count = best_count};
    copy.best = best;
    copy.source_count = (int)arrlen(x->source);
    copy.target_count = (int)arrlen(x->target);
    copy.source = pack_texts(pack, x->source, copy.source_count);
    copy.target = pack_texts(pack, x->target, copy.target_count);
    copy.next = pack_word(pack, &x->next);
    for (int i = 0; i < count; i++) {
        const TideNumbers *one = pack_numbers(pack, &x->numbers[i]);
        if (numbers) numbers[i] = one;
    }
    for (int k = 0; k < best_count; k++) {
        const TideWord *word = pack_word(pack, &x->best[k]);
        if (best) best[k] = word;
    }
    if (explanation) *explanation = copy;
    return explanation;
}

TideExplanation *explanation_keep(const Explanation *x) {
    Pack pack = {0};
    pack_explanation(&pack, x);
    pack = (Pack){.block = mem_alloc(pack.size)};
    return scope_keep(pack_explanation(&pack, x));
}

void tide_explanation_free(TideExplanation *explanation) { mem_free(explanation); }

void tide_result_free(TideResult *result) {
    if (!result) return;
    for (int i = 0; i < result->count; i++) mem_free((void *)result->sentences[i]);
    mem_free(result);
}
