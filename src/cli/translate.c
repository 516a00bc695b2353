/* tide translate: translates standard input. */
#include "cli/messages.h"
#include "cli/models.h"
#include "cli/pictures.h"
#include "cli/document.h"
#include "cli/word_lists.h"
#include "cli/source_lines.h"
#include "cli/streams.h"
#include "cli/unfamiliar.h"
#include "io/ds.h"
#include "io/lines.h"
#include "text/normal_lines.h"
#include "io/output.h"
#include "translate/confidence.h"
#include "translate/inline_markup.h"
#include "translate/prefix.h"
#include "translate/unknown.h"
#include "view/alignments_page.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

static const Flag flags[] = {
    FLAG_MODELS,
    FLAGS_BEAM,
    FLAG_MAX_LENGTH,
    FLAG_TAG,
    FLAG_PRECISION,
    FLAG_ATTENTION_MODE,
    FLAGS_ALIGNMENT,
    FLAG_INT("n-best", "print the N best hypotheses: `line ||| text ||| features ||| score`", 0, 1000, NULL),
    {"alignment", 1, NULL, "append ` ||| ` and the alignment: links (Pharaoh) or all weights", .choices = "hard|soft"},
    FLAG_SWITCH("word-scores", "append ` ||| WordScores=` and the log-probability of each piece, and of </s>"),
    FLAG_SWITCH("settled", "first print the words of each line as they settle: `line ||| Settled= text`"),
    {"output-sampling", MANY, "full|topk|nucleus [N|P] [TEMPERATURE]",
     "draw words by their probability, not the best: full, topk N or nucleus P, then a temperature", .least = 0,
     .most = 1 << 20, .choices = "full|topk|nucleus"},
    FLAG_INT("seed", "with --output-sampling: seed of the random numbers", 0, 1 << 30, "1"),
    FLAGS_ALIGNMENT_VIEW,
    {"heatmap", 1, "DIR", "draw each translation's alignment as DIR/0001.svg ..., or FILE.pdf, FILE.png",
     .kind = VALUE_DIR},
    FLAGS_PICTURES,
    {"each", 1, NULL, "draw the matrices of each hypothesis of --n-best in one picture", .choices = "hypothesis"},
    FLAG_FILE("html", "write an interactive page with the alignments of all printed hypotheses"),
    FLAG_SWITCH("replace-unk", "replace each <unk> by the source word that it is aligned to"),
    FLAG_FILE("lexicon", "with --replace-unk: use translations from FILE, lines of `source TAB target`"),
    FLAG_GLOSSARY,
    FLAGS_SHORTLIST,
    FLAG_SWITCH("split-sentences", "translate each sentence of a line for itself, and join the translations"),
    FLAG_CHOICE("format", "translate a document; keeps the times of subtitles (also WebVTT), or the tags of HTML",
                "text|srt|html", "text"),
    FLAG_FILE("prefix", "begin each translation with the text on the same line of FILE"),
    FLAG_SWITCH("allow-han", "allow Han characters in every target language"),
    FLAG_INT("mini-batch",
             "sentences decoded together; the results are the same; 1: answer each line of a pipe at once", 1, 4096,
             "64"),
    FLAG_SWITCH("timing", "print on stderr how long each part took"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

static const FlagGroup groups[] = {
    {"Common flags", "input output beam-size n-best alignment word-scores heatmap html format split-sentences glossary "
                     "threads quiet log"},
    {"Search", "normalize word-penalty coverage-penalty models max-length prefix tag precision attention-mode settled "
               "mini-batch"},
    {"Samples", "output-sampling seed"},
    {"Unknown words", "replace-unk lexicon allow-han"},
    {"Shortlists", "shortlist shortlist-first shortlist-best"},
    {"Alignments", "alignment-head alignment-layer threshold level shift end-of-sentence"},
    {"Pictures", "each per-page title blank row-scale picture-language transpose"},
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

/* A run: its flags, what they name, and its state. */
typedef struct Translating {
    const Args *args;
    int alignment; /* NONE, HARD or SOFT */
    const char *html;
    SearchOptions search;
    BeamOptions beam;
    Sampling sampling; /* beam.sampling, if it is not NULL */
    AlignmentView view;
    int threads;
    int printed; /* hypotheses of each sentence, at most */
    int each;    /* draw all of them: 0; only the best: NONE */
    Models models;
    Lexicon *lexicon;    /* NULL: none */
    Glossary glossary;   /* all zero: none */
    Shortlist shortlist; /* all zero: none */
    Prefixes prefixes;   /* of all sentences; all zero: none */
    char **beginnings;   /* their texts: a stb_ds array, owned */
    Document document;
    SourceLines source;
    Unfamiliar unfamiliar; /* of the lines so far */
    Session session;
    ProgressView progress;
    int first;         /* number of the first line of the current call, from 0 */
    Pictures pictures; /* dir: that of --heatmap, or NULL */
    AlignmentsPage page;
    OutputFile page_file; /* open only with --html */
    Spent spent;
} Translating;

static Alignment alignment_at(const AlignmentView *view, const Translations *found, int i, const Hypothesis *h) {
    Alignment alignment = translation_alignment(found, i, h);
    alignment_view_apply(view, &alignment);
    return alignment;
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static void print_alignment(const Translating *t, const Alignment *alignment) {
    if (t->alignment == SOFT) {
        alignment_soft(stdout, alignment);
        return;
    }
    Link *links = alignment_links(alignment, t->view.threshold, t->view.end);
    links_print(stdout, links, (int)arrlen(links));
    arrfree(links);
}

/* Prints the log-probability, the confidence if there is one, and the score of a hypothesis; NULL: there is none. */
static void print_features(const Translator *translator, const Hypothesis *h) {
    const double confidence = h ? confidence_of(&translator->options, h->log_probability, h->length) : -1;
    printf(" ||| F0= %.6f", h ? h->log_probability : 0);
    if (confidence >= 0) printf(" Confidence= %.4f", confidence);
    printf(" ||| %.6f", h ? h->score : 0);
}

/* Prints hypothesis k of found's sentence i. */
static void print_hypothesis(const Translating *t, const Translations *found, int i, int k) {
    const Hypothesis *h = k < found->nbest[i].count ? &found->nbest[i].list[k] : NULL;
    char *text = !h && t->beginnings && !found->copied[i] ? prefix_alone(found->translator, t->beginnings[t->first + i])
                                                          : search_options_text(&t->search, found, i, k);
    if (t->search.n_best) printf("%d ||| ", t->first + i);
    fputs(text, results());
    if (t->alignment != NONE) fputs(" ||| ", stdout);
    if (t->alignment != NONE && h && h->alpha) {
        Alignment a = alignment_at(&t->view, found, i, h);
        print_alignment(t, &a);
        alignment_free(&a);
    }
    if (t->search.piece_scores) word_scores_print(h ? h->pieces : NULL, h ? h->length : 0);
    if (t->search.n_best) print_features(found->translator, h);
    putchar('\n');
    mem_free(text);
}

/* Draws the first `most` hypotheses of sentence i in one picture: their words down the side, or at the top. */
static int draw_hypotheses(Translating *t, const Translations *found, int i, int most, Err *err) {
    const Nbest *nbest = &found->nbest[i];
    Alignment *alignments = NULL;
    char **captions = NULL;
    for (int k = 0; k < most && k < nbest->count && nbest->list[k].alpha; k++) {
        arrput(alignments, alignment_at(&t->view, found, i, &nbest->list[k]));
        arrput(captions, heatmap_hypothesis_caption(t->pictures.style.language, k + 1, nbest->list[k].score));
    }
    const int count = (int)arrlen(alignments);
    const Heatmap heatmap = {.alignments = alignments,
                             .count = count,
                             .captions = t->each >= 0 ? captions : NULL,
                             .across = t->pictures.style.transpose ? count : 1};
    const int status = count ? pictures_add(&t->pictures, heatmap, err) : 0;
    if (!count) pictures_skip(&t->pictures);
    for (int k = 0; k < count; k++) alignment_free(&alignments[k]);
    arrfree(alignments);
    strings_free(captions);
    return status;
}

static int draw(Translating *t, const Translations *found, Err *err) {
    const int most = t->each >= 0 ? t->printed : 1;
    for (int i = 0; i < found->n; i++)
        if (draw_hypotheses(t, found, i, most, err)) return -1;
    return 0;
}

/* Adds a sentence that is its own translation, without weights. */
static void add_copied(Translating *t, const Translations *found, int i) {
    char **pieces = side_spell(&found->translator->source, found->sentences[i]);
    const int n = (int)arrlen(pieces);
    Alignment alignment = alignment_new(pieces, n, pieces, n, NULL);
    alignments_page_hypothesis(&t->page, &alignment, found->sentences[i], NAN);
    alignment_free(&alignment);
    strings_free(pieces);
}

static void fill_page(Translating *t, const Translations *found) {
    /* the page needs pieces; its script merges them into words */
    const AlignmentView by_piece = {.shift = t->view.shift};
    for (int i = 0; i < found->n; i++) {
        alignments_page_sentence(&t->page, found->sentences[i]);
        if (found->copied[i]) add_copied(t, found, i);
        for (int k = 0; k < t->printed && k < found->nbest[i].count; k++) {
            const Hypothesis *h = &found->nbest[i].list[k];
            Alignment a = alignment_at(&by_piece, found, i, h);
            char *text = search_options_text(&t->search, found, i, k);
            alignments_page_hypothesis(&t->page, &a, text, h->score);
            mem_free(text);
            alignment_free(&a);
        }
    }
}

static int write_page(Translating *t, Err *err) {
    char models[600];
    int length = snprintf(models, sizeof models, "%s", model_path(t->args, 0));
    for (int i = 1; model_path(t->args, i) && length < (int)sizeof models; i++)
        length += snprintf(models + length, sizeof models - (size_t)length, ", %s", model_path(t->args, i));
    alignments_page_write(&t->page, t->page_file.stream, "Translations by ", models, t->view.words);
    return output_commit(&t->page_file, err);
}

static int write_out(Translating *t, const Translations *found, Err *err) {
    for (int i = 0; i < found->n; i++) {
        if (t->document.given) {
            char *text = search_options_text(&t->search, found, i, 0);
            if (t->document.format == PASSAGE_HTML)
                text = translation_html(found, i, 0, t->document.passage.marks[t->first + i], text);
            arrput(t->document.translations, text);
            continue;
        }
        for (int k = 0; k < t->printed && (k == 0 || k < found->nbest[i].count); k++) print_hypothesis(t, found, i, k);
    }
    if (streams_flush(err)) return -1;
    if (t->html) fill_page(t, found);
    return t->pictures.dir ? draw(t, found, err) : 0;
}

/* Prints the words that no hypothesis can change any more, as soon as they are known. */
static void print_settled(void *context, int number, const Hypothesis *words) {
    const Translating *t = context;
    char *text = hypothesis_text(t->models.list[0], words);
    fprintf(results(), "%d ||| Settled= %s\n", t->first + number, text);
    fflush(stdout); /* an error is reported after the translation */
    mem_free(text);
}

/* ---- translating ------------------------------------------------------------------------------------------------ */

static void count(void *context, long done, long all) {
    Translating *t = context;
    (void)all;
    progress_count(&t->progress, "translating", t->first + done, t->source.total, seconds_now(), false);
}

/* Translates the first n of the waiting lines and writes the translations. */
static int translate_some(Translating *t, int n, Err *err) {
    char *const *lines = t->source.lines;
    BeamOptions beam = t->beam;
    SentenceTerms terms = {0};
    t->sampling.first = t->first;
    if (t->prefixes.list) beam.prefixes = t->prefixes.list + t->first;
    if (t->glossary.terms) terms = glossary_terms(&t->glossary, lines, n);
    beam.constraints = terms.list;
    ColumnSet *shortlists = shortlist_sets(&t->shortlist, lines, n);
    beam.shortlists = shortlists;
    Translations found =
        session_translate(&t->session, lines, n, &beam, t->search.mini_batch, t->source.eager ? NULL : count, t);
    progress_clear(&t->progress);
    double moment = seconds_now();
    int status = translations_check(&found, t->first, err) ? -1 : write_out(t, &found, err);
    t->spent.write += elapsed(&moment);
    t->spent.search.encode += found.timing.encode;
    t->spent.search.decode += found.timing.decode;
    for (int i = 0; i < n; i++) unfamiliar_add(&t->unfamiliar, lines[i], found.copied[i]);
    translations_free(&found);
    sentence_terms_free(&terms);
    shortlist_sets_free(shortlists, n);
    t->first += n;
    return status;
}

/* Translates the lines as they arrive, some at a time. */
static int translate_lines(Translating *t, Err *err) {
    SourceLines *source = &t->source;
    double moment = seconds_now();
    int n, status = 0;
    t->unfamiliar.translator = t->models.list[0];
    if (!source->ended) {
        if (source_open(source, &t->models.list[0]->source, t->search.max_length, t->search.mini_batch == 1, err))
            return -1;
        message_waiting("sentences");
    }
    while (!status && (n = source_fill(source, err)) > 0) {
        if (t->first == 0 && !source->ended && !source->eager) /* otherwise, unfamiliar_report soon says more */
            language_warn(t->models.list[0], SOURCE, source->lines, source->reader.path);
        t->spent.read += elapsed(&moment);
        n = translate_most(source->lines, n, t->beam.beam);
        status = translate_some(t, n, err);
        source_take(source, n);
        moment = seconds_now();
    }
    return status ? status : n;
}

/* Opens the outputs before it translates, so that a bad path fails at once and not after hours. Returns as `run` of a
   command. */
static int translate_all(Translating *t, Err *err) {
    if ((t->pictures.dir && pictures_open(&t->pictures, t->models.list[0], model_path(t->args, 0), err)) ||
        (t->html && output_open(&t->page_file, t->html, err)) || translate_lines(t, err))
        return -1;
    if (t->document.given) document_write(&t->document, translator_spaces_sentences(t->models.list[0]));
    if (streams_flush(err) || pictures_close(&t->pictures, err)) return -1;
    double moment = seconds_now();
    int status = t->html ? write_page(t, err) : 0;
    t->spent.write += elapsed(&moment);
    if (status) return -1;
    const char *unit = t->document.given ? "sentence" : "line";
    unfamiliar_report(&t->unfamiliar, unit);
    return source_status(&t->source, unit, err);
}

static int translate(Translating *t, Err *err) {
    Threads *threads = threads_new(t->threads);
    messages_progress(&t->progress);
    session_init(&t->session, t->models.list, t->models.count, threads);
    search_options_session(&t->search, &t->session);
    alignments_page_init(&t->page);
    int status = translate_all(t, err);
    alignments_page_free(&t->page);
    pictures_free(&t->pictures);
    output_discard(&t->page_file);
    session_free(&t->session);
    threads_free(threads);
    return status;
}

/* ---- flags and input -------------------------------------------------------------------------------------------- */

static int read_flags(Translating *t, Err *err) {
    const Args *args = t->args;
    t->alignment = t->each = NONE;
    t->html = args_value(args, "html", 0);
    if (search_flags(args, &t->search, err) || args_choice(args, "alignment", &t->alignment, err) ||
        args_choice(args, "each", &t->each, err) || alignment_view_flags(args, &t->view, err) ||
        pictures_flags(args, args_value(args, "heatmap", 0), &t->pictures, err) || shortlist_check(args, err))
        return -1;
    if (t->each >= 0 && (!t->pictures.dir || !t->search.n_best))
        return usage_error(err, "--each hypothesis needs --heatmap and --n-best");
    t->printed = t->search.n_best ? t->search.n_best : 1;
    t->search.alignments = t->alignment != NONE || t->pictures.dir || t->html;
    return 0;
}

/* Reads the lists of words, checks the flags of the search, and makes t->beam of them. */
static int read_lists(Translating *t, Err *err) {
    const Args *args = t->args;
    const Translator *const *models = t->models.list;
    const char *path = args_value(args, "lexicon", 0);
    if (t->search.alignments && !ensemble_aligns(models, t->models.count))
        return usage_error(err, "this model has no attention, so there is no alignment to show");
    if (path && !(t->search.lexicon = t->lexicon = lexicon_read(path, err))) return -1;
    t->search.glossary = args_has(args, "glossary") ? &t->glossary : NULL;
    t->search.shortlist = args_has(args, "shortlist") ? &t->shortlist : NULL;
    if (search_check(args, &t->search, models, t->models.count, err) ||
        glossary_flag(args, models[0], &t->glossary, err) || shortlist_flag(args, models[0], &t->shortlist, err))
        return -1;
    t->beam = search_options_beam(&t->search, models[0], &t->sampling);
    if (args_has(args, "settled")) t->beam.settled = print_settled;
    t->beam.context = t;
    if (t->document.format == PASSAGE_HTML) t->beam.alignments = 1;
    return 0;
}

/* Reads the prefixes of the given sentences, and checks the sentences. */
static int read_prefixes(Translating *t, const char *path, Err *err) {
    const Translator *tr = t->models.list[0];
    const int n = (int)arrlen(t->source.lines), most = t->search.max_length;
    char **texts = t->beginnings = lines_read_raw(path, true, err);
    if (!texts) return -1;
    if (arrlen(texts) != n)
        return err_set(err, path, 0, "has %td lines, but %s has %d", arrlen(texts), standard_input_name(), n);
    source_check(&t->source, &tr->source, most, texts);
    return prefixes_of_texts(&t->prefixes, &tr->target, (const char *const *)texts, n, most, path, err);
}

/* Reads the sentences of a document. With --prefix, reads all sentences and their prefixes; else they are read while
   others are translated. */
static int read_input(Translating *t, Err *err) {
    const char *prefix = args_value(t->args, "prefix", 0);
    const char *const inputs[] = {"/dev/stdin", args_value(t->args, "lexicon", 0), prefix,
                                  args_value(t->args, "glossary", 0)};
    const Translator *tr = t->models.list[0];
    char **lines;
    if (t->html && output_check(t->args, t->html, inputs, 4, err)) return -1;
    if (t->document.given) {
        if (document_read(&t->document, tr, t->search.max_length, err)) return -1;
        source_given(&t->source, t->document.passage.sentences);
        t->document.passage.sentences = NULL;
        t->source.refused = t->document.refused;
        return 0;
    }
    if (!prefix) return 0;
    if (!(lines = lines_read(NULL, 1, err))) return -1;
    source_given(&t->source, lines);
    return read_prefixes(t, prefix, err);
}

/* Checks the words of the command line, which are a model. */
static int check_words(const Args *args, Err *err) {
    struct stat info;
    const bool several = args->word_count > 1 && !args_has(args, "models");
    if (several && !stat(args->words[1], &info) && S_ISDIR(info.st_mode))
        return usage_error(err, "translate takes one MODEL; several: tide translate --models %s %s ...", args->words[0],
                           args->words[1]);
    if (several && args->word_count == 2) return input_is_a_word(err, "translate", args);
    if (models_given(args)) return 0;
    return usage_error(err, "translate needs one MODEL, or --models; see `tide translate --help`");
}

static int run(const Args *args, Err *err) {
    Translating t = {.args = args};
    double moment = args->began;
    if (check_words(args, err)) return -1;
    if (machine_flags(args, &t.threads, err) || document_flags(args, &t.document, err)) return -1;
    t.spent.start = elapsed(&moment);
    if (models_load(args, &t.models, err)) return -1;
    t.spent.load = elapsed(&moment);
    for (int i = 0; i < t.models.count; i++) t.spent.checksum += t.models.list[i]->checksum_seconds;
    const bool failed = read_flags(&t, err) || read_lists(&t, err) || read_input(&t, err);
    t.spent.read = elapsed(&moment);
    const int status = failed ? -1 : translate(&t, err);
    unfamiliar_free(&t.unfamiliar);
    source_close(&t.source);
    prefixes_free(&t.prefixes);
    strings_free(t.beginnings);
    document_free(&t.document);
    lexicon_free(t.lexicon);
    glossary_free(&t.glossary);
    shortlist_free(&t.shortlist);
    models_free(&t.models);
    if (args_has(args, "timing") && !status) print_timing(&t.spent, seconds_now() - args->began);
    return status;
}

const Command command_translate = {
    .name = "translate",
    .summary = "translate standard input, one sentence per line",
    .usage = "MODEL [flags] < source > translation",
    .about =
        "MODEL is a directory that `tide train` made, a model.safetensors, or the name of an installed model.\n\n"
        "With --replace-unk the model may write <unk>. In the text, each <unk> is replaced by the source word\n"
        "with the largest alignment weight. With --lexicon, the longest source text in FILE that covers this\n"
        "word is looked up, and its translation is written instead. --alignment and --heatmap still show <unk>.\n"
        "If the target language is not written with Han characters, pieces with Han are banned, and\n"
        "--replace-unk leaves out source words with Han that are not in FILE; --allow-han allows both.\n\n"
        "--prefix reads one line for each line of the input. A translation begins with the text of this line,\n"
        "character for character, and may continue its last word, unless the line ends in a space. An\n"
        "empty line leaves the translation free. The translation of an empty sentence is this text. Scores are\n"
        "those of the whole translation.\n\n"
        "--shortlist makes the output layer faster: for each sentence, it computes only the words of FILE that\n"
        "translate a part of the sentence, and the most frequent ones. FILE is a lexicon of `tide lexicon`.\n"
        "Translations may differ from those of the whole vocabulary.\n\n"
        "--glossary gives translations of terms. Wherever the source has a term, the translation contains what\n"
        "FILE says, as whole words; the search decides where (Post & Vilar 2018). Of terms that overlap, the\n"
        "first one counts, and of those that begin at the same place the longest. A term is not found within a\n"
        "word of letters, and upper and lower case differ. Other lines keep their translations.\n\n"
        "--split-sentences splits each line into sentences, translates each of them, and joins the translations.\n"
        "--format srt and html do this with a whole document, and keep all that is not text for translation:\n"
        "numbers, times and tags of subtitles; tags, comments, scripts, styles, pre and code of HTML. Inline tags\n"
        "such as <b> follow the alignment to their words.\n\n"
        "--heatmap with a FILE.pdf writes a page for each sentence, with a FILE.png one picture (FILE-2.png is\n"
        "that of the second sentence). Both need the program rsvg-convert (package librsvg2-bin).\n\n"
        "--output-sampling draws each word at random by its probability p, divided by a temperature in the\n"
        "exponent: p^(1/T). topk N draws from the N most probable words, nucleus P from the fewest words whose\n"
        "probabilities sum to P. --n-best N draws N translations of each sentence and sorts them by score. The\n"
        "same seed gives the same translations of a line for any number of threads and lines in a batch.\n\n"
        "--attention-mode hard reads only the annotation with the largest score, not the weighted mean of all.\n"
        "It is only for translation: the choice of the largest score has no gradient, so a model cannot be\n"
        "trained with it.\n\n"
        "The translation of a line with more than --max-length pieces is empty; a message names the line, and the\n"
        "exit status is 1. After the last line, a message says which text the model does not know.\n\n"
        "--timing prints milliseconds. `start`: from the start of the process until the model is opened; before\n"
        "main, only processor time counts. `load`: reading the model and packing its weights; this includes\n"
        "`checksum`, the check of all bytes. `read`: reading all other input. `encode` and `decode`: the two\n"
        "parts of the search. `write`: printing and drawing. The rest of `total` is for splitting into pieces,\n"
        "starting threads and freeing memory.",
    COMMAND_FLAGS(flags),
    .reads = true,
    .prints = true,
    .groups = groups,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS({"tide translate run1 < test.zh > test.out", "Translate a file"},
                        {"tide translate run1 --n-best 5 --alignment hard < test.zh",
                         "Print the five best translations of each sentence with their links"},
                        {"tide translate run1 --output-sampling nucleus 0.9 --n-best 3 < test.zh",
                         "Draw three different translations of each sentence"},
                        {"tide translate --models run1 run2 run3 --beam-size 12 --html page.html < test.zh > test.out",
                         "Translate with three models together, and write a page with the alignments"}),
    .see = "align evaluate train",
    .run = run,
};
