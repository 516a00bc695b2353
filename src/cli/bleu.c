/* tide bleu: BLEU of standard input. */
#include "cli/metric.h"
#include "tide.h"
#include "score/bootstrap.h"
#include "io/ds.h"
#include "io/lines.h"

#include <stdio.h>

static const Flag flags[] = {
    FLAG_LC,
    FLAGS_FORMAT,
    FLAG_CHOICE("tokenize", "tokenization; zh: each Chinese character is a token", "13a|zh", "13a"),
    {"compare", 1, "OTHER", "also score the translations in OTHER, and test whether the difference is significant",
     .kind = VALUE_FILE},
};

static MetricScore score(char *const *hypotheses, References references, int n, BleuOptions options) {
    const Bleu bleu = bleu_references(hypotheses, references, n, options);
    MetricScore score = {.name = "BLEU", .score = bleu.score};
    bleu_details(&bleu, score.details, sizeof score.details);
    return score;
}

const Metric metric_bleu = {"eff:no|tok:13a|smooth:exp", score, .chinese = false};
const Metric metric_bleu_zh = {"eff:no|tok:zh|smooth:exp", score, .chinese = true};

/* ---- comparison ------------------------------------------------------------------------------------------------- */

enum { SAMPLES = 1000 };

static void print_sampled(const char *name, const Sampled *sampled) {
    char line[256];
    bleu_format(&sampled->bleu, line, sizeof line);
    printf("%s: %s, %.2f ± %.2f\n", name, line, sampled->mean, sampled->half);
}

static void print_comparison(const Comparison *c, const char *other, int references, BleuOptions options) {
    print_sampled(standard_input_name(), &c->own);
    print_sampled(other, &c->other);
    printf("difference %+.2f, p = %.4f\nnrefs:%d|bs:%d|seed:12345|case:%s|%s|version:tide-%s\n",
           c->own.bleu.score - c->other.bleu.score, c->p, references, SAMPLES, options.lowercase ? "lc" : "mixed",
           options.chinese ? metric_bleu_zh.settings : metric_bleu.settings, TIDE_VERSION);
}

static int compare(const Args *args, const char *other, BleuOptions options, Err *err) {
    References references;
    char **hypotheses, **others = NULL;
    const bool failed = hypotheses_read(args, &references, &hypotheses, err) ||
                        !(others = lines_read_raw(other, true, err)) ||
                        metric_check(hypotheses, standard_input_name(), &references, args->words, err) ||
                        metric_check(others, other, &references, args->words, err);
    if (!failed) {
        const Comparison c = bleu_compare(hypotheses, others, references, (int)arrlen(hypotheses), options, SAMPLES);
        print_comparison(&c, other, args->word_count, options);
    }
    references_free(&references);
    strings_free(hypotheses);
    strings_free(others);
    return failed ? -1 : 0;
}

static int run(const Args *args, Err *err) {
    int chinese;
    const char *other = args_value(args, "compare", 0);
    if (args_choice(args, "tokenize", &chinese, err)) return -1;
    if (!other || !args->word_count)
        return metric_run(args, &command_bleu, chinese ? &metric_bleu_zh : &metric_bleu, err);
    if (args_has(args, "json") || args_has(args, "score-only"))
        return usage_error(err, "--compare prints text; --json and --score-only cannot be given");
    const BleuOptions options = {.lowercase = args_has(args, "lc"), .chinese = chinese};
    return compare(args, other, options, err);
}

const Command command_bleu = {
    .name = "bleu",
    .summary = "compute BLEU of translations on standard input",
    .usage = "REFERENCE ... [-lc] [--tokenize 13a|zh] [--score-only | --json | --compare OTHER] < hypotheses",
    .about =
        "Corpus BLEU with the tokenization and the exponential smoothing of sacreBLEU. Use --tokenize zh for Chinese:\n"
        "Chinese has no spaces, so 13a would treat a whole clause as one word.\n"
        "Several REFERENCE files have several references of each sentence.\n\n"
        "--compare prints the BLEU of both, the mean BLEU of 1000 samples of the sentences with half of its 95 %\n"
        "interval, and p of the paired bootstrap test (Koehn 2004): how probable such a difference is if both\n"
        "translations are equally good. Samples and numbers are those of sacreBLEU --paired-bs. "
        "If the difference is 0,\np has no meaning.",
    COMMAND_FLAGS(flags),
    .reads = true,
    .prints = true,
    .word = {.values = MANY, .kind = VALUE_FILE},
    .examples = REMARKS(
        {"tide translate run1 < test.zh | tide bleu test.en", "Compute the BLEU of a model"},
        {"tide bleu test.en --compare old.out < new.out", "Test whether new translations are better than old ones"},
        {"tide bleu --tokenize zh test.zh < test.out", "Compute the BLEU of Chinese translations"}),
    .see = "chrf evaluate",
    .run = run,
};
