#include "train/valid_metrics.h"

#include <math.h>

const char valid_metric_names[] = "bleu|chrf|ce-mean-words|perplexity";

static const struct {
    const char *title;
    bool smaller_is_better;
} metrics[] = {[VALID_BLEU] = {"BLEU", false},
               [VALID_CHRF] = {"chrF", false},
               [VALID_CE_MEAN_WORDS] = {"cross-entropy", true},
               [VALID_PERPLEXITY] = {"perplexity", true}};

const char *valid_metric_title(ValidMetric metric) { return metrics[metric].title; }

bool valid_metric_is_better(ValidMetric metric, double value, double best) {
    if (!isfinite(value)) return false;
    return best < 0 || (metrics[metric].smaller_is_better ? value < best : value > best);
}
