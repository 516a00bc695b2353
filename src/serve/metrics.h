/* metrics.h: counts what the server does, for Prometheus. All functions may be called by any thread. */
#ifndef TIDE_SERVE_METRICS_H
#define TIDE_SERVE_METRICS_H

#include "serve/route.h"

#include <pthread.h>
#include <stdio.h>

enum { STATUS_CLASSES = 6, LATENCY_BUCKETS = 12, BATCH_BUCKETS = 8 };

typedef struct Histogram {
    long count[LATENCY_BUCKETS + 1]; /* the last bucket has no limit */
    double sum;
} Histogram;

typedef struct Metrics {
    pthread_mutex_t mutex;
    long requests[ENDPOINTS + 1][STATUS_CLASSES]; /* by endpoint and first digit of the status */
    long sentences, source_pieces, target_pieces;
    long cancelled, refused, replaced; /* requests, by deadline or client; batches, for want of memory; models */
    long connections;                  /* open now */
    Histogram latency, batch;
} Metrics;

/* Values that are measured when the metrics are written. */
typedef struct Gauges {
    int queue, models;
} Gauges;

void metrics_init(Metrics *metrics);
void metrics_free(Metrics *metrics);
/* Counts an answered request. seconds: from its first byte to its answer. */
void metrics_request(Metrics *metrics, Endpoint endpoint, int status, double seconds);
/* Counts a batch of n sentences that a worker has finished. */
void metrics_batch(Metrics *metrics, int n, long source_pieces, long target_pieces);
/* Adds to a field. */
void metrics_add(Metrics *metrics, long *field, long change);
/* Writes all metrics in the text format of Prometheus. */
void metrics_write(Metrics *metrics, const Gauges *gauges, FILE *out);

#endif
