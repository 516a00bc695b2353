#include "serve/serve.h"

#include "io/system.h"
#include "serve/connections.h"
#include "serve/http.h"
#include "serve/socket.h"

#include <cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A running server. */
typedef struct Server {
    const ServeOptions *options;
    Keys keys;
    Downloads downloads;
    Pinyin *pinyin; /* NULL: none */
    ServedModels models;
    Accounts accounts;
    Learning *learning; /* NULL: none */
    Metrics metrics;
    Queue *queue;
    Service service; /* threads of the queue use it until the queue is released */
    Connections connections;
    Listener listener;
    AccessLog log;
    pthread_mutex_t mutex; /* of the notices and of `stopping` */
    pthread_cond_t stop;   /* ends the watcher */
    bool stopping;
    pthread_t watcher;
    int signals; /* readable after SIGTERM or SIGINT */
} Server;

__attribute__((format(printf, 2, 3))) static void notice(Server *s, const char *format, ...) {
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&s->mutex);
    s->options->notice(line);
    pthread_mutex_unlock(&s->mutex);
}

/* ---- replaced models ------------------------------------------------------------------------------------------- */

/* Tells the operator what is wrong with a model that was loaded. */
static void warn(Server *s, const Place *place) {
    const Translator *t = &place->served->translator;
    const Glossary *g = &place->served->glossary;
    if (t->warning) notice(s, "%s: %s", place->files.model, t->warning);
    if (g->unwritable)
        notice(s, "%s: %s cannot write %d of the translations, such as '%.100s'", place->files.glossary,
               place->files.model, g->unwritable, g->example);
}

/* Tells the operator why the old model stays. */
static void explain(Server *s, const Place *place, const Err *err) {
    if (err->line) notice(s, "%s: not replaced: %s:%ld: %s", place->files.model, err->path, err->line, err->reason);
    else notice(s, "%s: not replaced: %s", place->files.model, err->reason);
}

/* Another model is in the place of one. */
static void replaced(void *context) {
    Server *s = context;
    queue_models_changed(s->queue);
    metrics_add(&s->metrics, &s->metrics.replaced, 1);
}

static void reload(Server *s) {
    for (int i = 0; i < s->models.count; i++) {
        Err err;
        const int status = models_reload(&s->models, i, &err);
        if (status < 0) explain(s, &s->models.list[i], &err);
        if (status <= 0) continue;
        if (s->learning) learning_reload(s->learning, i);
        replaced(s);
        notice(s, "%s: replaced", s->models.list[i].files.model);
        warn(s, &s->models.list[i]);
    }
}

static void *watch(void *context) {
    Server *s = context;
    pthread_mutex_lock(&s->mutex);
    while (!s->stopping) {
        if (condition_wait(&s->stop, &s->mutex, seconds_now() + 1) != ETIMEDOUT) continue;
        pthread_mutex_unlock(&s->mutex);
        reload(s);
        pthread_mutex_lock(&s->mutex);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

static int start_watcher(Server *s, Err *err) {
    const int error = pthread_create(&s->watcher, NULL, watch, s);
    return error ? err_set(err, NULL, 0, "a thread cannot be started: %s", strerror(error)) : 0;
}

static void stop_watcher(Server *s) {
    pthread_mutex_lock(&s->mutex);
    s->stopping = true;
    pthread_cond_signal(&s->stop);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->watcher, NULL);
}

/* ---- learning -------------------------------------------------------------------------------------------------- */

static void tell(void *context, const char *line) { notice(context, "%s", line); }

static int start_learning(Server *s, Err *err) {
    const LearnListener listener = {s, tell, replaced};
    if (!s->options->learn.folder) return 0;
    s->learning = learning_start(&s->options->learn, &s->accounts, &s->models, &listener, err);
    s->service.learning = s->learning;
    return s->learning ? 0 : -1;
}

/* ---- serving --------------------------------------------------------------------------------------------------- */

enum { TICKS = 10 }; /* checks of the deadlines in a second */

/* Answers the requests that have arrived. Ends the searches after the time limit of requests, or at a second signal. */
static void drain(Server *s) {
    const double until = seconds_now() + s->options->limits.timeout;
    s->connections.ending = ENDING_SOON;
    while (seconds_now() < until && !signals_arrived(s->signals))
        if (!connections_check(&s->connections, s->signals, 1.0 / TICKS)) return;
    s->connections.ending = ENDING_NOW;
    for (int i = 0; i < 2 * TICKS && connections_check(&s->connections, -1, 1.0 / TICKS); i++) continue;
}

static int run_http(Server *s, Err *err) {
    Http *http = http_start(s->options, &s->service, &s->connections, s->listener.fd, err);
    if (!http) return -1;
    while (!signals_arrived(s->signals)) connections_check(&s->connections, s->signals, 1.0 / TICKS);
    notice(s, "stopping: no new connections; requests that have arrived are answered");
    http_quiesce(http);
    listener_end(&s->listener);
    drain(s);
    http_stop(http);
    return 0;
}

/* Raises the limit of open files for many connections. Returns the number of connections for which there are files. */
static int places_of(Server *s) {
    enum { OWN = 40 }; /* files of the program, and connections that are refused or already shut down */
    const int wanted = s->options->limits.connections, files = files_allow(wanted + OWN);
    const int places = files - OWN > 8 ? files - OWN : 8;
    if (places < wanted) notice(s, "only %d connections, because the system allows %d open files", places, files);
    return places < wanted ? places : wanted;
}

static int run_queue(Server *s, Err *err) {
    s->queue = queue_new(&s->options->limits, s->options->workers, &s->metrics, err);
    if (!s->queue) return -1;
    const ServeOptions *o = s->options;
    s->service = (Service){.models = &s->models,
                           .queue = s->queue,
                           .metrics = &s->metrics,
                           .limits = &o->limits,
                           .keys = &s->keys,
                           .downloads = &s->downloads,
                           .pinyin = s->pinyin,
                           .accounts = o->learn.folder || o->memory_count ? &s->accounts : NULL};
    connections_init(&s->connections, places_of(s), s->queue, &s->metrics, &o->limits);
    s->connections.log = s->log.fd < 0 ? NULL : &s->log;
    int status = start_learning(s, err);
    if (!status && o->watch) status = start_watcher(s, err);
    if (!status) {
        status = run_http(s, err);
        if (o->watch) stop_watcher(s);
    }
    learning_stop(s->learning); /* it tells the queue what it has replaced */
    queue_free(s->queue);       /* its threads may still prepare requests of clients that have left */
    learning_free(s->learning);
    connections_free(&s->connections);
    return status;
}

/* Opens what the server remembers. */
static int open_accounts(Server *s, Err *err) {
    const ServeOptions *o = s->options;
    if (o->learn.folder && !s->keys.count && !listener_is_loopback(&s->listener))
        return err_set(err, o->listen, 0,
                       "--corrections needs --api-key-file here: without keys, all clients of this address would see "
                       "each other's texts");
    return accounts_open(&s->accounts, o->learn.folder, o->memories, o->memory_count, &s->keys, &s->models, tell, s,
                         err);
}

static int run_models(Server *s, Err *err) {
    const ServeOptions *o = s->options;
    if (models_open(&s->models, o->models, o->model_count, err)) return -1;
    for (int i = 0; i < s->models.count; i++) warn(s, &s->models.list[i]);
    if (listener_open(&s->listener, o->listen, err)) return -1;
    int status = open_accounts(s, err);
    if (!status) {
        notice(s, "serving %s", s->listener.address);
        status = run_queue(s, err);
    } else listener_end(&s->listener);
    accounts_close(&s->accounts);
    return status;
}

int serve(const ServeOptions *options, Err *err) {
    Server s = {.options = options, .log.fd = -1, .signals = -1};
    cJSON_InitHooks(NULL);
    pthread_mutex_init(&s.mutex, NULL);
    condition_init(&s.stop);
    metrics_init(&s.metrics);
    downloads_init(&s.downloads);
    int status = options->key_file ? keys_read(&s.keys, options->key_file, err) : 0;
    if (!status && options->access_log) status = access_log_open(&s.log, options->access_log, err);
    if (!status && options->pinyin && !(s.pinyin = pinyin_read(options->pinyin, err))) status = -1;
    if (!status && (s.signals = signals_open()) < 0) status = err_set(err, NULL, 0, "signals: %s", strerror(errno));
    if (!status) status = run_models(&s, err);
    if (s.models.list) models_close(&s.models);
    if (s.log.lost) notice(&s, "%s: %ld lines could not be written", options->access_log, s.log.lost);
    access_log_close(&s.log);
    keys_free(&s.keys);
    metrics_free(&s.metrics);
    downloads_free(&s.downloads);
    pinyin_free(s.pinyin);
    if (s.signals >= 0) close(s.signals);
    pthread_cond_destroy(&s.stop);
    pthread_mutex_destroy(&s.mutex);
    return status;
}
