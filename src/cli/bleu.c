/* tide bleu: BLEU of standard input. */
#include "cli/metric.h"
#include "tide.h"
#include "score/bootstrap.h"
#include "text/ds.h"
#include "text/lines.h"

#include <stdio.h>

static const Flag flags[] = {
    FLAG_LC,
    {"tokenize", 1, NULL, "tokenization; zh: each Chinese character is a token", .choices = "13a|zh",
     .fallback = "13a"},
    {"compare", 1, "OTHER", "also score the translations in OTHER, and test whether the difference is significant",
     .kind = VALUE_FILE},
};

static void score(char *const *hypotheses, char *const *references, int n, BleuOptions options, char *line, int size) {
    Bleu bleu = bleu_corpus(hypotheses, references, n, options);
    bleu_format(&bleu, line, size);
}
static void score_13a(char *const *hypotheses, char *const *references, int n, bool lowercase, char *line, int size) {
    score(hypotheses, references, n, (BleuOptions){.lowercase = lowercase}, line, size);
}
static void score_zh(char *const *hypotheses, char *const *references, int n, bool lowercase, char *line, int size) {
    score(hypotheses, references, n, (BleuOptions){.lowercase = lowercase, .chinese = true}, line, size);
}

const Metric metric_bleu = {"eff:no|tok:13a|smooth:exp", score_13a};
const Metric metric_bleu_zh = {"eff:no|tok:zh|smooth:exp", score_zh};

/* ---- comparison ------------------------------------------------------------------------------------------------- */

enum { SAMPLES = 1000 };

static void print_sampled(const char *name, const Sampled *sampled) {
    char line[256];
    bleu_format(&sampled->bleu, line, sizeof line);
    printf("%s: %s, %.2f ± %.2f\n", name, line, sampled->mean, sampled->half);
}

static int compare(const Args *args, const char *other, BleuOptions options, Err *err) {
    const char *path = args->words[0];
    char **references = lines_read_raw(path, err), **hypotheses = references ? lines_read_raw(NULL, err) : NULL;
    char **others = hypotheses ? lines_read_raw(other, err) : NULL;
    int status = others ? metric_check(hypotheses, "standard input", references, path, err) : -1;
    if (!status) status = metric_check(others, other, references, path, err);
    if (!status) {
        const Comparison c = bleu_compare(hypotheses, others, references, (int)arrlen(references), options, SAMPLES);
        print_sampled("standard input", &c.own);
        print_sampled(other, &c.other);
        printf("difference %+.2f, p = %.4f\nnrefs:1|bs:%d|seed:12345|case:%s|%s|version:tide-%s\n",
               c.own.bleu.score - c.other.bleu.score, c.p, SAMPLES, options.lowercase ? "lc" : "mixed",
               options.chinese ? metric_bleu_zh.settings : metric_bleu.settings, TIDE_VERSION);
    }
    lines_free(references);
    lines_free(hypotheses);
    lines_free(others);
    return status;
}

static int run(const Args *args) {
    Err err;
    int chinese;
    const char *other = args_value(args, "compare", 0);
    if (args_choice(args, "tokenize", &chinese, &err)) return usage_error("%s", err.reason);
    if (!other || args->word_count != 1)
        return metric_run(args, &command_bleu, chinese ? &metric_bleu_zh : &metric_bleu);
    const BleuOptions options = {.lowercase = args_has(args, "lc"), .chinese = chinese};
    return compare(args, other, options, &err) ? fail(&err) : 0;
}

static const Remark examples[] = {
    {"tide translate run1 < test.zh | tide bleu test.en", "Compute the BLEU of a model"},
    {"tide bleu test.en --compare old.out < new.out", "Test whether new translations are better than old ones"},
    {"tide bleu --tokenize zh test.zh < test.out", "Compute the BLEU of Chinese translations"},
    {0}};

const Command command_bleu = {
    .name = "bleu",
    .summary = "compute BLEU of translations on standard input",
    .usage = "REFERENCE [-lc] [--tokenize 13a|zh] [--compare OTHER] < hypotheses",
    .about =
        "Corpus BLEU with the tokenization and the exponential smoothing of sacreBLEU. Use --tokenize zh for Chinese:\n"
        "Chinese has no spaces, so 13a would treat a whole clause as one word.\n\n"
        "--compare prints the BLEU of both, the mean BLEU of 1000 samples of the sentences with half of its 95 %\n"
        "interval, and p of the paired bootstrap test (Koehn 2004): how probable such a difference is if both\n"
        "translations are equally good. Samples and numbers are those of sacreBLEU --paired-bs.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = examples,
    .see = "chrf evaluate",
    .run = run,
};
