/* tide corpus: cleans, deduplicates and splits a parallel corpus. */
#include "cli/cli.h"
#include "cli/messages.h"
#include "cli/pairs.h"
#include "io/ds.h"
#include "corpus/import.h"

#include <stdio.h>

static const Flag flags[] = {
    {"output", 1, "DIR", "directory for train.zh, train.en, dev.* and test.*", .kind = VALUE_DIR},
    {"lines", MANY, "ZH EN...", "pairs of line-aligned files", .kind = VALUE_FILE},
    {"tsv", MANY, "FILE...", HELP_TSV "; - reads standard input", .kind = VALUE_FILE},
    {"csv", MANY, "FILE...", HELP_CSV, .kind = VALUE_FILE},
    {"jsonl", MANY, "FILE...", HELP_JSONL, .kind = VALUE_FILE},
    FLAG_COLUMNS,
    {"tmx", MANY, "FILE...", "translation memories with Chinese and English", .kind = VALUE_FILE},
    {"mo", MANY, "FILE...", "gettext catalogues of Chinese translations", .kind = VALUE_FILE},
    {"po", MANY, "FILE...", "the same as text; the program msgfmt compiles them", .kind = VALUE_FILE},
    FLAG_INT("dev", "pairs in the development set (default: 1000, but at most a twentieth)", 0, 1 << 30, NULL),
    FLAG_INT("test", "pairs in the test set (default: as for dev)", 0, 1 << 30, NULL),
    FLAG_FILE("dropped", "list each dropped pair in FILE: reason, place, English, Chinese"),
    FLAG_INT("max-length", "drop pairs with more words or characters on a side", 1, 1 << 30, "80"),
    FLAG_REAL("max-ratio", "drop pairs with a side longer than R times the other side plus 5", 1, 1000, "3"),
    FLAG_SWITCH("keep-paragraphs", "do not split paragraphs into sentences"),
    FLAG_SWITCH("keep-placeholders",
                "keep pairs with placeholders, such as %s and <b>, if both sides have the same ones; "
                "catalogues are always read so"),
    FLAG_SWITCH("drop-placeholders", "drop them, also from catalogues"),
    FLAG_SWITCH("simplify", "convert traditional characters to simplified with the program opencc"),
    FLAGS_MESSAGES,
};

/* Appends the corpora of all flags to a stb_ds array. */
static void add_inputs(const Args *args, const int columns[2], CorpusFiles **inputs) {
    static const char *const names[FORMS] = {"lines", "tsv", "csv", "jsonl", "tmx", "mo", "po"};
    for (CorpusForm form = 0; form < FORMS; form++)
        for (int i = 0, n = args_count(args, names[form]); i < n; i += pairs_files(form))
            arrput(*inputs, pairs_corpus(form, args_values(args, names[form]) + i, columns));
}

static void show(void *context, const char *what, long done, long all) {
    progress_count(context, what, done, all, seconds_now(), false);
}

static void show_note(void *context, const char *text) {
    progress_clear(context);
    message("%s", text);
}

static void print_report(const ImportReport *r) {
    long dropped = 0, kept = 0;
    for (int i = KEPT + 1; i < REASONS; i++) dropped += r->dropped[i];
    for (int i = 0; i < PARTS; i++) kept += r->parts[i];
    printf("%9ld read: lines, units of translation memories, messages of catalogues\n", r->messages);
    if (r->forms) printf("%9ld more from plural forms and variants\n", r->forms);
    if (r->sentences) printf("%9ld more by splitting paragraphs\n", r->sentences);
    printf("%9ld dropped\n", dropped);
    for (int i = KEPT + 1; i < REASONS; i++)
        if (r->dropped[i]) printf("%19ld %-12s %s\n", r->dropped[i], reason_texts[i].name, reason_texts[i].about);
    printf("%9ld kept: %ld train, %ld dev, %ld test\n", kept, r->parts[TRAIN], r->parts[DEV], r->parts[TEST]);
    if (r->traditional) printf("%9ld of them with traditional characters; --simplify converts these\n", r->traditional);
}

static int import_inputs(const ImportJob *job, Err *err) {
    ImportReport report;
    ProgressView view;
    messages_progress(&view);
    int status = import(job, &report, show, &view, err);
    progress_clear(&view);
    if (report.warning.reason[0]) message("%s: %s", report.warning.path, report.warning.reason);
    if (status) return -1;
    print_report(&report);
    if (!report.parts[DEV] && job->dev)
        message("there are too few pairs for a development set; --dev 2 --test 2 takes two for each");
    return 0;
}

static int run(const Args *args, Err *err) {
    int dev = -1, test = -1, columns[2];
    ImportJob job = {.output = args_value(args, "output", 0),
                     .dropped = args_value(args, "dropped", 0),
                     .keep_paragraphs = args_has(args, "keep-paragraphs"),
                     .simplify = args_has(args, "simplify"),
                     .note = show_note};
    if (args_has(args, "keep-placeholders")) job.placeholders = PLACEHOLDERS_OF_ALL;
    if (args_has(args, "drop-placeholders")) job.placeholders = PLACEHOLDERS_OF_NONE;
    if (args->word_count) return flags_only(err, "corpus", args->words[0]);
    if (args_has(args, "keep-placeholders") && args_has(args, "drop-placeholders"))
        return usage_error(err, "--keep-placeholders and --drop-placeholders cannot be given together");
    if (!job.output) return usage_error(err, "--output is needed; see `tide corpus --help`");
    if (args_count(args, "lines") % 2)
        return usage_error(err, "--lines needs an even number of files: Chinese and English in turn");
    if (pairs_columns(args, columns, err) || args_int(args, "dev", &dev, err) || args_int(args, "test", &test, err) ||
        args_int(args, "max-length", &job.limits.most_words, err) ||
        args_real(args, "max-ratio", &job.limits.most_ratio, err))
        return -1;
    CorpusFiles *inputs = NULL;
    add_inputs(args, columns, &inputs);
    job.inputs = inputs;
    job.input_count = (int)arrlen(inputs);
    job.dev = dev;
    job.test = test;
    int status =
        inputs ? import_inputs(&job, err)
               : usage_error(err,
                             "--lines, --tsv, --csv, --jsonl, --tmx, --mo or --po is needed; see `tide corpus --help`");
    arrfree(inputs);
    return status;
}

const Command command_corpus = {
    .name = "corpus",
    .summary = "clean, deduplicate and split a parallel corpus",
    .usage =
        "--output DIR  --lines ZH EN | --tsv FILE | --csv FILE | --jsonl FILE | --tmx FILE | --mo FILE | --po FILE ...",
    .about = "Reads Chinese and English in one or more of seven formats, drops pairs that are not useful for\n"
             "training, and writes train, dev and test. No sentence is in two of them: pairs that share a sentence\n"
             "on either side, directly or through other pairs, go into the same set; case and punctuation are\n"
             "ignored. The sets do not depend on the order of the input. Prints how many pairs were kept, and how\n"
             "many were dropped for each reason.",
    COMMAND_FLAGS(flags),
    .files = REMARKS({"DIR/train.zh", "The Chinese side of the training set"},
                     {"DIR/train.en", "The English side, line by line"},
                     {"DIR/dev.zh", "The development set; with dev.en"}, {"DIR/test.zh", "The test set; with test.en"}),
    .examples = REMARKS({"tide corpus --output corpus --tsv cmn.txt",
                         "Clean the pairs of a file from Tatoeba and split them into three sets"},
                        {"tide corpus --output corpus --lines a.zh a.en b.zh b.en --mo *.mo --dropped dropped.tsv",
                         "Read two corpora and the catalogues of programs, and list the pairs that are dropped"}),
    .see = "train",
    .run = run,
};
