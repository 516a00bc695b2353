/* tide tune: chooses the options of the search on a development set, and writes a copy of the model with them. */
#include "cli/test_set.h"
#include "cli/messages.h"
#include "cli/models.h"
#include "io/ds.h"
#include "io/files.h"
#include "score/chrf.h"
#include "translate/confidence.h"
#include "translate/tune.h"

#include <stdio.h>

enum { MOST_BEAMS = 16, NORMALIZES = 11, PENALTIES = 13 };

static const Flag flags[] = {
    FLAG_FILE("src", "source sentences of the development set"),
    FLAG_FILE("ref", "their reference translations, line by line"),
    FLAGS_PAIRS_IN_A_FILE("--ref"),
    {"output", 1, "DIR", "directory for the copy of the model", .kind = VALUE_DIR},
    {"beam-sizes", MANY, "N ...", "beams to try (default: 1 2 3 5 8 12)", VALUE_INT, 1, 1000, NULL, NULL},
    FLAG_FORCE,
    FLAG_MAX_LENGTH,
    FLAG_TAG,
    FLAG_PRECISION,
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

/* What a run has. */
typedef struct Tuning {
    const Args *args;
    const char *model, *output;
    SearchOptions search;
    int threads, beams[MOST_BEAMS], beam_count;
    TestSet set;
    Translator translator;
    Session session;
    ProgressView view;
} Tuning;

static void count(void *context, long done, long all) {
    Tuning *t = context;
    progress_count(&t->view, "translating", done, all, seconds_now(), false);
}

static void print_choice(const SearchChoice *c) {
    const Bleu *bleu = &c->bleu;
    printf("%4d %10.1f %13.1f %6.2f %7.3f\n", c->beam, c->normalize, c->word_penalty, bleu->score,
           (double)bleu->hypothesis_length / (double)bleu->reference_length);
    fflush(stdout);
}

/* Tries each beam, with normalize 0, 0.2 .. 2 and word penalties 0.4, 0.3 .. -0.8. Prints the best choice for each
   beam, and returns the best of all; *before: the options that the model has now. */
static SearchChoice choose(Tuning *t, SearchChoice *before) {
    double normalize[NORMALIZES], penalty[PENALTIES];
    const BleuOptions bleu = {.chinese = translator_writes_han(&t->translator)};
    SearchChoice best = {0}, present;
    char *const *const sources = t->set.pairs.text[SOURCE];
    for (int i = 0; i < NORMALIZES; i++) normalize[i] = 0.2 * i;
    for (int i = 0; i < PENALTIES; i++) penalty[i] = (4 - i) / 10.0;
    puts("beam  normalize  word-penalty   BLEU  length, best for each beam");
    for (int i = 0; i < t->beam_count; i++) {
        BeamOptions options = translator_beam_options(&t->translator);
        const bool own = options.beam == t->beams[i];
        options.beam = t->beams[i];
        const SearchChoice choice =
            session_tune(&t->session, sources, t->set.references.sets[0], (int)arrlen(sources), &options, bleu,
                         normalize, NORMALIZES, penalty, PENALTIES, &present, count, t);
        progress_clear(&t->view);
        print_choice(&choice);
        if (own) *before = present;
        if (i == 0 || choice.bleu.score > best.bleu.score) best = choice;
    }
    if (before->bleu.score > best.bleu.score) best = *before; /* the grid need not contain its values */
    return best;
}

/* Sets chosen->confidence to what the translations with the other chosen options say, and *fits to how well. */
static void fit_confidence(Tuning *t, ModelOptions *chosen, double *fits) {
    char *const *sources = t->set.pairs.text[SOURCE], *const *references = t->set.references.sets[0];
    const int n = (int)arrlen(sources);
    double *means = mem_alloc((size_t)n * sizeof *means), *qualities = mem_alloc((size_t)n * sizeof *qualities);
    BeamOptions options = translator_beam_options(&t->translator);
    int fitted_count = 0;
    options.beam = chosen->beam_size;
    options.normalize = chosen->normalize;
    options.word_penalty = chosen->word_penalty;
    for (int first = 0, most; first < n; first += most) {
        most = translate_most(sources + first, n - first, options.beam);
        Translations found = session_translate(&t->session, (char **)sources + first, most, &options, 64, count, t);
        for (int i = 0; i < most; i++) {
            const Hypothesis *best = found.nbest[i].count ? found.nbest[i].list : NULL;
            if (!best) continue;
            char *text = translation_text(&found, i, 0), *reference = references[first + i];
            means[fitted_count] = best->log_probability / best->length;
            qualities[fitted_count++] = chrf_corpus(&text, &reference, 1, 0).score / 100;
            mem_free(text);
        }
        translations_free(&found);
    }
    progress_clear(&t->view);
    const bool fitted = confidence_fit(means, qualities, fitted_count, chosen->confidence);
    for (int i = 0; i < fitted_count; i++) means[i] = confidence_of(chosen, means[i], 1);
    *fits = fitted ? correlation(means, qualities, fitted_count) : 0;
    mem_free(means);
    mem_free(qualities);
}

static int tune(Tuning *t, Err *err) {
    char path[PATH_SIZE];
    SearchChoice before = {0};
    if (test_set_read(&t->set, t->args, &t->translator, t->search.max_length, err)) return -1;
    if (model_directory_make(t->args, t->output, t->model, path, err)) return -1;
    const SearchChoice best = choose(t, &before);
    ModelOptions search = t->translator.options;
    double fits;
    search.beam_size = best.beam;
    search.normalize = best.normalize;
    search.word_penalty = best.word_penalty;
    fit_confidence(t, &search, &fits);
    if (model_copy(t->model, &search, false, path, err)) return -1;
    printf("%s: --beam-size %d --normalize %g --word-penalty %g, BLEU %.2f", path, best.beam, best.normalize,
           best.word_penalty, best.bleu.score);
    if (before.beam)
        printf("; before: %d, %g, %g, BLEU %.2f", before.beam, before.normalize, before.word_penalty,
               before.bleu.score);
    putchar('\n');
    if (fits > 0)
        printf("confidence: %g and %g; correlation with chrF %.3f\n", search.confidence[0], search.confidence[1], fits);
    else puts("confidence: none, because the probabilities of these translations do not predict their chrF");
    return 0;
}

/* Reads --beam-sizes. The model's own beam is tried, too, so that the result is not worse than the model. */
static int read_beams(const Args *args, Tuning *t, Err *err) {
    static const int usual[] = {1, 2, 3, 5, 8, 12};
    const int own = t->translator.options.beam_size;
    bool found = false;
    for (; args_value(args, "beam-sizes", t->beam_count); t->beam_count++) {
        if (t->beam_count == MOST_BEAMS - 1)
            return usage_error(err, "--beam-sizes takes at most %d values", MOST_BEAMS - 1);
        if (args_int_at(args, "beam-sizes", t->beam_count, &t->beams[t->beam_count], err)) return -1;
    }
    for (int i = 0; i < 6 && !args_has(args, "beam-sizes"); i++) t->beams[t->beam_count++] = usual[i];
    for (int i = 0; i < t->beam_count; i++) found |= t->beams[i] == own;
    if (!found) t->beams[t->beam_count++] = own;
    return 0;
}

static int run(const Args *args, Err *err) {
    Tuning t = {.args = args, .output = args_value(args, "output", 0)};
    if (given_pairs_exclude(args, "ref", err)) return -1;
    if (args->word_count != 1 || !given_pairs_flags(args, "ref") || !t.output)
        return usage_error(err, "tune needs MODEL, --output, and --src with --ref, --tsv, --csv or --jsonl; see `tide "
                                "tune --help`");
    t.model = args->words[0];
    if (machine_flags(args, &t.threads, err) || search_flags(args, &t.search, err) ||
        models_load_one(&t.translator, t.model, err))
        return -1;
    const Translator *const model = &t.translator;
    int status = search_check(args, &t.search, &model, 1, err) || read_beams(args, &t, err) ? -1 : 0;
    if (!status) {
        Threads *threads = threads_new(t.threads);
        session_init(&t.session, &model, 1, threads);
        search_options_session(&t.search, &t.session);
        messages_progress(&t.view);
        status = tune(&t, err);
        session_free(&t.session);
        threads_free(threads);
    }
    test_set_free(&t.set);
    translator_free(&t.translator);
    return status;
}

const Command command_tune = {
    .name = "tune",
    .summary = "choose beam, normalize and word penalty on a development set",
    .usage = "MODEL --src FILE --ref FILE | --tsv FILE | --csv FILE | --jsonl FILE  --output DIR",
    .about = "Translates the development set with several beams, and computes BLEU for all pairs of "
             "--normalize 0, 0.2 .. 2\n"
             "and --word-penalty 0.4, 0.3 .. -0.8. Writes a copy of the model that has the best values, to\n"
             "DIR/model.safetensors. Prints the best pair for each beam: BLEU, and the length of the translations\n"
             "divided by that of the references. The copy also knows how the chrF of a translation depends on its\n"
             "probability: its translations have a confidence.",
    COMMAND_FLAGS(flags),
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS(
        {"tide tune run1 --src dev.zh --ref dev.en --output run1-tuned", "Choose the options of the search on dev"},
        {"tide tune run1 --tsv dev.tsv --output run1-tuned", "The same for a file with both texts in its columns"}),
    .see = "evaluate translate",
    .run = run,
};
