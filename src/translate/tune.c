#include "translate/tune.h"

/* A hypothesis that the search found. */
typedef struct Found {
    double log_probability, rest; /* rest: the part of the score that does not depend on the options to choose */
    int length;
    Bleu counts;
} Found;

/* The hypotheses of all sentences, those of sentence i at begin[i]..begin[i + 1] - 1. */
typedef struct FoundAll {
    int n, *begin;
    Found *list;
} FoundAll;

/* Adds the hypotheses of the sentences of one call of the search, from sentence `first` on. An empty sentence has one
   hypothesis without words. */
static void add_found(FoundAll *all, int first, const Translations *found, char *const *references,
                      const BeamOptions *options, BleuOptions bleu) {
    for (int i = 0; i < found->n; i++) {
        const Nbest *nbest = &found->nbest[i];
        const int begin = all->begin[first + i], count = nbest->count ? nbest->count : 1;
        for (int k = 0; k < count; k++) {
            char *text = translation_text(found, i, k), *const *reference = &references[first + i];
            Bleu *counts = bleu_sentences(&text, (References){&reference, 1}, 1, bleu, NULL);
            Found *to = &all->list[begin + k];
            *to = (Found){.length = 1, .counts = *counts};
            if (k < nbest->count) {
                const Hypothesis *h = &nbest->list[k];
                to->length = h->length;
                to->log_probability = h->log_probability;
                to->rest = h->score - beam_score(options, h->log_probability, h->length);
            }
            mem_free(counts);
            mem_free(text);
        }
        all->begin[first + i + 1] = begin + count;
    }
}

/* BLEU of the hypotheses with the best scores. */
static Bleu score_choice(const FoundAll *all, const BeamOptions *options) {
    Bleu sum = {0};
    for (int i = 0; i < all->n; i++) {
        const Found *best = NULL;
        double most = 0;
        for (const Found *f = all->list + all->begin[i]; f < all->list + all->begin[i + 1]; f++) {
            const double score = beam_score(options, f->log_probability, f->length) + f->rest;
            if (best && score <= most) continue;
            best = f;
            most = score;
        }
        bleu_add(&sum, &best->counts);
    }
    bleu_compute(&sum);
    return sum;
}

static SearchChoice choice_of(const FoundAll *all, const BeamOptions *options) {
    return (SearchChoice){options->beam, options->normalize, options->word_penalty, score_choice(all, options)};
}

SearchChoice session_tune(Session *session, char *const *source, char *const *references, int n,
                          const BeamOptions *options, BleuOptions bleu, const double *normalize, int normalize_count,
                          const double *penalty, int penalty_count, SearchChoice *before, SessionProgress *progress,
                          void *context) {
    enum { BATCH = 64 };
    FoundAll all = {.n = n,
                    .begin = mem_zalloc(((size_t)n + 1) * sizeof *all.begin),
                    .list = mem_alloc((size_t)n * (size_t)options->beam * sizeof *all.list)};
    for (int first = 0; first < n;) {
        const int most = translate_most(source + first, n - first, options->beam);
        Translations found = session_translate(session, source + first, most, options, BATCH, NULL, NULL);
        add_found(&all, first, &found, references, options, bleu);
        translations_free(&found);
        first += most;
        if (progress) progress(context, first, n);
    }
    BeamOptions tried = *options;
    SearchChoice best = {0};
    if (before) *before = choice_of(&all, options);
    for (int i = 0; i < normalize_count; i++)
        for (int k = 0; k < penalty_count; k++) {
            tried.normalize = normalize[i];
            tried.word_penalty = penalty[k];
            const SearchChoice choice = choice_of(&all, &tried);
            if ((i == 0 && k == 0) || choice.bleu.score > best.bleu.score) best = choice;
        }
    mem_free(all.begin);
    mem_free(all.list);
    return best;
}
