/* tide chrf: chrF2 of standard input. */
#include "cli/metric.h"
#include "score/chrf.h"

static const Flag flags[] = {FLAG_LC, FLAGS_FORMAT};

static MetricScore score(char *const *hypotheses, References references, int n, BleuOptions options) {
    return (MetricScore){"chrF2", chrf_references(hypotheses, references, n, options.lowercase).score, ""};
}

const Metric metric_chrf = {.settings = "eff:yes|nc:6|nw:0|space:no", .score = score};

static int run(const Args *args, Err *err) { return metric_run(args, &command_chrf, &metric_chrf, err); }

const Command command_chrf = {
    .name = "chrf",
    .summary = "compute chrF2 of translations on standard input",
    .usage = "REFERENCE ... [-lc] [--score-only | --json] < hypotheses",
    .about = "Corpus chrF2 as sacreBLEU computes it by default: n-grams of 1 to 6 characters, without white space.\n"
             "If there are several REFERENCE files, the best reference of each sentence counts.",
    COMMAND_FLAGS(flags),
    .reads = true,
    .prints = true,
    .word = {.values = MANY, .kind = VALUE_FILE},
    .examples = REMARKS({"tide translate run1 < test.zh | tide chrf test.en", "Compute the chrF2 of a model"}),
    .see = "bleu evaluate",
    .run = run,
};
