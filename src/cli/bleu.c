/* tide bleu: BLEU of standard input. */
#include "cli/metric.h"
#include "score/bleu.h"

static const Flag flags[] = {
    FLAG_LC,
    {"tokenize", 1, NULL, "tokenization; zh: each Chinese character is a token", .choices = "13a|zh",
     .fallback = "13a"},
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

static int run(const Args *args) {
    Err err;
    int chinese;
    if (args_choice(args, "tokenize", &chinese, &err)) return usage_error("%s", err.reason);
    return metric_run(args, &command_bleu, chinese ? &metric_bleu_zh : &metric_bleu);
}

static const Remark examples[] = {
    {"tide translate run1 < test.zh | tide bleu test.en", "Compute the BLEU of a model"},
    {"tide bleu --tokenize zh test.zh < test.out", "Compute the BLEU of Chinese translations"},
    {0}};

const Command command_bleu = {
    .name = "bleu",
    .summary = "compute BLEU of translations on standard input",
    .usage = "REFERENCE [-lc] [--tokenize 13a|zh] < hypotheses",
    .about =
        "Corpus BLEU with the tokenization and the exponential smoothing of sacreBLEU. Use --tokenize zh for Chinese:\n"
        "Chinese has no spaces, so 13a would treat a whole clause as one word.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = examples,
    .see = "chrf evaluate",
    .run = run,
};
