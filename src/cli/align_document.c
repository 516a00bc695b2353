/* tide align --document: which sentences of a document and of its translation belong together. */
#include "cli/align_document.h"

#include "cli/messages.h"
#include "cli/models.h"
#include "aligner/sentence_aligner.h"
#include "corpus/tmx_write.h"
#include "io/ds.h"
#include "io/output.h"
#include "text/codes.h"
#include "text/normal_lines.h"
#include "text/sentences.h"
#include "text/unicode.h"

#include <stdio.h>
#include <string.h>

typedef struct DocumentPair {
    const Args *args;
    const char *path[2], *lang[2];
    char **text[2]; /* stb_ds arrays: the sentences, owned */
    bool keep_lines, tmx;
    double threshold;
    Priors priors; /* with --priors */
    ProgressView view;
} DocumentPair;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads the sentences of a side. */
static int read_side(DocumentPair *d, int side, Err *err) {
    char **lines = lines_read(d->path[side], false, err);
    if (!lines) return -1;
    for (ptrdiff_t i = 0; i < arrlen(lines); i++) {
        if (!d->keep_lines) {
            char **sentences = sentences_split(lines[i], unspaced_language(d->lang[side]));
            for (ptrdiff_t k = 0; k < arrlen(sentences); k++) arrput(d->text[side], sentences[k]);
            arrfree(sentences);
        } else if (*lines[i]) arrput(d->text[side], mem_strdup(lines[i]));
    }
    strings_free(lines);
    return arrlen(d->text[side]) ? 0 : err_set(err, d->path[side], 0, "the file has no sentence");
}

static int read_documents(DocumentPair *d, Err *err) {
    const char *priors = args_value(d->args, "priors", 0);
    if (priors && priors_read(&d->priors, priors, err)) return -1;
    for (int i = 0; i < 2; i++) {
        if (!priors) d->priors.units[i] = units_new(unspaced_language(d->lang[i]) ? UNIT_CHAR : UNIT_WORD);
        if (read_side(d, i, err)) return -1;
    }
    return 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The sentences first..last - 1 of a side, as one text, which the caller owns; Chinese has its full-width marks again.
 */
static char *join(const DocumentPair *d, int side, int first, int last) {
    const char *space = unspaced_language(d->lang[side]) ? "" : " ";
    size_t size = 1;
    for (int i = first; i < last; i++) size += strlen(d->text[side][i]) + 1;
    char *text = mem_alloc(size), *end = text;
    *end = '\0';
    for (int i = first; i < last; i++) end += sprintf(end, "%s%s", i > first ? space : "", d->text[side][i]);
    if (!chinese_language(d->lang[side])) return text;
    char *wide = text_full_width(text);
    mem_free(text);
    return wide;
}

static void write_pair(const DocumentPair *d, FILE *out, char *const text[2], float probability) {
    if (!d->tmx) {
        fprintf(out, "%s\t%s\t%.3f\n", text[SOURCE], text[TARGET], (double)probability);
        return;
    }
    fputs("<tu>\n", out);
    for (int i = 0; i < 2; i++) tmx_write_segment(out, d->lang[i], text[i]);
    fputs("</tu>\n", out);
}

static void write_pairs(const DocumentPair *d, FILE *out, const Bead *beads) {
    int first[2] = {0, 0}, alone[2] = {0, 0};
    long pairs = 0;
    if (d->tmx) tmx_write_start(out);
    for (ptrdiff_t k = 0; k < arrlen(beads); k++) {
        const int *end = beads[k].end, *size = bead_sizes[beads[k].kind];
        if (size[0] && size[1]) {
            char *text[2];
            for (int i = 0; i < 2; i++) text[i] = join(d, i, first[i], end[i]);
            write_pair(d, out, text, beads[k].probability);
            for (int i = 0; i < 2; i++) mem_free(text[i]);
            pairs++;
        }
        for (int i = 0; i < 2; i++) {
            if (!size[!i]) alone[i] += size[i];
            first[i] = end[i];
        }
    }
    if (d->tmx) tmx_write_end(out);
    message("%ld pairs; without a partner: %d of %td source and %d of %td target sentences", pairs, alone[SOURCE],
            arrlen(d->text[SOURCE]), alone[TARGET], arrlen(d->text[TARGET]));
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int show(void *context, long done, long all) {
    progress_count(context, "aligning, pass ", done, all, seconds_now(), false);
    return 0;
}

/* Aligns and writes the pairs to `out`. */
static int align_to(DocumentPair *d, FILE *out, int threads, Err *err) {
    const int n[2] = {(int)arrlen(d->text[SOURCE]), (int)arrlen(d->text[TARGET])};
    char *const *const text[2] = {d->text[SOURCE], d->text[TARGET]};
    SentenceAligner aligner = {.units = {d->priors.units[SOURCE], d->priors.units[TARGET]},
                               .prior = args_has(d->args, "priors") ? d->priors.counts : NULL,
                               .threshold = d->threshold,
                               .threads = threads_new(threads),
                               .progress = show,
                               .context = &d->view};
    messages_progress(&d->view);
    Bead *beads = sentences_align(&aligner, text, n, err);
    progress_clear(&d->view);
    threads_free(aligner.threads);
    if (!beads) return -1;
    write_pairs(d, out, beads);
    arrfree(beads);
    return 0;
}

/* Opens --output, aligns and writes. main reports an error of standard output. */
static int run(DocumentPair *d, int threads, Err *err) {
    const char *path = args_value(d->args, "output", 0);
    const char *const inputs[] = {d->path[SOURCE], d->path[TARGET], args_value(d->args, "priors", 0)};
    OutputFile file = {0};
    if (path && (output_check(d->args, path, inputs, 3, err) || output_open(&file, path, err))) return -1;
    const bool failed = read_documents(d, err) || align_to(d, path ? file.stream : results(), threads, err) ||
                        (path && output_commit(&file, err));
    output_discard(&file);
    return failed ? -1 : 0;
}

/* Checks that the command line has no flag of another kind of alignment. */
static int check_flags(const Args *args, Err *err) {
    static const char known[] =
        " document src tgt langs format output priors keep-lines threshold quiet log threads isa ";
    if (args->word_count)
        return usage_error(err, "--document needs no MODEL, but there is '%s'; see `tide align --help`",
                           args->words[0]);
    if (!args_has(args, "src") || !args_has(args, "tgt"))
        return usage_error(err, "--document needs --src FILE and --tgt FILE; see `tide align --help`");
    for (int i = 0; i < args->given_count; i++) {
        char name[64];
        snprintf(name, sizeof name, " %s ", args->given[i].flag->name);
        if (!strstr(known, name))
            return usage_error(err, "--%s and --document cannot be given together", args->given[i].flag->name);
    }
    return 0;
}

int align_document(const Args *args, int threads, Err *err) {
    DocumentPair d = {.args = args, .keep_lines = args_has(args, "keep-lines"), .threshold = 0.3, .lang = {"zh", "en"}};
    if (check_flags(args, err) || args_real(args, "threshold", &d.threshold, err)) return -1;
    for (int i = 0; i < 2; i++) {
        d.path[i] = args_value(args, i ? "tgt" : "src", 0);
        if (args_has(args, "langs")) d.lang[i] = args_value(args, "langs", i);
    }
    const char *format = args_value(args, "format", 0);
    if (format && strcmp(format, "tsv") != 0 && strcmp(format, "tmx") != 0)
        return usage_error(err, "--document has the formats tsv and tmx, not '%s'", format);
    d.tmx = format && !strcmp(format, "tmx");
    const int status = run(&d, threads, err);
    for (int i = 0; i < 2; i++) strings_free(d.text[i]);
    priors_free(&d.priors);
    return status;
}
