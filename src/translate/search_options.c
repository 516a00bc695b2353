#include "translate/search_options.h"

#include "core/choice.h"
#include "translate/ensemble.h"
#include "translate/unknown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(SearchOptions, field)
const SearchOption search_option_rows[] = {
    {"beam", "beam-size", true, true, SEARCH_INT, AT(beam), 0, 1000},
    {"n_best", "n-best", false, false, SEARCH_INT, AT(n_best), 0, 1000},
    {"normalize", "normalize", true, true, SEARCH_REAL, AT(normalize), 0, 10},
    {"word_penalty", "word-penalty", true, true, SEARCH_REAL, AT(word_penalty), -10, 10},
    {"coverage", "coverage-penalty", true, true, SEARCH_REAL, AT(coverage), 0, 10},
    {"max_length", "max-length", false, false, SEARCH_INT, AT(max_length), 0, 1 << 20},
    {"mini_batch", "mini-batch", false, false, SEARCH_INT, AT(mini_batch), 0, 4096},
    {"hard", NULL, true, true, SEARCH_SWITCH, AT(attention.hard), 0, 0},
    {"layer", "alignment-layer", true, true, SEARCH_INT, AT(attention.layer), 0, 256},
    {"head", "alignment-head", true, true, SEARCH_INT, AT(attention.head), 0, 256},
    {"shift", "shift", true, false, SEARCH_SWITCH, AT(shift), 0, 0},
    {"tag", "tag", true, true, SEARCH_TEXT, AT(tag), 0, 0},
    {"precision", "precision", true, true, SEARCH_TEXT, AT(precision), 0, 0},
    {"sample", "output-sampling", true, true, SEARCH_SWITCH, AT(sample), 0, 0},
    {"top_k", NULL, true, true, SEARCH_INT, AT(top_k), 0, 1 << 20},
    {"top_p", NULL, true, true, SEARCH_REAL, AT(top_p), 0, 1},
    {"temperature", NULL, true, true, SEARCH_REAL, AT(temperature), 0.01, 1 << 20},
    {"seed", "seed", true, true, SEARCH_INT, AT(seed), 0, 1 << 30},
    {"replace_unknown", "replace-unk", true, true, SEARCH_SWITCH, AT(replace_unknown), 0, 0},
    {"allow_han", "allow-han", true, true, SEARCH_SWITCH, AT(allow_han), 0, 0},
    {"piece_scores", "word-scores", true, false, SEARCH_SWITCH, AT(piece_scores), 0, 0},
    {"shortlist", NULL, true, true, SEARCH_SWITCH, AT(use_shortlist), 0, 0},
    {"glossary", "glossary", false, false, SEARCH_LIST, AT(glossary), 0, 0},
    {"shortlist", "shortlist", false, false, SEARCH_LIST, AT(shortlist), 0, 0},
    {"lexicon", "lexicon", false, false, SEARCH_LIST, AT(lexicon), 0, 0},
    {0}};

SearchOptions search_options_default(void) {
    return (SearchOptions){.normalize = NAN, .word_penalty = NAN, .temperature = 1, .seed = 1, .use_shortlist = true};
}

static const void *field_of(const SearchOption *option, const SearchOptions *options) {
    return (const char *)options + option->offset;
}

/* Whether the option has the same value in both; bits are compared, so that NAN is equal to NAN. */
static bool is_equal(const SearchOption *option, const SearchOptions *a, const SearchOptions *b) {
    const void *x = field_of(option, a), *y = field_of(option, b);
    const char *const *left = x, *const *right = y;
    switch (option->kind) {
    case SEARCH_INT: return !memcmp(x, y, sizeof(int));
    case SEARCH_REAL: return !memcmp(x, y, sizeof(double));
    case SEARCH_SWITCH: return !memcmp(x, y, sizeof(bool));
    case SEARCH_TEXT: return *left && *right ? !strcmp(*left, *right) : *left == *right;
    case SEARCH_LIST: return *left == *right;
    }
    return false;
}

bool search_options_agree(const SearchOptions *a, const SearchOptions *b) {
    bool agree = !a->sample || a->n_best == b->n_best;
    for (const SearchOption *o = search_option_rows; o->name && agree; o++) agree = !o->search || is_equal(o, a, b);
    return agree;
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

/* What errors call an option. */
typedef struct Called {
    char text[32];
} Called;

static Called called(const SearchOption *option, SearchNames names) {
    Called name;
    const bool flag = names == NAMES_OF_FLAGS && option->flag;
    snprintf(name.text, sizeof name.text, "%s%s", flag ? "--" : "", flag ? option->flag : option->name);
    return name;
}

static const SearchOption *option_at(size_t offset) {
    const SearchOption *option = search_option_rows;
    while (option->offset != offset) option++;
    return option;
}

int search_option_check(const SearchOption *option, double value, SearchNames names, Err *err) {
    if (value >= option->least && value <= option->most) return 0;
    return err_set(err, NULL, 0, "%s is %g, but must be between %g and %g", called(option, names).text, value,
                   option->least, option->most);
}

static int check_limits(const SearchOptions *options, SearchNames names, Err *err) {
    int status = 0;
    for (const SearchOption *o = search_option_rows; o->name && !status; o++) {
        const int *whole = field_of(o, options);
        const double *number = field_of(o, options);
        if (o->kind == SEARCH_INT) status = search_option_check(o, *whole, names, err);
        if (o->kind == SEARCH_REAL && !isnan(*number)) status = search_option_check(o, *number, names, err);
    }
    return status;
}

#define NAME(field) called(option_at(AT(field)), names).text

static int check_sampling(const SearchOptions *o, SearchNames names, Err *err) {
    const SearchOptions usual = search_options_default();
    const size_t only[] = {AT(top_k), AT(top_p), AT(temperature), AT(seed)};
    for (size_t i = 0; i < sizeof only / sizeof *only && !o->sample; i++) {
        const SearchOption *option = option_at(only[i]);
        if (!is_equal(option, o, &usual))
            return err_set(err, NULL, 0, "%s needs %s", called(option, names).text, NAME(sample));
    }
    if (!o->sample) return 0;
    if (o->top_k && o->top_p > 0) return err_set(err, NULL, 0, "give either %s or %s", NAME(top_k), NAME(top_p));
    if (o->beam)
        return err_set(err, NULL, 0, "%s draws translations without a beam: leave out %s", NAME(sample), NAME(beam));
    if (o->glossary)
        return err_set(err, NULL, 0, "%s draws words at random, so it cannot follow a %s", NAME(sample),
                       NAME(glossary));
    if (o->shortlist)
        return err_set(err, NULL, 0, "%s draws from all words: leave out %s", NAME(sample), NAME(shortlist));
    return 0;
}

/* Checks that a model has the head and the layer that the options select, and has attention if they need it. */
static int check_attention(const SearchOptions *o, const Translator *member, const char *path, SearchNames names,
                           Err *err) {
    const Alignments there = model_alignments(&member->model);
    int status = 0;
    if (!there.heads && o->attention.hard)
        status = err_set(err, path, 0, "%s needs a model with attention",
                         names == NAMES_OF_FLAGS ? "--attention-mode" : "hard");
    else if (!there.heads && (o->attention.head || o->attention.layer))
        status = err_set(err, path, 0, "%s needs a model with attention",
                         o->attention.head ? NAME(attention.head) : NAME(attention.layer));
    else if (o->attention.head > there.heads)
        status = err_set(err, path, 0, "%s %d: this model's attention has %d head%s", NAME(attention.head),
                         o->attention.head, there.heads, there.heads > 1 ? "s" : "");
    else if (o->attention.layer > there.layers)
        status = err_set(err, path, 0, "%s %d: this model's attention has %d layer%s", NAME(attention.layer),
                         o->attention.layer, there.layers, there.layers > 1 ? "s" : "");
    return status ? SEARCH_UNSUPPORTED : 0;
}

/* The format that the options ask for; -1: they have another name. */
static int products_of(const SearchOptions *o) {
    return o->precision ? choice_find(PRECISIONS, o->precision) : PANELS_F32;
}

static int check_precision(const SearchOptions *o, const Translator *const *members, const char *const *paths,
                           int count, SearchNames names, Err *err) {
    const int products = products_of(o);
    if (products < 0) {
        err_set(err, NULL, 0, "%s is '%.100s', but must be float32 or bfloat16", NAME(precision), o->precision);
        return SEARCH_WRONG;
    }
    for (int i = 0; i < count && products != PANELS_F32; i++)
        if (members[i]->quantized) {
            err_set(err, paths[i], 0, "%s %s: this model multiplies integers of 8 bits", NAME(precision), o->precision);
            return SEARCH_UNSUPPORTED;
        }
    return 0;
}

int search_options_check(const SearchOptions *o, const Translator *const *members, const char *const *paths, int count,
                         SearchNames names, Err *err) {
    if (check_limits(o, names, err) || check_sampling(o, names, err)) return SEARCH_WRONG;
    const int beam = o->sample ? o->n_best : o->beam ? o->beam : members[0]->options.beam_size;
    if (o->n_best > beam)
        return err_set(err, NULL, 0, "%s %d needs %s %d", NAME(n_best), o->n_best, NAME(beam), o->n_best);
    if (o->lexicon && !o->replace_unknown)
        return err_set(err, NULL, 0, "%s needs %s", NAME(lexicon), NAME(replace_unknown));
    for (int i = 0; i < count; i++) {
        const int status = check_attention(o, members[i], paths[i], names, err);
        if (status) return status;
    }
    if ((o->coverage > 0 || o->replace_unknown) && !ensemble_aligns(members, count)) {
        err_set(err, NULL, 0, "%s needs a model with attention",
                o->coverage > 0 ? NAME(coverage) : NAME(replace_unknown));
        return SEARCH_UNSUPPORTED;
    }
    const int precise = check_precision(o, members, paths, count, names, err);
    if (precise) return precise;
    if (!o->tag || vocab_tag(members[0]->source.vocab, o->tag) >= 0) return 0; /* all have the same source pieces */
    err_set(err, paths[0], 0, "this model has no tag '%.100s'", o->tag);
    return SEARCH_UNSUPPORTED;
}

/* ---- what the options mean -------------------------------------------------------------------------------------- */

BeamOptions search_options_beam(const SearchOptions *o, const Translator *first, Sampling *sampling) {
    const int wanted = o->n_best ? o->n_best : 1;
    BeamOptions beam = translator_beam_options(first);
    translator_allow(first, o->replace_unknown, o->allow_han, &beam);
    if (o->beam) beam.beam = o->beam;
    if (!isnan(o->normalize)) beam.normalize = o->normalize;
    if (!isnan(o->word_penalty)) beam.word_penalty = o->word_penalty;
    beam.coverage = o->coverage;
    beam.attention = o->attention;
    beam.alignments = o->alignments || o->replace_unknown ? wanted : 0;
    if (!o->sample) return beam;
    *sampling = (Sampling){.kind = o->top_k       ? SAMPLING_TOPK
                                   : o->top_p > 0 ? SAMPLING_NUCLEUS
                                                  : SAMPLING_FULL,
                           .k = o->top_k,
                           .p = o->top_p,
                           .temperature = o->temperature,
                           .seed = (uint64_t)o->seed};
    beam.sampling = sampling;
    beam.beam = wanted;
    return beam;
}

void search_options_session(const SearchOptions *o, Session *session) {
    session->tag = o->tag;
    session->products = (PanelFormat)products_of(o);
    session->copies = !o->replace_unknown;
}

char *search_options_text(const SearchOptions *o, const Translations *found, int i, int k) {
    if (!o->replace_unknown || k >= found->nbest[i].count) return translation_text(found, i, k);
    return unknown_replace(found->translator, found->sentences[i], &found->nbest[i].list[k], o->lexicon, o->allow_han);
}
