#include "serve/metrics.h"
#include "io/system.h"

static const double latency_limits[LATENCY_BUCKETS] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30};
static const double batch_limits[BATCH_BUCKETS] = {1, 2, 4, 8, 16, 32, 64, 128};

void metrics_init(Metrics *m) {
    *m = (Metrics){0};
    pthread_mutex_init(&m->mutex, NULL);
}

void metrics_free(Metrics *m) { pthread_mutex_destroy(&m->mutex); }

static void observe(Histogram *h, const double *limits, int n, double value) {
    int i = 0;
    while (i < n && value > limits[i]) i++;
    h->count[i]++;
    h->sum += value;
}

void metrics_request(Metrics *m, Endpoint endpoint, int status, double seconds) {
    const int class = status / 100;
    pthread_mutex_lock(&m->mutex);
    m->requests[endpoint][class < STATUS_CLASSES ? class : 0]++;
    observe(&m->latency, latency_limits, LATENCY_BUCKETS, seconds);
    pthread_mutex_unlock(&m->mutex);
}

void metrics_batch(Metrics *m, int n, long source_pieces, long target_pieces) {
    pthread_mutex_lock(&m->mutex);
    m->sentences += n;
    m->source_pieces += source_pieces;
    m->target_pieces += target_pieces;
    observe(&m->batch, batch_limits, BATCH_BUCKETS, n);
    pthread_mutex_unlock(&m->mutex);
}

void metrics_add(Metrics *m, long *field, long change) {
    pthread_mutex_lock(&m->mutex);
    *field += change;
    pthread_mutex_unlock(&m->mutex);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static void head(FILE *out, const char *name, const char *type, const char *help) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void number(FILE *out, const char *name, const char *type, const char *help, long value) {
    head(out, name, type, help);
    fprintf(out, "%s %ld\n", name, value);
}

static void histogram(FILE *out, const char *name, const char *help, const Histogram *h, const double *limits, int n) {
    long sum = 0;
    head(out, name, "histogram", help);
    for (int i = 0; i < n; i++) fprintf(out, "%s_bucket{le=\"%g\"} %ld\n", name, limits[i], sum += h->count[i]);
    sum += h->count[n];
    fprintf(out, "%s_bucket{le=\"+Inf\"} %ld\n%s_sum %.6f\n%s_count %ld\n", name, sum, name, h->sum, name, sum);
}

static void write_requests(FILE *out, const Metrics *m) {
    head(out, "tide_requests_total", "counter", "Answered requests by path and class of status.");
    for (Endpoint e = 0; e <= ENDPOINTS; e++)
        for (int class = 1; class < STATUS_CLASSES; class ++)
            if (m->requests[e][class])
                fprintf(out, "tide_requests_total{path=\"%s\",status=\"%dxx\"} %ld\n", route_path(e), class,
                        m->requests[e][class]);
}

void metrics_write(Metrics *metrics, const Gauges *gauges, FILE *out) {
    pthread_mutex_lock(&metrics->mutex);
    const Metrics m = *metrics;
    pthread_mutex_unlock(&metrics->mutex);
    write_requests(out, &m);
    number(out, "tide_sentences_total", "counter", "Sentences that workers have finished.", m.sentences);
    head(out, "tide_pieces_total", "counter", "Pieces of these sentences by side.");
    fprintf(out, "tide_pieces_total{side=\"source\"} %ld\ntide_pieces_total{side=\"target\"} %ld\n", m.source_pieces,
            m.target_pieces);
    number(out, "tide_cancelled_total", "counter", "Requests cancelled by a deadline or by their client.", m.cancelled);
    number(out, "tide_memory_refused_total", "counter", "Batches for which memory was refused.", m.refused);
    number(out, "tide_models_replaced_total", "counter", "Models that were loaded again.", m.replaced);
    number(out, "tide_models", "gauge", "Loaded models.", gauges->models);
    number(out, "tide_queue_length", "gauge", "Sentences that wait for a worker.", gauges->queue);
    number(out, "tide_connections", "gauge", "Open connections.", m.connections);
    histogram(out, "tide_request_seconds", "Seconds from the first byte of a request to its answer.", &m.latency,
              latency_limits, LATENCY_BUCKETS);
    histogram(out, "tide_batch_sentences", "Sentences in a batch.", &m.batch, batch_limits, BATCH_BUCKETS);
    number(out, "process_resident_memory_bytes", "gauge", "Memory in use.", (long)memory_used());
}
