/* tide translate: translates standard input. */
#include "cli/messages.h"
#include "cli/models.h"
#include "cli/pictures.h"
#include "cli/alignment_view.h"
#include "cli/document.h"
#include "cli/glossary_flag.h"
#include "cli/shortlist_flag.h"
#include "cli/sampling_flags.h"
#include "cli/source_lines.h"
#include "io/ds.h"
#include "text/normal_lines.h"
#include "io/output.h"
#include "translate/prefix.h"
#include "translate/unknown.h"
#include "view/alignments_page.h"

#include <stdio.h>
#include <sys/stat.h>

static const Flag flags[] = {
    FLAG_MODELS,
    FLAGS_BEAM,
    FLAG_MAX_LENGTH,
    FLAG_TAG,
    FLAG_ATTENTION_MODE,
    FLAGS_ALIGNMENT,
    FLAG_INT("n-best", "print the N best hypotheses: `line ||| text ||| features ||| score`", 0, 1000, NULL),
    {"alignment", 1, NULL, "append ` ||| ` and the alignment: links (Pharaoh) or all weights", .choices = "hard|soft"},
    FLAG_SWITCH("word-scores", "append ` ||| WordScores=` and the log-probability of each piece, and of </s>"),
    FLAGS_SAMPLING,
    FLAGS_ALIGNMENT_VIEW,
    {"heatmap", 1, "DIR", "draw each translation's alignment as DIR/0001.svg ..., or FILE.pdf, FILE.png",
     .kind = VALUE_DIR},
    FLAG_PER_PAGE,
    FLAG_FILE("html", "write an interactive page with the alignments of all printed hypotheses"),
    FLAG_SWITCH("replace-unk", "replace each <unk> by the source word that it is aligned to"),
    FLAG_FILE("lexicon", "with --replace-unk: use translations from FILE, lines of `source TAB target`"),
    FLAG_GLOSSARY,
    FLAGS_SHORTLIST,
    FLAGS_DOCUMENT,
    FLAG_FILE("prefix", "begin each translation with the text on the same line of FILE"),
    FLAG_SWITCH("allow-han", "allow Han characters in every target language"),
    FLAG_SWITCH("transpose", "draw heatmaps with the target at the top"),
    FLAG_INT("mini-batch",
             "sentences decoded together; the results are the same; 1: answer each line of a pipe at once", 1, 4096,
             "64"),
    FLAG_SWITCH("timing", "print on stderr how long each part took"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

static const FlagGroup groups[] = {
    {"Common flags",
     "beam-size n-best alignment word-scores heatmap html format split-sentences glossary threads quiet log"},
    {"Search", "normalize word-penalty coverage-penalty models max-length prefix tag attention-mode mini-batch"},
    {"Samples", "output-sampling seed"},
    {"Unknown words", "replace-unk lexicon allow-han"},
    {"Shortlists", "shortlist shortlist-first shortlist-best"},
    {"Alignments", "alignment-head alignment-layer threshold level shift end-of-sentence transpose per-page"},
    {"Machine", "timing isa"},
    {0}};

/* Seconds that each part took; see --timing in the help below. */
typedef struct Spent {
    double start, load, checksum, read, write;
    Timing search;
} Spent;

/* Returns the seconds since *moment and sets *moment to now. */
static double elapsed(double *moment) {
    double before = *moment;
    *moment = seconds_now();
    return *moment - before;
}

static void print_timing(const Spent *s, double total) {
    fprintf(stderr,
            "start %.1f ms, load %.1f (checksum %.1f), read %.1f, encode %.1f, decode %.1f, write %.1f, total %.1f\n",
            s->start * 1e3, s->load * 1e3, s->checksum * 1e3, s->read * 1e3, s->search.encode * 1e3,
            s->search.decode * 1e3, s->write * 1e3, total * 1e3);
}

enum { NONE = -1, HARD, SOFT }; /* values of --alignment, in the order of its list */

typedef struct Settings {
    const Args *args; /* for the paths of the models */
    int alignment;    /* NONE, HARD or SOFT */
    const char *heatmap, *html, *tag;
    Pictures pictures; /* before they are opened */
    BeamOptions beam;
    Sampling sampling; /* beam.sampling, if it is not NULL */
    AlignmentView view;
    int threads, batch, n_best, max_length;
    bool replace_unknown, allow_han;
    Lexicon *lexicon;    /* NULL: none */
    Glossary glossary;   /* all zero: none */
    Shortlist shortlist; /* all zero: none */
    char **lines;        /* all sentences; NULL: they are read while others are translated */
    Document *document;  /* instead of lines; `lines` are its sentences, which it owns; NULL: none */
    Prefixes prefixes;   /* of all sentences; all zero: none */
} Settings;

static Alignment alignment_at(const AlignmentView *view, const Translations *found, int i, const Hypothesis *h) {
    Alignment alignment = translation_alignment(found, i, h);
    alignment_view_apply(view, &alignment);
    return alignment;
}

/* Returns the text of hypothesis k of sentence i as it is printed; "" if there is none; owned by the caller. */
static char *text_at(const Settings *s, const Translations *found, int i, int k) {
    if (!s->replace_unknown || k >= found->nbest[i].count) return translation_text(found, i, k);
    return unknown_replace(found->translator, found->sentences[i], &found->nbest[i].list[k], s->lexicon, s->allow_han);
}

static void print_alignment(const Settings *s, const Alignment *alignment) {
    fputs(" ||| ", stdout);
    if (s->alignment == SOFT) {
        alignment_soft(stdout, alignment);
        return;
    }
    Link *links = alignment_view_links(&s->view, alignment);
    links_print(stdout, links, (int)arrlen(links));
    arrfree(links);
}

/* Prints hypothesis k of found's sentence i. first: the number of the line of found's first sentence, from 0. */
static void print_hypothesis(const Settings *s, const Translations *found, int first, int i, int k) {
    const Hypothesis *h = k < found->nbest[i].count ? &found->nbest[i].list[k] : NULL;
    char *text = text_at(s, found, i, k);
    if (s->n_best) printf("%d ||| ", first + i);
    fputs(text, stdout);
    if (s->alignment != NONE && h && h->alpha) {
        Alignment a = alignment_at(&s->view, found, i, h);
        print_alignment(s, &a);
        alignment_free(&a);
    } else if (s->alignment != NONE) {
        fputs(" ||| ", stdout);
    }
    if (args_has(s->args, "word-scores")) word_scores_print(h ? h->pieces : NULL, h ? h->length : 0);
    if (s->n_best) printf(" ||| F0= %.6f ||| %.6f", h ? h->log_probability : 0, h ? h->score : 0);
    putchar('\n');
    mem_free(text);
}

static int draw(const Settings *s, const Translations *found, Pictures *pictures, Err *err) {
    for (int i = 0; i < found->n; i++) {
        const Hypothesis *h = found->nbest[i].count ? found->nbest[i].list : NULL;
        if (!h || !h->alpha) {
            pictures_skip(pictures);
            continue;
        }
        Alignment a = alignment_at(&s->view, found, i, h);
        int status = pictures_add(pictures, &a, err);
        alignment_free(&a);
        if (status) return -1;
    }
    return 0;
}

/* The state of a run. */
typedef struct Translating {
    const Settings *settings;
    SourceLines source; /* if settings->lines is NULL */
    Session session;
    ProgressView view;
    int first; /* number of the first line of the current call, from 0 */
    Pictures pictures;
    AlignmentsPage page;
    OutputFile html; /* file of the page; open only with --html */
} Translating;

static void count(void *context, long done, long all) {
    Translating *work = context;
    const long total = work->settings->lines ? arrlen(work->settings->lines) : work->source.total;
    (void)all;
    progress_count(&work->view, "translating", work->first + done, total, seconds_now(), false);
}

static void fill_page(const Settings *s, const Translations *found, AlignmentsPage *page) {
    const AlignmentView by_piece = {.shift =
                                        s->view.shift}; /* the page needs pieces; its script merges them into words */
    for (int i = 0; i < found->n; i++) {
        alignments_page_sentence(page, found->sentences[i]);
        for (int k = 0; k < (s->n_best ? s->n_best : 1) && k < found->nbest[i].count; k++) {
            const Hypothesis *h = &found->nbest[i].list[k];
            Alignment a = alignment_at(&by_piece, found, i, h);
            char *text = text_at(s, found, i, k);
            alignments_page_hypothesis(page, &a, text, h->score);
            mem_free(text);
            alignment_free(&a);
        }
    }
}

/* Writes the page. translate_all opens the file before it translates, so that a bad path fails at once and not after
   hours. */
static int write_page(const Settings *s, AlignmentsPage *page, OutputFile *html, Err *err) {
    char title[600];
    int length = snprintf(title, sizeof title, "Translations by %s", model_path(s->args, 0));
    for (int i = 1; model_path(s->args, i) && length < (int)sizeof title; i++)
        length += snprintf(title + length, sizeof title - (size_t)length, ", %s", model_path(s->args, i));
    alignments_page_write(page, html->stream, title, s->view.words);
    return output_commit(html, err);
}

static int write_failed(Err *err) { return err_set(err, NULL, 0, "standard output cannot be written"); }

static int write_out(Translating *work, const Translations *found, Err *err) {
    const Settings *s = work->settings;
    for (int i = 0; i < found->n && s->document; i++) arrput(s->document->translations, text_at(s, found, i, 0));
    for (int i = 0; i < found->n && !s->document; i++)
        for (int k = 0; k < (s->n_best ? s->n_best : 1) && (k == 0 || k < found->nbest[i].count); k++)
            print_hypothesis(s, found, work->first, i, k);
    if (fflush(stdout) || ferror(stdout)) return write_failed(err);
    if (s->html) fill_page(s, found, &work->page);
    return s->heatmap ? draw(s, found, &work->pictures, err) : 0;
}

/* Translates n lines and writes the translations. */
static int translate_some(Translating *work, char *const *lines, int n, Spent *spent, Err *err) {
    const Settings *s = work->settings;
    BeamOptions beam = s->beam;
    Sampling sampling = s->sampling;
    sampling.first = work->first;
    if (beam.sampling) beam.sampling = &sampling;
    if (s->prefixes.list) beam.prefixes = s->prefixes.list + work->first;
    SentenceTerms terms = {0};
    if (s->glossary.terms) terms = glossary_terms(&s->glossary, lines, n);
    beam.constraints = terms.list;
    ColumnSet *shortlists = shortlist_sets(&s->shortlist, lines, n);
    beam.shortlists = shortlists;
    Translations found =
        session_translate(&work->session, lines, n, &beam, s->batch, work->source.eager ? NULL : count, work);
    progress_clear(&work->view);
    double moment = seconds_now();
    int status = write_out(work, &found, err);
    spent->write += elapsed(&moment);
    spent->search.encode += found.timing.encode;
    spent->search.decode += found.timing.decode;
    translations_free(&found);
    sentence_terms_free(&terms);
    shortlist_sets_free(shortlists, n);
    work->first += n;
    return status;
}

/* Translates the lines of standard input as they arrive, some at a time. */
static int translate_stream(Translating *work, Spent *spent, Err *err) {
    const Settings *s = work->settings;
    const Translator *tr = work->session.members[0];
    SourceLines *source = &work->source;
    double moment = seconds_now();
    if (source_open(source, &tr->source, s->max_length, s->batch == 1, err)) return -1;
    message_waiting("sentences");
    int n, status = 0;
    while (!status && (n = source_fill(source, err)) > 0) {
        if (work->first == 0 && !source->eager && !source->wrong.reason[0])
            language_warn(tr, SOURCE, source->lines, source->reader.path);
        spent->read += elapsed(&moment);
        n = translate_most(source->lines, n, s->beam.beam);
        status = translate_some(work, source->lines, n, spent, err);
        source_take(source, n);
        moment = seconds_now();
    }
    source_close(source);
    return status ? status : n;
}

static int translate_lines(Translating *work, Spent *spent, Err *err) {
    const Settings *s = work->settings;
    for (int n; (n = (int)arrlen(s->lines) - work->first) > 0;) {
        char *const *lines = s->lines + work->first;
        if (translate_some(work, lines, translate_most(lines, n, s->beam.beam), spent, err)) return -1;
    }
    return 0;
}

static int translate_all(Translating *work, Spent *spent, Err *err) {
    const Settings *s = work->settings;
    if ((s->heatmap && pictures_open(&work->pictures, err)) || (s->html && output_open(&work->html, s->html, err)))
        return -1;
    if (s->lines || s->document ? translate_lines(work, spent, err) : translate_stream(work, spent, err)) return -1;
    if (s->document) document_write(s->document, !translator_writes_han(work->session.members[0]));
    if (fflush(stdout) || ferror(stdout)) return write_failed(err);
    if (pictures_close(&work->pictures, err)) return -1;
    if (!s->html) return 0;
    double moment = seconds_now();
    int status = write_page(s, &work->page, &work->html, err);
    spent->write += elapsed(&moment);
    return status;
}

static int run_on(const Settings *s, const Models *models, Spent *spent, Err *err) {
    Threads *threads = threads_new(s->threads);
    Translating work = {.settings = s, .pictures = s->pictures};
    messages_progress(&work.view);
    session_init(&work.session, models->list, models->count, threads);
    work.session.tag = s->tag;
    alignments_page_init(&work.page);
    int status = translate_all(&work, spent, err);
    alignments_page_free(&work.page);
    pictures_free(&work.pictures);
    output_discard(&work.html);
    session_free(&work.session);
    threads_free(threads);
    return status;
}

static int settings_of(const Args *args, const Models *models, Settings *s, Err *err) {
    s->beam = translator_beam_options(models->list[0]);
    s->args = args;
    s->alignment = NONE;
    s->heatmap = args_value(args, "heatmap", 0);
    s->html = args_value(args, "html", 0);
    s->pictures = (Pictures){.dir = s->heatmap, .transpose = args_has(args, "transpose")};
    s->replace_unknown = args_has(args, "replace-unk");
    s->allow_han = args_has(args, "allow-han");
    translator_allow(models->list[0], s->replace_unknown, s->allow_han, &s->beam);
    if (args_int(args, "n-best", &s->n_best, err) || args_int(args, "mini-batch", &s->batch, err) ||
        args_choice(args, "alignment", &s->alignment, err) || alignment_view_flags(args, &s->view, err) ||
        beam_flags(args, models, &s->beam, err) || length_flag(args, &s->max_length, err) ||
        attention_flags(args, &s->beam.attention, err) || pictures_flags(args, &s->pictures, err) ||
        sampling_flags(args, s->n_best ? s->n_best : 1, &s->sampling, &s->beam, err))
        return -1;
    if (shortlist_check(args, err)) return -1;
    if (s->beam.sampling && args_has(args, "shortlist"))
        return usage_error(err, "--output-sampling draws from all words: leave out --shortlist");
    if (s->beam.sampling && args_has(args, "glossary"))
        return usage_error(err, "--output-sampling draws words at random, so it cannot follow a --glossary");
    if (s->n_best > s->beam.beam) return usage_error(err, "--n-best %d needs --beam-size %d", s->n_best, s->n_best);
    const bool attention = models_align(models);
    if ((s->alignment != NONE || s->heatmap || s->html) && !attention)
        return usage_error(err, "this model has no attention, so there is no alignment to show");
    if (s->replace_unknown && !attention) return usage_error(err, "--replace-unk needs a model with attention");
    if (s->alignment != NONE || s->heatmap || s->html || s->replace_unknown)
        s->beam.alignments = s->n_best ? s->n_best : 1;
    return 0;
}

/* Reads the prefixes of all sentences. */
static int read_prefixes(const char *path, const Translator *tr, Settings *s, Err *err) {
    char **texts = lines_read_raw(path, err);
    int status = texts ? 0 : -1;
    if (!status && arrlen(texts) != arrlen(s->lines))
        status = err_set(err, path, 0, "has %td lines, but standard input has %td", arrlen(texts), arrlen(s->lines));
    if (!status)
        status = prefixes_of_texts(&s->prefixes, &tr->target, (const char *const *)texts, (int)arrlen(texts),
                                   s->max_length, path, err);
    strings_free(texts);
    return status;
}

/* Reads the lexicon, if --lexicon is given, and the sentences of a document. With --prefix, reads all sentences and
   their prefixes; else they are read while others are translated. */
static int read_input(const Args *args, const Translator *tr, Settings *s, Err *err) {
    const char *path = args_value(args, "lexicon", 0), *prefix = args_value(args, "prefix", 0);
    if (s->html && output_check(args, s->html,
                                (const char *[]){"/dev/stdin", path, prefix, args_value(args, "glossary", 0)}, 4, err))
        return -1;
    if (path && !(s->lexicon = lexicon_read(path, err))) return -1;
    if (s->document) {
        const int failed = document_read(s->document, tr, s->max_length, err);
        s->lines = s->document->passage.sentences;
        return failed;
    }
    if (!prefix) return 0;
    if (!(s->lines = lines_read(NULL, 1, err))) return -1;
    if (lines_check(tr, SOURCE, s->lines, s->max_length, "standard input", err)) return -1;
    return read_prefixes(prefix, tr, s, err);
}

static double checksum_seconds(const Models *models) {
    double seconds = 0;
    for (int i = 0; i < models->count; i++) seconds += models->list[i]->checksum_seconds;
    return seconds;
}

static int run(const Args *args, Err *err) {
    Settings settings = {0};
    Document document;
    Spent spent = {0};
    Models models;
    double moment = args->began;
    if (args->word_count > 1 && !args_has(args, "models")) {
        struct stat info;
        if (!stat(args->words[1], &info) && S_ISDIR(info.st_mode))
            return usage_error(err, "translate takes one MODEL; several: tide translate --models %s %s ...",
                               args->words[0], args->words[1]);
        if (args->word_count == 2) return input_is_a_word(err, "translate", args);
    }
    if (!models_given(args))
        return usage_error(err, "translate needs one MODEL, or --models; see `tide translate --help`");
    if (args_has(args, "lexicon") && !args_has(args, "replace-unk"))
        return usage_error(err, "--lexicon needs --replace-unk");
    if (machine_flags(args, &settings.threads, err) || document_flags(args, &document, err)) return -1;
    spent.start = elapsed(&moment);
    if (models_load(args, &models, err)) return -1;
    spent.load = elapsed(&moment);
    spent.checksum = checksum_seconds(&models);
    if (document.given) settings.document = &document;
    int failed = settings_of(args, &models, &settings, err) ||
                 attentions_check(args, &models, settings.beam.attention, err) ||
                 glossary_flag(args, models.list[0], &settings.glossary, err) ||
                 shortlist_flag(args, models.list[0], &settings.shortlist, err) ||
                 tag_flag(args, models.list, models.count, &settings.tag, err) ||
                 read_input(args, models.list[0], &settings, err);
    spent.read = elapsed(&moment);
    int status = failed || run_on(&settings, &models, &spent, err) ? -1 : 0;
    prefixes_free(&settings.prefixes);
    if (!document.given) strings_free(settings.lines);
    document_free(&document);
    lexicon_free(settings.lexicon);
    glossary_free(&settings.glossary);
    shortlist_free(&settings.shortlist);
    models_free(&models);
    if (args_has(args, "timing") && !status) print_timing(&spent, seconds_now() - args->began);
    return status;
}

static const Remark examples[] = {
    {"tide translate run1 < test.zh > test.out", "Translate a file"},
    {"tide translate run1 --n-best 5 --alignment hard < test.zh",
     "Print the five best translations of each sentence with their links"},
    {"tide translate run1 --output-sampling nucleus 0.9 --n-best 3 < test.zh",
     "Draw three different translations of each sentence"},
    {"tide translate --models run1 run2 run3 --beam-size 12 --html page.html < test.zh > test.out",
     "Translate with three models together, and write a page with the alignments"},
    {0}};

const Command command_translate = {
    .name = "translate",
    .summary = "translate standard input, one sentence per line",
    .usage = "MODEL [flags] < source > translation",
    .about = "MODEL is a directory that `tide train` made, or a model.safetensors.\n\n"
             "With --replace-unk the model may write <unk>. In the text, each <unk> is replaced by the source word\n"
             "with the largest alignment weight. With --lexicon, the longest source text in FILE that covers this\n"
             "word is looked up, and its translation is written instead. --alignment and --heatmap still show <unk>.\n"
             "If the target language is not written with Han characters, pieces with Han are banned, and\n"
             "--replace-unk leaves out source words with Han that are not in FILE; --allow-han allows both.\n\n"
             "--prefix reads one line for each line of the input. A translation begins with the text of this line,\n"
             "character for character, and may continue its last word, unless the line ends in a space. An\n"
             "empty line leaves the translation free. Scores are those of the whole translation.\n\n"
             "--shortlist makes the output layer faster: for each sentence, it computes only the words of FILE that\n"
             "translate a part of the sentence, and the most frequent ones. FILE is a lexicon of `tide lexicon`.\n"
             "Translations may differ from those of the whole vocabulary.\n\n"
             "--glossary gives translations of terms. Wherever the source has a term, the translation contains what\n"
             "FILE says, as whole words; the search decides where (Post & Vilar 2018). Of terms that overlap, the\n"
             "first one counts, and of those that begin at the same place the longest. A term is not found within a\n"
             "word of letters, and upper and lower case differ. Other lines keep their translations.\n\n"
             "--split-sentences splits each line into sentences, translates each of them, and joins the translations.\n"
             "--format srt and html do this with a whole document, and keep all that is not text for translation:\n"
             "numbers, times and tags of subtitles; tags, comments, scripts, styles, pre and code of HTML.\n\n"
             "--heatmap with a FILE.pdf writes a page for each sentence, with a FILE.png one picture (FILE-2.png is\n"
             "that of the second sentence). Both need the program rsvg-convert (package librsvg2-bin).\n\n"
             "--output-sampling draws each word at random by its probability p, divided by a temperature in the\n"
             "exponent: p^(1/T). topk N draws from the N most probable words, nucleus P from the fewest words whose\n"
             "probabilities sum to P. --n-best N draws N translations of each sentence and sorts them by score. The\n"
             "same seed gives the same translations of a line for any number of threads and lines in a batch.\n\n"
             "--attention-mode hard reads only the annotation with the largest score, not the weighted mean of all.\n"
             "It is only for translation: the choice of the largest score has no gradient, so a model cannot be\n"
             "trained with it.\n\n"
             "--timing prints milliseconds. `start`: from the start of the process until the model is opened; before\n"
             "main, only processor time counts. `load`: reading the model and packing its weights; this includes\n"
             "`checksum`, the check of all bytes. `read`: reading all other input. `encode` and `decode`: the two\n"
             "parts of the search. `write`: printing and drawing. The rest of `total` is for splitting into pieces,\n"
             "starting threads and freeing memory.",
    COMMAND_FLAGS(flags),
    .groups = groups,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = examples,
    .see = "align evaluate train",
    .run = run,
};
