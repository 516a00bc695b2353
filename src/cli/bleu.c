/* tide bleu */
#include "cli/metric.h"
#include "train/bleu.h"

static const Flag flags[] = {FLAG_LC};

static void score(char *const *hypotheses, char *const *references, int n, bool lowercase, char *line, int size) {
    Bleu bleu = bleu_corpus(hypotheses, references, n, lowercase);
    bleu_format(&bleu, line, size);
}

const Metric metric_bleu = {"eff:no|tok:13a|smooth:exp", score};

static int run(const Args *args) { return metric_run(args, &command_bleu, &metric_bleu); }

const Command command_bleu = {
    .name = "bleu",
    .summary = "BLEU of translations on standard input",
    .usage = "REFERENCE [-lc] < hypotheses",
    .about = "Corpus BLEU with sacreBLEU's 13a tokenisation and exponential smoothing.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .run = run,
};
