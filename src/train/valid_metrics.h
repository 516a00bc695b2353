/* valid_metrics.h: the metrics of --valid-metrics. The first one of a training chooses the best model. */
#ifndef TIDE_VALID_METRICS_H
#define TIDE_VALID_METRICS_H

#include <stdbool.h>

/* Indices in valid_metric_names. */
typedef enum { VALID_BLEU, VALID_CHRF, VALID_CE_MEAN_WORDS, VALID_PERPLEXITY } ValidMetric;
enum { VALID_METRICS = 4 };

/* Marian's names. */
extern const char valid_metric_names[];

/* The name for people: "BLEU". */
const char *valid_metric_title(ValidMetric metric);
/* Whether `value` is better than `best`. A negative best: there is none, and every finite value is better. */
bool valid_metric_is_better(ValidMetric metric, double value, double best);

#endif
