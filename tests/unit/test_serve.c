/* The server in this process: memory that is refused at any place fails one request, and the next one is served. The
   batches of the queue, and the metrics. */
#include "serve/downloads.h"
#include "serve/fields.h"
#include "serve/keys.h"
#include "serve/language.h"
#include "serve/serve.h"
#include "serve/socket.h"
#include "serve/worker.h"
#include "text/unicode.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "random_model.h"
#include "scratch.h"

static char model_file[SCRATCH_SIZE];

/* ---- a server -------------------------------------------------------------------------------------------------- */

static int port; /* 0: not yet listening */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t listening = PTHREAD_COND_INITIALIZER;

static void notice(const char *line) {
    const char *colon = strrchr(line, ':');
    if (!starts_with(line, "serving ")) return;
    pthread_mutex_lock(&mutex);
    port = (int)strtol(colon + 1, NULL, 10);
    pthread_cond_broadcast(&listening);
    pthread_mutex_unlock(&mutex);
}

static void *run_server(void *context) {
    const ModelFiles models[] = {{.model = model_file}};
    const ServeOptions options = {.models = models,
                                  .model_count = 1,
                                  .listen = "127.0.0.1:0",
                                  .limits = {.body = 4096,
                                             .sentences = 8,
                                             .pieces = 100,
                                             .beam = 8,
                                             .queue = 16,
                                             .connections = 16,
                                             .batch = 4,
                                             .timeout = 20},
                                  .workers = 2,
                                  .notice = notice};
    int *status = context;
    Err err;
    *status = serve(&options, &err);
    if (*status) fprintf(stderr, "%s\n", err.reason);
    return NULL;
}

/* Sends a request and returns the status of the answer; 0: the connection was closed without one. Allocates nothing by
   tide's functions, so it does not disturb the count of allocations. */
static int ask(const char *endpoint, const char *body, char answer[4096]) {
    char request[1024];
    const struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    const int n = snprintf(request, sizeof request,
                           "POST %s HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                           "Content-Length: %zu\r\n\r\n%s",
                           endpoint, strlen(body), body);
    assert_int_equal(send(fd, request, (size_t)n, MSG_NOSIGNAL), n);
    size_t size = 0;
    for (ssize_t got; size < 4095 && (got = recv(fd, answer + size, 4095 - size, 0)) > 0;) size += (size_t)got;
    answer[size] = '\0';
    close(fd);
    return size > 12 ? (int)strtol(answer + 9, NULL, 10) : 0;
}

/* Refuses each of the allocations of a request in turn, of many only some. Each time the request fails, a stream also
   by its last event, and the next one has its answer. */
static void refuse_each(const char *endpoint, const char *body, int steps) {
    char expected[4096], answer[4096];
    int refused = 0;
    assert_int_equal(ask(endpoint, body, expected), 200);
    /* a request needs some hundred allocations; after the first, the workers have their sessions */
    const long before = mem_count();
    assert_int_equal(ask(endpoint, body, answer), 200);
    const long each = mem_count() - before;
    assert_true(each > 100);
    for (long n = 1; n <= each + 10; n += n < steps ? 1 : 1 + each / steps / 2) {
        mem_fail_nth(n);
        const int got = ask(endpoint, body, answer);
        mem_fail_nth(0);
        assert_true(got == 200 || got == 503 || got == 0);
        refused += got != 200 ||
                   strstr(answer, "event: error\ndata: {\"error\":\"Cannot translate text: out of memory\"}\n\n");
        assert_int_equal(ask(endpoint, body, answer), 200);
        assert_string_equal(strstr(answer, "\r\n\r\n"), strstr(expected, "\r\n\r\n"));
    }
    assert_true(refused > steps / 3);
}

static void test_refused_memory(void **state) {
    (void)state;
    int status = 1;
    pthread_t server;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    assert_int_equal(pthread_create(&server, NULL, run_server, &status), 0);
    pthread_mutex_lock(&mutex);
    while (!port) pthread_cond_wait(&listening, &mutex);
    pthread_mutex_unlock(&mutex);
    refuse_each("/translate",
                "{\"q\":[\"潮水退了。谁没穿鞋?\",\"大家 都在海边。\"],\"source\":\"auto\",\"target\":\"en\","
                "\"alternatives\":1,\"alignment\":\"word\"}",
                150);
    refuse_each("/v1/stream",
                "{\"q\":\"潮水退了。\",\"source\":\"auto\",\"target\":\"en\",\"alternatives\":1,\"alignment\":\"word\","
                "\"candidates\":2}",
                100);
    kill(getpid(), SIGTERM);
    pthread_join(server, NULL);
    assert_int_equal(status, 0);
}

/* ---- the queue ------------------------------------------------------------------------------------------------- */

typedef struct Waiting {
    atomic_int done, failed, released;
} Waiting;

static void count_done(Task *task, ScopeEnd end, void *context) {
    Waiting *waiting = context;
    if (end != SCOPE_DONE || !task->jobs[0].count) atomic_fetch_add(&waiting->failed, 1);
    atomic_fetch_add(&waiting->done, 1);
}

static void release_nothing(Task *task) {
    Waiting *waiting = task->context;
    jobs_clear(task->jobs, task->count);
    atomic_fetch_add(&waiting->released, 1);
}

/* Tasks beyond the limit are refused; a cancelled task is never done; every task is released once. */
static void test_queue(void **state) {
    (void)state;
    enum { TASKS = 40 };
    const Limits limits = {.queue = TASKS, .batch = 4, .beam = 8};
    const ModelFiles files[] = {{.model = model_file}};
    Err err;
    Metrics metrics;
    ServedModels models;
    Waiting waiting = {0};
    static Task tasks[TASKS];
    static Job jobs[TASKS], many[TASKS + 1];
    int cancelled = 0;
    metrics_init(&metrics);
    assert_int_equal(models_open(&models, files, 1, &err), 0);
    Queue *queue = queue_new(&limits, 2, &metrics, &err);
    assert_non_null(queue);
    assert_int_equal(queue_add(queue, &(Task){.jobs = many, .count = TASKS + 1}), -1);
    for (int i = 0; i < TASKS; i++) {
        jobs[i] = (Job){.source = i % 3 ? "潮水退了。" : "海", .length = i % 3 ? 6 : 2};
        tasks[i] = (Task){.served = models.list[0].served,
                          .search = search_options_default(),
                          .jobs = &jobs[i],
                          .count = 1,
                          .done = count_done,
                          .context = &waiting,
                          .release = release_nothing};
        tasks[i].search.beam = 2 + i % 2;
        tasks[i].search.n_best = 1;
        assert_int_equal(queue_add(queue, &tasks[i]), 0);
    }
    for (int i = 0; i < TASKS; i += 5) cancelled += queue_cancel(queue, &tasks[TASKS - 1 - i]);
    while (atomic_load(&waiting.done) < TASKS - cancelled) usleep(1000);
    for (int i = 0; i < TASKS; i++) task_drop(queue, &tasks[i]);
    queue_free(queue);
    assert_int_equal(waiting.done, TASKS - cancelled);
    assert_int_equal(waiting.failed, 0);
    assert_int_equal(waiting.released, TASKS);
    assert_true(metrics.batch.sum >= waiting.done && metrics.batch.sum <= TASKS);
    models_close(&models);
    metrics_free(&metrics);
}

/* ---- quotas ---------------------------------------------------------------------------------------------------- */

/* A period begins with the first request after the last one; what one quota refuses is not taken from the other. */
static void test_quotas(void **state) {
    (void)state;
    static const struct {
        double now;
        long characters;
        const char *exceeded; /* NULL: taken */
        double wait;
    } steps[] = {{0, 6, NULL, 0},        {1, 4, NULL, 0},        {2, 1, "minute", 58},     {59, 1, "minute", 1},
                 {60, 10, NULL, 0},      {125, 6, "day", 86275}, {125, 5, NULL, 0},        {185, 11, "day", 86215},
                 {185, 1, "day", 86215}, {86400, 10, NULL, 0},   {86401, 1, "minute", 59}, {86500, 10, NULL, 0}};
    Key key = {.quotas = {{.most = 10}, {.most = 25}}, .mutex = PTHREAD_MUTEX_INITIALIZER};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const QuotaLeft left = key_take(&key, steps[i].characters, steps[i].now);
        if (!steps[i].exceeded) assert_null(left.exceeded);
        else assert_string_equal(left.period, steps[i].exceeded);
        assert_true(left.wait == steps[i].wait);
    }
    assert_null(key_take(&(Key){.mutex = PTHREAD_MUTEX_INITIALIZER}, 1L << 40, 0).exceeded);
}

/* ---- downloads ------------------------------------------------------------------------------------------------- */

static void add_download(Downloads *downloads, int number, size_t size, double now) {
    Download file = {.type = "", .text = mem_zalloc(size + 1), .size = size};
    snprintf(file.id, sizeof file.id, "%032d", number);
    downloads_add(downloads, file, now);
}

static bool has_download(Downloads *downloads, int number, double now) {
    char asked[64];
    snprintf(asked, sizeof asked, "%032d.txt", number);
    const Download found = downloads_find(downloads, asked, now);
    mem_free(found.text);
    return found.text;
}

/* Files are kept for their time; the oldest one goes if there are too many, or if they are too large together. */
static void test_downloads(void **state) {
    (void)state;
    static Downloads downloads;
    downloads_init(&downloads);
    add_download(&downloads, 0, 10, 0);
    assert_true(has_download(&downloads, 0, DOWNLOAD_SECONDS - 1));
    assert_false(has_download(&downloads, 1, 0));
    assert_false(has_download(&downloads, 0, DOWNLOAD_SECONDS));
    assert_int_equal(downloads.size, 0);
    for (int i = 0; i <= DOWNLOADS; i++) add_download(&downloads, i, 1, i);
    for (int i = 0; i <= DOWNLOADS; i++) assert_int_equal(has_download(&downloads, i, DOWNLOADS), i > 0);
    add_download(&downloads, 100, DOWNLOAD_BYTES - 1, 100);
    assert_true(has_download(&downloads, DOWNLOADS, 100) && has_download(&downloads, 100, 100));
    assert_int_equal(downloads.size, DOWNLOAD_BYTES);
    add_download(&downloads, 101, DOWNLOAD_BYTES + 1, 101); /* alone, it may be larger */
    assert_false(has_download(&downloads, 100, 101));
    assert_true(has_download(&downloads, 101, 101));
    add_download(&downloads, 102, 10, 102);
    mem_fail_nth(1); /* without memory for a copy, the file is not found, but kept */
    assert_false(has_download(&downloads, 102, 102));
    mem_fail_nth(0);
    assert_true(has_download(&downloads, 102, 102));
    downloads_free(&downloads);
}

/* ---- addresses ------------------------------------------------------------------------------------------------- */

static uint64_t group_of(const char *text) {
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1) return address_group((struct sockaddr *)&four);
    assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
    return address_group((struct sockaddr *)&six);
}

/* An IPv4 address is a group, also in the form of IPv6, and so are 64 bits of IPv6. This machine has no group. */
static void test_groups(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } pairs[] = {{"192.0.2.1", "192.0.2.1", true},          {"192.0.2.1", "192.0.2.2", false},
                 {"192.0.2.1", "::ffff:192.0.2.1", true},   {"2001:db8::1", "2001:db8::2", true},
                 {"2001:db8::1", "2001:db8:0:1::1", false}, {"2001:db8::1", "192.0.2.1", false}};
    static const char *const own[] = {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(group_of(pairs[i].a) == group_of(pairs[i].b), pairs[i].same);
        assert_int_not_equal(group_of(pairs[i].a), 0);
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) assert_int_equal(group_of(own[i]), 0);
    assert_int_equal(address_group(&(struct sockaddr){.sa_family = AF_UNIX}), 0);
}

/* ---- languages ------------------------------------------------------------------------------------------------- */

static void test_languages(void **state) {
    (void)state;
    static const struct {
        const char *code, *own;
        bool same;
    } pairs[] = {{"zh", "zh", true},       {"zh-Hans", "zh", true},    {"ZH_cn", "zh", true},
                 {"zho", "zh", true},      {"zh-Hant", "zh", false},   {"zh-TW", "zh", false},
                 {"zh", "zh-Hant", false}, {"zh-TW", "zh-Hant", true}, {"en-US", "en", true},
                 {"en", "zh", false},      {"xx", "xx", true},         {"", "zh", false}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(language_matches(pairs[i].code, pairs[i].own), pairs[i].same);
    const char *const codes[] = {"en", "zh"};
    static char *const texts[] = {"the 潮水退了", "the tide 潮", "123", "", "tide 潮", "潮", "潮 abc", "潮水 abc. 1"};
    static const int found[] = {1, 0, 0, 0, 0, 1, 1, 1}, sure[] = {84, 64, 0, 0, 50, 100, 57, 73};
    for (int i = 0; i < 8; i++) {
        const Detected detected = language_detect(&texts[i], 1, codes, 2);
        assert_int_equal(detected.language, found[i]);
        assert_int_equal(detected.confidence, sure[i]);
    }
    const Detected none = language_detect(texts, 1, codes, 1); /* mostly Han, and no such language */
    assert_true(none.language == 0 && none.confidence == 0);
}

/* ---- forms ----------------------------------------------------------------------------------------------------- */

static void test_forms(void **state) {
    (void)state;
    static const char *const texts[][2] = {{"", ""},         {"a+b", "a b"},  {"%41%6a%4A", "AjJ"}, {"%e6%b0%B4", "水"},
                                           {"%2B%25", "+%"}, {"%7f", "\x7f"}, {"%00", NULL},        {"a%", NULL},
                                           {"a%4", NULL},    {"%g0", NULL},   {"%0g", NULL},        {"%4%41", NULL},
                                           {"%e6%b0", NULL}, {"\xe6", NULL},  {"%", NULL},          {"%%41", NULL},
                                           {"%:1", NULL},    {"%@1", NULL},   {"%`1", NULL},        {"%/1", NULL}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *decoded = form_decode(texts[i][0], strlen(texts[i][0]));
        if (texts[i][1]) assert_string_equal(decoded, texts[i][1]);
        else assert_null(decoded);
        mem_free(decoded);
    }
    char *begin = form_decode("a%41", 1); /* only n bytes are read */
    assert_string_equal(begin, "a");
    mem_free(begin);
    assert_null(form_decode("a%41", 3));
}

static int parse(const char *body, Fields *fields, Reply *reply) {
    static const Limits limits = {.sentences = 2, .pieces = 3};
    const char *type = *body == '{' ? "application/json" : "application/x-www-form-urlencoded";
    *reply = (Reply){0};
    return fields_parse(fields, type, body, strlen(body), &limits, reply);
}

/* Values at the limits of each field, and outside, in a form and in JSON. */
static void test_fields(void **state) {
    (void)state;
    static const char bad[] = "bad %s";
    static const struct {
        const char *name, *value, *json, *error; /* json: the value in JSON, NULL: as in the form; error: NULL: none */
    } cases[] = {
        {"alternatives", "0", NULL, NULL},
        {"alternatives", "1000", NULL, NULL},
        {"alternatives", "1001", NULL, bad},
        {"alternatives", "-1", NULL, bad},
        {"alternatives", "1.5", NULL, bad},
        {"alternatives", "", "\"\"", bad},
        {"candidates", "1000", NULL, NULL},
        {"candidates", "1001", NULL, bad},
        {"candidates", "2x", "\"2x\"", bad},
        {"candidates", "true", NULL, bad},
        {"pruned", "20", NULL, NULL},
        {"pruned", "2x", "\"2x\"", bad},
        {"alignment", "piece", "\"piece\"", NULL},
        {"alignment", "word", "\"word\"", NULL},
        {"alignment", "true", NULL, NULL},
        {"alignment", "false", NULL, NULL},
        {"alignment", "", "\"\"", NULL},
        {"alignment", "words", "\"words\"", "alignment must be piece or word"},
        {"beam", "1000", NULL, NULL},
        {"beam", "1001", NULL, "beam is 1001, but must be between 0 and 1000"},
        {"beam", "1.5", NULL, bad},
        {"word_penalty", "-10", NULL, NULL},
        {"word_penalty", "-10.5", NULL, "word_penalty is -10.5, but must be between -10 and 10"},
        {"temperature", "0.01", NULL, NULL},
        {"temperature", "0", NULL, "temperature is 0, but must be between 0.01 and 1.04858e+06"},
        {"sample", "true", NULL, NULL},
        {"sample", "yes", "\"yes\"", bad},
        {"sample", "1", NULL, bad},
        {"beam", "true", NULL, bad},
        {"n_best", "x", "[]", NULL}, /* not a field of requests */
        {"other", "x", "{}", NULL},
    };
    Fields fields;
    Reply reply;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i / 2].name, *value = cases[i / 2].value, *json = cases[i / 2].json;
        char body[100], error[100] = "", expected[160] = "";
        if (i % 2) snprintf(body, sizeof body, "{\"%s\":%s}", name, json ? json : value);
        else snprintf(body, sizeof body, "%s=%s", name, value);
        if (cases[i / 2].error == bad) snprintf(error, sizeof error, "bad %s", name);
        else if (cases[i / 2].error) snprintf(error, sizeof error, "%s", cases[i / 2].error);
        if (*error) snprintf(expected, sizeof expected, "{\"error\":\"Invalid request: %s\"}\n", error);
        assert_int_equal(parse(body, &fields, &reply), *error ? -1 : 0);
        assert_int_equal(reply.status, *error ? 400 : 0);
        assert_string_equal(reply.error, expected);
        fields_free(&fields);
    }
}

static void test_fields_of_a_form(void **state) {
    (void)state;
    Fields fields;
    Reply reply;
    assert_int_equal(
        parse("alternatives=2&alternatives=3&candidates=4&alignment=word&temperature=2&sample=true&tag=a+b&"
              "source=zh&target=en&format=html&model=m&api_key=k&prefix=p&glossary=g&lexicon=l&q=1&q=2",
              &fields, &reply),
        0);
    assert_true(fields.alternatives == 2 && fields.candidates == 4 && fields.alignment == ALIGN_WORDS);
    assert_true(fields.search.temperature == 2 && fields.search.sample && fields.q.array && arrlen(fields.q.list) == 2);
    const char *const words[][2] = {{fields.tag, "a b"},     {fields.source, "zh"},  {fields.target, "en"},
                                    {fields.format, "html"}, {fields.model, "m"},    {fields.api_key, "k"},
                                    {fields.prefix, "p"},    {fields.glossary, "g"}, {fields.lexicon, "l"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) assert_string_equal(words[i][0], words[i][1]);
    fields_free(&fields);
}

/* One text or several, and how many are too many. */
static void test_texts(void **state) {
    (void)state;
    Fields fields;
    Reply reply;
    static const struct {
        const char *body;
        int texts, pieces;
        bool array;
    } lists[] = {{"q=a", 1, 0, false},
                 {"&q=a&&q=", 2, 0, true},
                 {"q=a&q=b&q=c", -1, 0, false},
                 {"{\"q\":\"a\"}", 1, 0, false},
                 {"{\"q\":[]}", 0, 0, true},
                 {"{\"q\":[\"a\"],\"prefix_pieces\":[\"a\",\"b\",\"c\"]}", 1, 3, true},
                 {"{\"q\":[\"a\"],\"prefix_pieces\":[\"a\",\"b\",\"c\",\"d\"]}", -1, 0, false},
                 {"{\"q\":[\"a\",\"b\",\"c\"]}", -1, 0, false},
                 {"{\"q\":[\"a\",1]}", -1, 0, false},
                 {"{\"q\":1}", -1, 0, false},
                 {"{\"q\":\"a\",\"q\":[\"b\",\"c\"]}", 2, 0, true},
                 {"{\"q\":null}", 0, 0, false}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        assert_int_equal(parse(lists[i].body, &fields, &reply), lists[i].texts < 0 ? -1 : 0);
        if (lists[i].texts >= 0) {
            assert_int_equal(arrlen(fields.q.list), lists[i].texts);
            assert_int_equal(arrlen(fields.prefix_pieces.list), lists[i].pieces);
            assert_int_equal(fields.q.array, lists[i].array);
        } else assert_int_equal(reply.status, 400);
        fields_free(&fields);
    }
}

int main(void) {
    Translator translator;
    scratch_file(model_file);
    write_model_into(&translator, "en", target_texts, 1, model_file);
    translator_free(&translator);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_languages),     cmocka_unit_test(test_quotas),           cmocka_unit_test(test_forms),
        cmocka_unit_test(test_fields),        cmocka_unit_test(test_fields_of_a_form), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_downloads),     cmocka_unit_test(test_groups),           cmocka_unit_test(test_queue),
        cmocka_unit_test(test_refused_memory)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(model_file);
    return failed;
}
