/* tide lexicon: statistical word alignment. */
#include "cli/messages.h"
#include "cli/models.h"
#include "cli/pairs.h"
#include "aligner/entries.h"
#include "aligner/word_links.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"
#include "io/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Flag flags[] = {
    {"train-sets", 2, "SRC TGT", "training corpus: two line-aligned files", .kind = VALUE_FILE},
    FLAG_FILE("tsv", "training corpus: " HELP_TSV),
    FLAG_FILE("csv", "training corpus: " HELP_CSV),
    FLAG_FILE("jsonl", "training corpus: " HELP_JSONL),
    FLAG_COLUMNS,
    {"output", 1, "DIR", "directory for links, lexicon.tsv and priors.tsv", .kind = VALUE_DIR},
    FLAG_FILE("priors", "start with what was learned from another corpus: its priors.tsv; without --output, write the "
                        "links to standard output"),
    FLAG_FILE("src", "with --priors and without --output: align these sentences"),
    FLAG_FILE("tgt", "their translations, line by line"),
    {"units", 2, "KIND KIND", "what to align: char, word, piece, given or prefix (default: char word)",
     .choices = unit_names},
    {"bpe-merges", 2, "N N", "most merges for units of kind piece (default: 8000 8000)", VALUE_INT, .most = 1 << 24},
    {"symmetrize", 1, "METHOD", "mean, soft, intersection, union or grow-diag-final-and",
     .choices = symmetrization_names, .fallback = "mean"},
    FLAG_REAL("threshold", "for mean and soft: the least mean weight of a link (default: 0.35 and 0.25)", 1e-6, 1,
              NULL),
    FLAG_INT("max-length", "do not align pairs with more units on a side", 1, MOST_UNITS, "250"),
    FLAG_INT("samplers", "samplers in each direction, whose results are averaged", 1, 64, "6"),
    FLAG_INT("sweeps", "times that each sampler reads the corpus (default: 20; with --priors and without --output: 60)",
             1, 10000, NULL),
    FLAG_INT("seed", "seed of the random numbers", 0, 1 << 30, "1"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
};

enum { LINKS_FILE, LEXICON_FILE, PRIORS_FILE, FILES };
static const char *const file_names[FILES] = {"links", "lexicon.tsv", "priors.tsv"};

typedef struct Lexicon {
    const Args *args;
    CorpusFiles corpus;
    const char *output;      /* NULL: write links to standard output */
    const char *priors_path; /* NULL: none */
    UnitKind kinds[2];
    int merges[2], max_length, threads;
    LinkOptions link_options;
    AlignerOptions options;
    Bitext bitext;
    Priors priors; /* with priors_path; the bitext has taken its units */
    OutputFile files[FILES];
    FILE *links;
    long line; /* lines written to `links` */
    Entries entries;
    LinkCounts learned[2];
    ProgressView view;
} Lexicon;

/* ---- reading -------------------------------------------------------------------------------------------------- */

static int show_reading(void *context, long done, long all) {
    progress_count(context, "reading ", done, all, seconds_now(), false);
    return 0;
}

static int read_disk(Lexicon *work, DiskCorpus *corpus, Err *err) {
    static const char *const langs[] = {"zh", "en"};
    const char *path = work->corpus.path[0];
    Reader *reader = reader_open(&work->corpus, langs, err);
    if (reader && reader_note(reader)) message("%s", reader_note(reader));
    if (disk_corpus_read(corpus, reader, path, show_reading, &work->view, err)) return -1;
    if (!bitext_read(&work->bitext, corpus, work->merges, work->max_length, show_reading, &work->view, err)) return 0;
    if (!err->path[0]) snprintf(err->path, sizeof err->path, "%s", path);
    return -1;
}

/* Reads the priors, if there are any, and the corpus. */
static int read_input(Lexicon *work, Err *err) {
    const char *folder = work->output ? work->output : temporary_directory();
    DiskCorpus corpus;
    if (work->priors_path && priors_read(&work->priors, work->priors_path, err)) return -1;
    for (int i = 0; i < 2; i++) {
        work->bitext.side[i].units = work->priors_path ? work->priors.units[i] : units_new(work->kinds[i]);
        work->priors.units[i] = NULL;
    }
    int status = disk_corpus_open(&corpus, folder, false, err);
    if (!status) status = read_disk(work, &corpus, err);
    disk_corpus_close(&corpus);
    progress_clear(&work->view);
    return status;
}

/* ---- aligning ------------------------------------------------------------------------------------------------- */

static int show_aligning(void *context, long done, long all) {
    Lexicon *work = context;
    progress_count(&work->view, "aligning ", done, all, seconds_now(), false);
    return 0;
}

/* Writes empty lines for the pairs before line `line`: they are not aligned. */
static void skip_to(Lexicon *work, long line) {
    for (; work->line + 1 < line; work->line++) fputc('\n', work->links);
}

static int write_pair(void *context, const PairAlignment *alignment, Err *err) {
    Lexicon *work = context;
    Link *links = word_links(alignment, work->link_options);
    skip_to(work, work->bitext.number[alignment->pair]);
    links_print(work->links, links, (int)arrlen(links));
    fputc('\n', work->links);
    work->line++;
    arrfree(links);
    if (work->output) {
        links = token_links(alignment, work->link_options);
        entries_count(&work->entries, alignment, links, (int)arrlen(links));
        arrfree(links);
    }
    return ferror(work->links) ? err_set(err, work->output, 0, "the links cannot be written") : 0;
}

static void print_counts(const Bitext *bitext, int max_length) {
    char empty[64] = "", long_ones[64] = "";
    if (bitext->dropped_empty) snprintf(empty, sizeof empty, "; %ld have an empty side", bitext->dropped_empty);
    if (bitext->dropped_long)
        snprintf(long_ones, sizeof long_ones, "; %ld have more than %d units on a side", bitext->dropped_long,
                 max_length);
    message("%ld of %ld pairs aligned%s%s", bitext_pairs(bitext), bitext->read, empty, long_ones);
}

static int align(Lexicon *work, Err *err) {
    Threads *threads = threads_new(work->threads);
    const int status = aligner_run(&work->bitext, work->priors_path ? work->priors.counts : NULL, &work->options,
                                   threads, show_aligning, write_pair, work, work->output ? work->learned : NULL, err);
    threads_free(threads);
    progress_clear(&work->view);
    if (status) return -1;
    skip_to(work, work->bitext.read + 1);
    print_counts(&work->bitext, work->max_length);
    return 0;
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

static int open_outputs(Lexicon *work, Err *err) {
    const char *const inputs[] = {work->corpus.path[0], work->corpus.path[1], work->priors_path};
    char paths[FILES][PATH_SIZE];
    if (strlen(work->output) + 16 > PATH_SIZE) return err_set(err, work->output, 0, "the path is too long");
    if (directory_make(work->output, err)) return -1;
    for (int i = 0; i < FILES; i++) {
        path_in(paths[i], work->output, file_names[i]);
        if (output_check(work->args, paths[i], inputs, 3, err)) return -1;
    }
    for (int i = 0; i < FILES; i++)
        if (output_open(&work->files[i], paths[i], err)) return -1;
    work->links = work->files[LINKS_FILE].stream;
    return 0;
}

static int write_outputs(Lexicon *work, Err *err) {
    const Priors learned = {{work->bitext.side[SOURCE].units, work->bitext.side[TARGET].units},
                            {work->learned[0], work->learned[1]}};
    entries_write(&work->entries, work->files[LEXICON_FILE].stream);
    priors_write(&learned, work->files[PRIORS_FILE].stream);
    for (int i = 0; i < FILES; i++)
        if (output_sync(&work->files[i], err)) return -1;
    for (int i = 0; i < FILES; i++)
        if (output_commit(&work->files[i], err)) return -1;
    return 0;
}

static int align_corpus(Lexicon *work, Err *err) {
    work->links = stdout;
    messages_progress(&work->view);
    const bool failed = (work->output && open_outputs(work, err)) || read_input(work, err) || align(work, err) ||
                        (work->output && write_outputs(work, err));
    for (int i = 0; i < FILES; i++) output_discard(&work->files[i]);
    for (int i = 0; i < 2; i++) {
        link_counts_free(&work->priors.counts[i]);
        link_counts_free(&work->learned[i]);
    }
    entries_free(&work->entries);
    bitext_free(&work->bitext);
    return failed ? -1 : 0;
}

/* ---- the command ---------------------------------------------------------------------------------------------- */

/* Reads both values of --units and --bpe-merges. */
static int unit_flags(const Args *args, Lexicon *work, Err *err) {
    for (int i = 0; i < 2; i++) {
        int kind = i == SOURCE ? UNIT_CHAR : UNIT_WORD;
        work->merges[i] = 8000;
        if (args_choice_at(args, "units", i, &kind, err) || args_int_at(args, "bpe-merges", i, &work->merges[i], err))
            return -1;
        work->kinds[i] = (UnitKind)kind;
    }
    return 0;
}

static int numbers(const Args *args, Lexicon *work, Err *err) {
    int method, seed;
    work->options.sweeps = work->output ? 20 : 60; /* new text is usually small */
    if (args_int(args, "max-length", &work->max_length, err) ||
        args_int(args, "samplers", &work->options.samplers, err) ||
        args_int(args, "sweeps", &work->options.sweeps, err) || args_int(args, "seed", &seed, err) ||
        unit_flags(args, work, err) || args_choice(args, "symmetrize", &method, err))
        return -1;
    work->options.seed = (uint64_t)seed;
    work->link_options.kind = (Symmetrization)method;
    work->link_options.threshold = work->link_options.kind == MEAN_LINKS ? 0.35 : 0.25;
    if (args_has(args, "threshold") && !symmetrization_is_soft(work->link_options.kind))
        return usage_error(err, "--threshold needs --symmetrize mean or soft");
    return args_real(args, "threshold", &work->link_options.threshold, err);
}

/* Finds the files of the corpus or, with --src and --tgt, of the sentences to align. */
static int corpus_flags(const Args *args, Lexicon *work, Err *err) {
    const bool given = args_has(args, "src") || args_has(args, "tgt");
    int columns[2];
    if (pairs_columns(args, columns, err)) return -1;
    work->corpus = (CorpusFiles){FORM_LINES, {args_value(args, "src", 0), args_value(args, "tgt", 0)}, {0}};
    if (given + pairs_find(args, columns, &work->corpus) == 1) return 0;
    return usage_error(err, "exactly one of --train-sets, --tsv, --csv, --jsonl, and --src with --tgt is needed; see "
                            "`tide lexicon --help`");
}

/* Checks that the flags do not contradict each other. */
static int check_flags(const Args *args, const Lexicon *work, Err *err) {
    const bool given = args_has(args, "src") || args_has(args, "tgt");
    if (given && (!args_has(args, "src") || !args_has(args, "tgt")))
        return usage_error(err, "--src and --tgt need each other; see `tide lexicon --help`");
    if (given && !work->priors_path)
        return usage_error(err, "--src and --tgt need --priors FILE; see `tide lexicon --help`");
    if (given && work->output)
        return usage_error(err, "--src and --tgt write to standard output; --output needs --train-sets, --tsv, --csv "
                                "or --jsonl; see `tide lexicon --help`");
    if (!work->output && !work->priors_path)
        return usage_error(err, "--output is needed, or --priors; see `tide lexicon --help`");
    if (work->priors_path && (args_has(args, "units") || args_has(args, "bpe-merges")))
        return usage_error(
            err, "--priors contain the units, so --units and --bpe-merges cannot be given; see `tide lexicon --help`");
    return 0;
}

static int run(const Args *args, Err *err) {
    Lexicon work = {
        .args = args, .output = args_value(args, "output", 0), .priors_path = args_value(args, "priors", 0)};
    if (args->word_count) return flags_only(err, "lexicon", args->words[0]);
    if (corpus_flags(args, &work, err) || check_flags(args, &work, err) || machine_flags(args, &work.threads, err) ||
        numbers(args, &work, err))
        return -1;
    return align_corpus(&work, err);
}

const Command command_lexicon = {
    .name = "lexicon",
    .summary = "align words and learn a bilingual lexicon (statistical, no model)",
    .usage = "--train-sets SRC TGT | --tsv FILE | --csv FILE | --jsonl FILE  --output DIR   or   --priors FILE  "
             "--src FILE --tgt FILE | --tsv FILE | --csv FILE | --jsonl FILE",
    .about =
        "Finds which words of a pair translate each other: IBM Model 1, then a model of jumps (HMM), then a model of\n"
        "fertility, with Dirichlet priors, by Gibbs sampling in both directions (Östling & Tiedemann 2016). The\n"
        "probabilities of several samplers are averaged. Writes DIR/links, one line for each line of the corpus, for\n"
        "`tide train --guided-alignment`; DIR/lexicon.tsv, lines of source, tab, target, tab, probability, for\n"
        "`tide translate --lexicon`; and DIR/priors.tsv, with which --priors aligns new text: without --output, its "
        "links\n"
        "go to standard output.\n\n"
        "Units: char, Han characters and runs of letters or digits; word, runs of letters or digits; prefix, as word,\n"
        "but words with the same first five letters are one unit; piece, pieces of BPE; given, what is between two\n"
        "spaces. Case is ignored. Except with --train-sets, Chinese is the source.\n"
        "Links are those of words between spaces; if a sentence of kind char has no spaces, each character is a word.",
    COMMAND_FLAGS(flags),
    .files = REMARKS({"DIR/links", "The links of words, one line for each line of the corpus"},
                     {"DIR/lexicon.tsv", "Lines of source, tab, target, tab, probability"},
                     {"DIR/priors.tsv", "The counts, with which --priors aligns new text"}),
    .examples = REMARKS(
        {"tide lexicon --train-sets train.zh train.en --output words", "Align a corpus and learn its lexicon"},
        {"tide train --train-sets train.zh train.en --guided-alignment words/links --model run1",
         "Train a model whose attention follows the links"},
        {"tide lexicon --priors words/priors.tsv --src dev.zh --tgt dev.en | tide aer gold", "Align other sentences"}),
    .see = "aer align train translate",
    .run = run,
};
