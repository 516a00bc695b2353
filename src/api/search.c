/* search.c: tide_translate, tide_align and tide_score. */
#include "api/api.h"
#include "io/ds.h"
#include "io/system.h"
#include "text/unicode.h"
#include "translate/confidence.h"
#include "translate/glossary.h"
#include "translate/prefix.h"

#include <math.h>
#include <string.h>

typedef struct SearchCall SearchCall;

/* Aligns or scores a part of the pairs, from c->first on. Returns their number. */
typedef int ForcePart(SearchCall *c, char *const *sources, char *const *targets, TideResult *result);

/* What the calls have in common. */
struct SearchCall {
    Call call;
    const char *const *sources, *const *targets;
    ForcePart *part; /* NULL: tide_translate; else the targets are given */
    int count;
    const void *given;            /* the caller's options */
    TideTranslateOptions options; /* the options of a forced call are a part of these */
    TideResult **result;
    SearchOptions search; /* what `options` ask for */
    /* only tide_translate uses these */
    BeamOptions beam;
    Sampling sampling;
    Prefixes prefixes;
    Glossary glossary;
    Lexicon *lexicon; /* NULL: none */
    int first, done;  /* the first sentence of this part; sentences that are done */
};

/* ---- checks ----------------------------------------------------------------------------------------------------- */

char *call_normalise(Call *call, const char *name, int number, const char *text) {
    size_t bad;
    char *normal = text_normalise(text, strlen(text), &bad);
    if (normal) return normal;
    if (number) call_fail(call, TIDE_BAD_TEXT, "%s %d: not valid UTF-8 at byte %zu", name, number, bad);
    else call_fail(call, TIDE_BAD_TEXT, "%s: not valid UTF-8 at byte %zu", name, bad);
    return NULL;
}

/* Normalises the texts of a call. Returns a stb_ds array; on failure, which the call then has, what was done so far. */
static char **normalise(SearchCall *c, const char *name, const char *const *texts) {
    char **normal = NULL;
    for (int i = 0; i < c->count && c->call.status == TIDE_OK; i++) {
        char *text = call_normalise(&c->call, name, i + 1, texts[i]);
        if (text) arrput(normal, text);
    }
    return normal;
}

static int most_pieces(const SearchCall *c) { return c->search.max_length ? c->search.max_length : MOST_PIECES; }

static void check_lengths(SearchCall *c, const char *name, const Side *side, char *const *texts) {
    Err err;
    if (c->call.status || !side_check_lengths(side, texts, (int)arrlen(texts), most_pieces(c), NULL, &err)) return;
    call_fail_err(&c->call, TIDE_TOO_LONG, name, &err);
}

/* Checks that a real number of the options is finite. */
static bool finite_given(SearchCall *c, const char *name, double value) {
    return isfinite(value) ||
           call_fail(&c->call, TIDE_BAD_ARGUMENT, "%s is %g, but must be a finite number", name, value);
}

/* Makes c->search of the caller's options; the lists of words are not read yet. Returns whether the numbers are finite.
 */
static bool search_given(SearchCall *c) {
    const TideTranslateOptions *o = &c->options;
    SearchOptions *search = &c->search;
    *search = search_options_default();
    if (!finite_given(c, "normalize", o->normalize) || !finite_given(c, "coverage", o->coverage) ||
        !finite_given(c, "word_penalty", o->word_penalty ? *o->word_penalty : 0) ||
        !finite_given(c, "top_p", o->top_p) || !finite_given(c, "temperature", o->temperature))
        return false;
    search->beam = o->beam;
    search->n_best = o->n_best;
    if (o->normalize != 0) search->normalize = o->normalize > 0 ? o->normalize : 0;
    search->coverage = o->coverage;
    search->max_length = o->max_length;
    search->mini_batch = o->mini_batch;
    search->attention = (AttentionOptions){.hard = o->hard, .layer = o->layer, .head = o->head};
    search->shift = o->shift;
    search->alignments = !o->no_alignments;
    if (o->word_penalty) search->word_penalty = *o->word_penalty;
    search->sample = o->sample;
    search->top_k = o->top_k;
    search->top_p = o->top_p;
    if (o->temperature != 0) search->temperature = o->temperature;
    if (o->seed) search->seed = o->seed;
    search->replace_unknown = o->replace_unknown;
    search->glossary = o->glossary ? &c->glossary : NULL;
    search->shortlist = o->shortlist ? &o->shortlist->list : NULL;
    search->allow_han = o->allow_han;
    search->tag = o->tag;
    search->precision = o->precision;
    return true;
}

static ForcePart align_part;

bool search_begin(Call *call, const SearchOptions *search, int count) {
    TideSession *session = call->session;
    const char **names = mem_alloc((size_t)count * sizeof *names);
    Err err;
    for (int i = 0; i < count; i++) names[i] = session->models[i]->name;
    const int status = search_options_check(search, session->session.members, names, count, NAMES_OF_FIELDS, &err);
    mem_free(names);
    if (!status) search_options_session(search, &session->session);
    return !status || call_fail_err(call, status == SEARCH_WRONG ? TIDE_BAD_ARGUMENT : TIDE_UNSUPPORTED, NULL, &err);
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

/* Calls the host's callback, in the host's locale. */
static int report(void *context) {
    const SearchCall *c = context;
    if (!c->options.progress) return 0;
    void *const points = locale_use(c->call.host);
    const int cancel = c->options.progress(c->options.context, c->done, c->count);
    locale_use(points);
    return cancel;
}

static void cancel(SearchCall *c) {
    call_fail(&c->call, TIDE_CANCELLED, "cancelled after %d of %d sentences", c->done, c->count);
}

/* ---- tide_translate --------------------------------------------------------------------------------------------- */

static void view(const SearchCall *c, Alignment *alignment) {
    if (!alignment->weight) return;
    if (c->search.shift) alignment_shift(alignment);
    if (c->options.words) alignment_merge_words(alignment);
}

static void set_translation(const SearchCall *c, TideResult *result, const Translations *found, int i) {
    const Nbest *nbest = &found->nbest[i];
    int n = c->search.n_best ? c->search.n_best : 1;
    if (n > nbest->count) n = nbest->count ? nbest->count : 1;
    Draft *drafts = mem_zalloc((size_t)n * sizeof *drafts);
    for (int k = 0; k < n; k++) {
        const char *prefix = c->options.prefixes ? c->options.prefixes[c->first + i] : NULL;
        if (k >= nbest->count) { /* the source is empty, or nothing in it is known */
            drafts[k].confidence = -1;
            drafts[k].text =
                prefix && !found->copied[i] ? prefix_alone(found->translator, prefix) : translation_text(found, i, k);
            continue;
        }
        drafts[k].text = search_options_text(&c->search, found, i, k);
        const Hypothesis *h = &nbest->list[k];
        drafts[k].log_probability = h->log_probability;
        drafts[k].score = h->score;
        drafts[k].pieces = h->length;
        drafts[k].confidence = confidence_of(&found->translator->options, h->log_probability, h->length);
        drafts[k].piece_scores = h->pieces;
        drafts[k].alignment = translation_alignment(found, i, h);
        view(c, &drafts[k].alignment);
    }
    result_set(result, c->first + i, drafts, n);
    mem_free(drafts);
}

/* Called when a batch is done: `done` sentences of this part. */
static void count_done(void *context, long done, long all) {
    SearchCall *c = context;
    (void)all;
    c->done = c->first + (int)done;
}

/* Tells the host which words are settled, in its locale. */
static void tell_settled(void *context, int number, const Hypothesis *words) {
    const SearchCall *c = context;
    const Translator *first = &c->call.session->models[0]->translator;
    char *text = hypothesis_text(first, words), **pieces = side_pieces(&first->target, words->ids, words->length);
    void *const points = locale_use(c->call.host);
    c->options.settled(c->options.context, c->first + number, text, (const char *const *)pieces, words->length);
    locale_use(points);
    mem_free(text);
    arrfree(pieces);
}

/* Makes the prefixes, if the options have them. */
static void make_prefixes(SearchCall *c) {
    const Side *target = &c->call.session->models[0]->translator.target;
    Err err;
    if (c->call.status || !c->options.prefixes) return;
    if (prefixes_of_texts(&c->prefixes, target, c->options.prefixes, c->count, most_pieces(c), NULL, &err))
        call_fail_err(&c->call, TIDE_BAD_TEXT, "prefix", &err);
}

/* Reads the glossary, if the options have one. */
static void make_glossary(SearchCall *c) {
    const char *text = c->options.glossary;
    Glossary *glossary = &c->glossary;
    Err err;
    if (c->call.status || !text || !file_text_given(&c->call, "glossary", text)) return;
    if (glossary_init(glossary, lexicon_parse(text, &err), &c->call.session->models[0]->translator.target))
        call_fail(&c->call, TIDE_BAD_TEXT, "glossary, line %ld: %s", err.line, err.reason);
    else if (glossary->unwritable)
        call_fail(&c->call, TIDE_BAD_TEXT, "glossary: the model cannot write '%.100s'", glossary->example);
}

/* Reads the lexicon, if the options have one. */
static void make_lexicon(SearchCall *c) {
    const char *text = c->options.lexicon;
    Err err;
    if (!text || !file_text_given(&c->call, "lexicon", text)) return;
    if (!(c->search.lexicon = c->lexicon = lexicon_parse(text, &err)))
        call_fail(&c->call, TIDE_BAD_TEXT, "lexicon, line %ld: %s", err.line, err.reason);
}

/* Checks that the shortlist, if there is one, is that of one of the models. */
static void check_shortlist(SearchCall *c) {
    const TideSession *session = c->call.session;
    bool own = !c->options.shortlist;
    for (int i = 0; i < session->count && !own; i++) own = session->models[i] == c->options.shortlist->model;
    if (!own) call_fail(&c->call, TIDE_BAD_ARGUMENT, "shortlist: it belongs to a model that is not in the session");
}

/* Translates all sentences in parts that bound the memory of the search. */
static void translate_all(SearchCall *c, char *const *sentences) {
    BeamOptions *beam = &c->beam;
    TideResult *result = result_new(c->count);
    Err err;
    for (int n; c->first < c->count; c->done = c->first += n) {
        char *const *part = sentences + c->first;
        n = translate_most(part, c->count - c->first, beam->beam);
        if (c->prefixes.list) beam->prefixes = c->prefixes.list + c->first;
        SentenceTerms terms = {0};
        if (c->glossary.terms) terms = glossary_terms(&c->glossary, part, n);
        beam->constraints = terms.list;
        ColumnSet *shortlists = c->search.shortlist ? shortlist_sets(c->search.shortlist, part, n) : NULL;
        beam->shortlists = shortlists;
        c->sampling.first = c->first;
        Translations found = session_translate(&c->call.session->session, part, n, beam,
                                               c->search.mini_batch ? c->search.mini_batch : 64, count_done, c);
        if (found.cancelled) cancel(c);
        else if (translations_check(&found, c->first, &err)) call_fail_err(&c->call, TIDE_UNSUPPORTED, NULL, &err);
        for (int i = 0; i < n && !c->call.status; i++) set_translation(c, result, &found, i);
        translations_free(&found);
        sentence_terms_free(&terms);
        shortlist_sets_free(shortlists, n);
        if (c->call.status) break;
    }
    if (c->call.status) tide_result_free(result);
    else *c->result = result_keep(result);
}

static void translate(void *context) {
    SearchCall *c = context;
    if (!argument_given(&c->call, "result", c->result) || !texts_given(&c->call, "sentence", c->sources, c->count))
        return;
    if (!options_copy(&c->call, c->given, &c->options, sizeof c->options) || !search_given(c)) return;
    make_lexicon(c);
    if (!c->call.status) search_begin(&c->call, &c->search, c->call.session->count);
    c->beam = search_options_beam(&c->search, &c->call.session->models[0]->translator, &c->sampling);
    if (c->options.settled) c->beam.settled = tell_settled;
    c->beam.before_step = report;
    c->beam.context = c;
    char **sentences = normalise(c, "sentence", c->sources);
    check_lengths(c, "sentence", &c->call.session->models[0]->translator.source, sentences);
    make_prefixes(c);
    make_glossary(c);
    check_shortlist(c);
    if (!c->call.status) translate_all(c, sentences);
    glossary_free(&c->glossary);
    lexicon_free(c->lexicon);
    prefixes_free(&c->prefixes);
    strings_free(sentences);
}

TideStatus tide_translate(TideSession *session, const char *const *sentences, int count,
                          const TideTranslateOptions *options, TideResult **result) {
    SearchCall c = {.sources = sentences, .count = count, .given = options, .result = result};
    if (result) *result = NULL;
    return call_session(&c.call, session, translate);
}

/* ---- tide_align and tide_score ---------------------------------------------------------------------------------- */

static int align_part(SearchCall *c, char *const *sources, char *const *targets, TideResult *result) {
    Alignment alignments[MOST_PAIRS];
    const int n = align_most(sources, targets, c->count - c->first);
    Err err;
    session_align(&c->call.session->session, sources, targets, n, c->search.attention, alignments);
    for (int i = 0; i < n; i++) {
        if (!c->call.status && alignment_check(&alignments[i], c->first + i, &err))
            call_fail_err(&c->call, TIDE_UNSUPPORTED, NULL, &err);
        const int pieces = alignments[i].n_target;
        view(c, &alignments[i]);
        result_set(
            result, c->first + i,
            &(Draft){.text = mem_strdup(targets[i]), .pieces = pieces, .confidence = -1, .alignment = alignments[i]},
            1);
    }
    return n;
}

static int score_part(SearchCall *c, char *const *sources, char *const *targets, TideResult *result) {
    PairScore score;
    double *pieces;
    session_scores(&c->call.session->session, sources, targets, 1, c->search.attention, &score, &pieces);
    Err err;
    if (probability_check(score.log_probability, c->first, &err)) {
        call_fail_err(&c->call, TIDE_UNSUPPORTED, NULL, &err);
        mem_free(pieces);
        return 1;
    }
    result_set(result, c->first,
               &(Draft){.text = mem_strdup(targets[0]),
                        .log_probability = score.log_probability,
                        .score = score.log_probability,
                        .pieces = score.pieces,
                        .confidence = -1,
                        .piece_scores = pieces},
               1);
    mem_free(pieces);
    return 1;
}

static void force_all(SearchCall *c, char *const *sources, char *const *targets) {
    TideResult *result = result_new(c->count);
    while (c->first < c->count && !c->call.status) {
        if (report(c)) cancel(c);
        else c->done = c->first += c->part(c, sources + c->first, targets + c->first, result);
    }
    if (c->call.status) tide_result_free(result);
    else *c->result = result_keep(result);
}

/* Copies the options of a forced call to those of a search. */
static bool force_options(SearchCall *c) {
    TideForceOptions o;
    if (!options_copy(&c->call, c->given, &o, sizeof o)) return false;
    c->options = (TideTranslateOptions){.max_length = o.max_length,
                                        .words = o.words,
                                        .shift = o.shift,
                                        .hard = o.hard,
                                        .layer = o.layer,
                                        .head = o.head,
                                        .progress = o.progress,
                                        .context = o.context,
                                        .tag = o.tag,
                                        .precision = o.precision};
    return true;
}

static void force(void *context) {
    SearchCall *c = context;
    const Translator *first = &c->call.session->models[0]->translator;
    if (c->part == align_part && !model_aligns(&first->model))
        call_fail(&c->call, TIDE_UNSUPPORTED, "this model has no attention, so there is no alignment");
    if (c->call.status || !argument_given(&c->call, "result", c->result) ||
        !texts_given(&c->call, "source", c->sources, c->count) ||
        !texts_given(&c->call, "target", c->targets, c->count) || !force_options(c) || !search_given(c) ||
        !search_begin(&c->call, &c->search, c->part == align_part ? 1 : c->call.session->count))
        return;
    char **sources = normalise(c, "source", c->sources);
    char **targets = normalise(c, "target", c->targets);
    check_lengths(c, "source", &first->source, sources);
    check_lengths(c, "target", &first->target, targets);
    if (!c->call.status) force_all(c, sources, targets);
    strings_free(sources);
    strings_free(targets);
}

static TideStatus force_call(TideSession *session, const char *const *sources, const char *const *targets, int count,
                             const TideForceOptions *options, TideResult **result, ForcePart *part) {
    SearchCall c = {
        .sources = sources, .targets = targets, .part = part, .count = count, .given = options, .result = result};
    if (result) *result = NULL;
    return call_session(&c.call, session, force);
}

TideStatus tide_align(TideSession *session, const char *const *sources, const char *const *targets, int count,
                      const TideForceOptions *options, TideResult **result) {
    return force_call(session, sources, targets, count, options, result, align_part);
}

TideStatus tide_score(TideSession *session, const char *const *sources, const char *const *targets, int count,
                      const TideForceOptions *options, TideResult **result) {
    return force_call(session, sources, targets, count, options, result, score_part);
}
