#include "serve/endpoints.h"

#include "core/scope.h"
#include "serve/answer.h"
#include "serve/correct.h"
#include "serve/header.h"
#include "serve/language.h"
#include "serve/live_report.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"

static const char page[] =
#include "serve/web/live.html.inc"
    ;
static const char page_policy[] = "default-src 'none'; connect-src 'self'; img-src data:; form-action 'none'; "
                                  "frame-ancestors 'none'; base-uri 'none'; "
#include "serve/web/live.policy.inc"
    ;
static const char openapi[] =
#include "serve/web/openapi.json.inc"
    ;

/* Writes {"code", "name", "targets"} of a source. As in LibreTranslate, a language is also a target of itself. */
static void write_language(FILE *out, ServedModels *models, char *const *codes, const char *code) {
    json_print(out, "{\"code\":%s,\"name\":%s,\"targets\":[", code, language_name(code));
    bool comma = false;
    for (ptrdiff_t i = 0; i < arrlen(codes); i++) {
        if (strcmp(code, codes[i]) != 0 && !models_translate(models, code, codes[i])) continue;
        json_print(out, comma ? ",%s" : "%s", codes[i]);
        comma = true;
    }
    fputs("]}", out);
}

static void write_languages(FILE *out, const Start *s) {
    char **codes = models_codes(s->service->models);
    fputc('[', out);
    for (ptrdiff_t i = 0; i < arrlen(codes); i++) {
        if (i) fputc(',', out);
        write_language(out, s->service->models, codes, codes[i]);
    }
    fputs("]\n", out);
    strings_free(codes);
}

/* ---- endpoints that need no search ----------------------------------------------------------------------------- */

static void write_tags(FILE *out, const Vocab *vocab) {
    const char **tags = vocab_tags(vocab);
    fputs(",\"tags\":", out);
    json_strings(out, (char *const *)tags, (int)arrlen(tags), ",");
    arrfree(tags);
}

static void write_models(FILE *out, const Start *s) {
    ServedModels *models = s->service->models;
    fputc('[', out);
    for (int i = 0; i < models->count; i++) {
        Served *served = models_hold(models, i);
        const Alignments there = model_alignments(&served->translator.model);
        const char(*langs)[OPTION_TEXT_SIZE] = served->translator.options.langs;
        if (i) fputc(',', out);
        json_print(out, "{\"name\":%s,\"source\":%s,\"target\":%s,\"attention\":%s", models->list[i].name, langs[0],
                   langs[1], model_options_attention(&served->translator.options));
        fprintf(out, ",\"alignment\":%s,\"layers\":%d,\"heads\":%d,\"alternatives\":%d,\"training\":%s",
                there.heads ? "true" : "false", there.layers, there.heads, s->service->limits->beam - 1,
                live_report_exists(models, i) ? "true" : "false");
        write_tags(out, served->translator.source.vocab);
        about_write(out, &served->translator.about);
        fputc('}', out);
        served_drop(served);
    }
    fputs("]\n", out);
}

static void write_settings(FILE *out, const Start *s) {
    Served *first = models_hold(s->service->models, 0);
    const char *target = first->translator.options.langs[1];
    const char *keys = s->service->keys->count ? "true" : "false";
    fprintf(out, "{\"apiKeys\":%s,\"charLimit\":-1,\"filesTranslation\":%s,\"frontendTimeout\":500,", keys,
            s->service->downloads ? "true" : "false");
    fprintf(out, "\"keyRequired\":%s,\"language\":{\"source\":{\"code\":\"auto\",\"name\":\"Auto Detect\"},", keys);
    json_print(out, "\"target\":{\"code\":%s,\"name\":%s}},", target, language_name(target));
    const Accounts *accounts = s->service->accounts;
    fprintf(out, "\"pinyin\":%s,\"corrections\":%s,\"memory\":%s,", s->service->pinyin ? "true" : "false",
            accounts && accounts->count ? "true" : "false", accounts ? "true" : "false");
    fprintf(out, "\"suggestions\":%s,\"supportedFilesFormat\":[%s]}\n", accounts && accounts->count ? "true" : "false",
            s->service->downloads ? "\".txt\",\".srt\",\".html\"" : "");
    served_drop(first);
}

static void write_metrics(FILE *out, const Start *s) {
    const Gauges gauges = {.queue = queue_length(s->service->queue), .models = s->service->models->count};
    metrics_write(s->service->metrics, &gauges, out);
}

static const char json_type[] = "application/json";

/* Makes the reply from what `write` writes. */
static void reply_with(const Start *s, const char *type, void (*write)(FILE *out, const Start *s)) {
    MemoryFile memory;
    write(memory_open(&memory), s);
    reply_memory(s->reply, type, &memory);
}

static void reply_download(const Start *s) {
    const char *name = s->asked->url + strlen(route_path(ENDPOINT_DOWNLOAD));
    Downloads *downloads = s->service->downloads;
    Download file = downloads ? downloads_find(downloads, name, seconds_now()) : (Download){0};
    if (!file.text && *file.id) mem_refused(file.size);
    if (!file.text) {
        reply_error(s->reply, 404, "Not found: no file has this address, or its half hour is over");
        return;
    }
    *s->reply = (Reply){.status = 200, .type = file.type, .body = file.text, .size = file.size};
    s->reply->file = mem_strdup(file.name);
}

static void detect_language(const Start *s) {
    Fields fields = {0};
    if (!request_fields(s, &fields)) {
        char **codes = models_codes(s->service->models);
        const Detected found = request_detect(&fields, codes);
        MemoryFile memory;
        json_print(memory_open(&memory), "[{\"confidence\":%.1f,\"language\":%s}]\n", found.confidence,
                   codes[found.language]);
        strings_free(codes);
        reply_memory(s->reply, json_type, &memory);
    }
    fields_free(&fields);
}

/* Writes the readings of one text, or an array of those of each text. */
static void write_pinyin(FILE *out, const Pinyin *pinyin, const Texts *q) {
    fputs(q->array ? "{\"pinyin\":[" : "{\"pinyin\":", out);
    for (ptrdiff_t i = 0; i < arrlen(q->list); i++) {
        char **readings = pinyin_of(pinyin, q->list[i]);
        if (i) fputc(',', out);
        json_strings(out, readings, (int)arrlen(readings), ",");
        strings_free(readings);
    }
    fputs(q->array ? "]}\n" : "}\n", out);
}

static void answer_pinyin(const Start *s) {
    Fields fields = {0};
    const Pinyin *pinyin = s->service->pinyin;
    if (!pinyin) {
        reply_error(s->reply, 404, "Not found: this server has no dictionary of pinyin");
    } else if (!request_fields(s, &fields)) {
        MemoryFile memory;
        write_pinyin(memory_open(&memory), pinyin, &fields.q);
        reply_memory(s->reply, json_type, &memory);
    }
    fields_free(&fields);
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* The reply of a task or of a call that did not end well, and which may have begun to write a reply. */
static void reply_failed(Reply *reply, ScopeEnd end) {
    *reply = (Reply){0};
    if (end == SCOPE_REFUSED) reply_error(reply, 503, "Cannot translate text: out of memory");
    else reply_error(reply, 500, "Cannot translate text: internal error");
}

/* Runs work(s) in a scope of its own, to which nothing belongs afterwards. */
static ScopeEnd run(void (*work)(void *context), Start *s) {
    char reason[256];
    Scope scope = {0};
    const ScopeEnd end = scope_run(&scope, work, s, reason, sizeof reason);
    scope_forget(&scope);
    if (end != SCOPE_DONE) reply_failed(s->reply, end);
    return end;
}

static void start(void *context) {
    Start *s = context;
    switch (s->asked->endpoint) {
    case ENDPOINT_PAGE:
        reply_fixed(s->reply, "text/html; charset=utf-8", page);
        s->reply->policy = page_policy;
        break;
    case ENDPOINT_OPENAPI: reply_fixed(s->reply, json_type, openapi); break;
    case ENDPOINT_HEALTH: reply_fixed(s->reply, json_type, "{\"status\":\"ok\"}\n"); break;
    case ENDPOINT_LANGUAGES: reply_with(s, json_type, write_languages); break;
    case ENDPOINT_MODELS: reply_with(s, json_type, write_models); break;
    case ENDPOINT_SETTINGS: reply_with(s, json_type, write_settings); break;
    case ENDPOINT_METRICS: reply_with(s, "text/plain; version=0.0.4; charset=utf-8", write_metrics); break;
    case ENDPOINT_DOWNLOAD: reply_download(s); break;
    case ENDPOINT_DETECT: detect_language(s); break;
    case ENDPOINT_PINYIN: answer_pinyin(s); break;
    case ENDPOINT_CORRECTIONS: correct_list(s); break;
    case ENDPOINT_CORRECT:
    case ENDPOINT_SUGGEST: correct_add(s); break;
    case ENDPOINT_UNCORRECT: correct_delete(s); break;
    case ENDPOINT_CORRECTIONS_TMX: correct_export(s); break;
    case ENDPOINT_SIMILAR: correct_similar(s); break;
    case ENDPOINT_LEARNING: correct_learning(s); break;
    case ENDPOINT_LEARN: correct_learn(s); break;
    case ENDPOINT_GENERATION: correct_choose(s); break;
    case ENDPOINT_TRAINING: live_report_page(s); break;
    case ENDPOINT_LOG: live_report_log(s); break;
    default: request_start(s);
    }
}

/* Checks the key of a request without a body: the key is in a header, also as a password, for which browsers ask their
   users. Requests with texts may have their key in the body, so request_fields checks it. Returns false with an error
   in the reply. */
static bool check_key(Start *s, char password[KEY_SIZE]) {
    const Asked *asked = s->asked;
    const Endpoint e = asked->endpoint;
    const bool opens = e == ENDPOINT_TRAINING || e == ENDPOINT_LOG || e == ENDPOINT_CORRECTIONS_TMX; /* in a browser */
    if (!opens && e != ENDPOINT_METRICS && e != ENDPOINT_CORRECTIONS && e != ENDPOINT_LEARNING) return true;
    s->key = header_bearer(asked->authorization);
    if (!s->key) s->key = header_password(asked->authorization, password, KEY_SIZE);
    if (keys_serve(s->service->keys, s->key)) return true;
    reply_error(s->reply, opens ? 401 : 403, "Invalid API key");
    return false;
}

Task *endpoint_start(const Service *service, const Asked *asked, Reply *reply) {
    Start s = {.service = service, .asked = asked, .reply = reply};
    char password[KEY_SIZE];
    *reply = (Reply){0};
    if (!check_key(&s, password)) return NULL;
    if (run(start, &s) == SCOPE_DONE) return s.request ? &s.request->task : NULL;
    served_drop(s.held);
    return NULL;
}

static void finish(void *context) {
    const Start *s = context;
    answer_reply(s->request, s->reply);
}

void endpoint_finish(Task *task, ScopeEnd end, Reply *reply) {
    if (end == SCOPE_DONE) run(finish, &(Start){.request = (Request *)task, .reply = reply});
    else reply_failed(reply, end);
}
