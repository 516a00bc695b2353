#include "serve/endpoints.h"

#include "core/scope.h"
#include "serve/language.h"
#include "serve/passage.h"
#include "text/ds.h"
#include "text/files.h"
#include "text/json.h"
#include "text/unicode.h"
#include "translate/session.h"

#include <math.h>

static const char page[] =
#include "serve/web/index.html.inc"
    ;
static const char openapi[] =
#include "serve/web/openapi.json.inc"
    ;

/* One text of a request. */
typedef struct Part {
    Passage passage; /* the source */
    int first;       /* the number of its first job */
} Part;

/* A request whose sentences are a task. */
typedef struct Request {
    Task task;
    const Service *service;
    Fields fields;
    Part *parts;          /* [texts of the request] */
    char **given;         /* a stb_ds array: normalised texts and translations of /v1/align and /v1/score */
    const char *detected; /* the code of the source that was found out; NULL: the request names it; a copy, owned */
    double confidence;
    bool spaced; /* the target separates sentences by spaces */
} Request;

/* What a call of endpoint_start works on, in its scope. */
typedef struct Start {
    const Service *service;
    const Asked *asked;
    Reply *reply;
    Request *request; /* the result, or NULL */
    Served *held;     /* the model that the request holds: to drop it if the scope fails */
} Start;

static void request_free(Task *task) {
    Request *w = (Request *)task;
    for (ptrdiff_t i = 0; w->parts && i < arrlen(w->fields.q.list); i++) passage_free(&w->parts[i].passage);
    jobs_clear(task->jobs, task->count);
    mem_free(task->jobs);
    mem_free(w->parts);
    strings_free(w->given);
    mem_free((char *)w->detected);
    fields_free(&w->fields);
    served_drop(task->served);
    mem_free(w);
}

/* ---- languages ------------------------------------------------------------------------------------------------- */

/* The codes of all languages of the models, each once, sources first: a stb_ds array of owned strings. Codes are
   copied, because a model may be replaced at any time. */
static char **known_codes(ServedModels *models) {
    char **codes = NULL;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < models->count; i++) {
            char code[OPTION_TEXT_SIZE];
            Served *served = models_hold(models, i);
            memcpy(code, served->translator.options.langs[side], sizeof code);
            served_drop(served);
            bool known = false;
            for (ptrdiff_t k = 0; k < arrlen(codes); k++) known |= !strcmp(codes[k], code);
            char *copy = known ? NULL : mem_strdup(code);
            if (copy) arrput(codes, copy);
        }
    return codes;
}

/* The model's code for the code of a request; NULL if no model has the language. */
static const char *known_code(char *const *codes, const char *code) {
    for (ptrdiff_t i = 0; i < arrlen(codes); i++)
        if (language_matches(code, codes[i])) return codes[i];
    return NULL;
}

static bool translates(ServedModels *models, const char *source, const char *target) {
    Served *served = models_find(models, source, target, NULL);
    served_drop(served);
    return served;
}

/* Writes {"code", "name", "targets"} of a source. As in LibreTranslate, a language is also a target of itself. */
static void write_language(FILE *out, ServedModels *models, char *const *codes, const char *code) {
    fputs("{\"code\":", out);
    json_string(out, code);
    fputs(",\"name\":", out);
    json_string(out, language_name(code));
    fputs(",\"targets\":[", out);
    bool comma = false;
    for (ptrdiff_t i = 0; i < arrlen(codes); i++) {
        if (strcmp(code, codes[i]) != 0 && !translates(models, code, codes[i])) continue;
        if (comma) fputc(',', out);
        json_string(out, codes[i]);
        comma = true;
    }
    fputs("]}", out);
}

static void write_languages(FILE *out, const Start *s) {
    char **codes = known_codes(s->service->models);
    fputc('[', out);
    for (ptrdiff_t i = 0; i < arrlen(codes); i++) {
        if (i) fputc(',', out);
        write_language(out, s->service->models, codes, codes[i]);
    }
    fputs("]\n", out);
    strings_free(codes);
}

/* ---- endpoints that need no search ----------------------------------------------------------------------------- */

static void write_models(FILE *out, const Start *s) {
    ServedModels *models = s->service->models;
    fputc('[', out);
    for (int i = 0; i < models->count; i++) {
        Served *served = models_hold(models, i);
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        json_string(out, models->list[i].name);
        fputs(",\"source\":", out);
        json_string(out, served->translator.options.langs[0]);
        fputs(",\"target\":", out);
        json_string(out, served->translator.options.langs[1]);
        fprintf(out, ",\"alignment\":%s}", served->aligns ? "true" : "false");
        served_drop(served);
    }
    fputs("]\n", out);
}

static void write_settings(FILE *out, const Start *s) {
    Served *first = models_hold(s->service->models, 0);
    const char *target = first->translator.options.langs[1];
    const char *keys = s->service->keys->count ? "true" : "false";
    fprintf(out, "{\"apiKeys\":%s,\"charLimit\":-1,\"filesTranslation\":false,\"frontendTimeout\":500,", keys);
    fprintf(out, "\"keyRequired\":%s,\"language\":{\"source\":{\"code\":\"auto\",\"name\":\"Auto Detect\"},", keys);
    fputs("\"target\":{\"code\":", out);
    json_string(out, target);
    fputs(",\"name\":", out);
    json_string(out, language_name(target));
    fputs("}},\"suggestions\":false,\"supportedFilesFormat\":[]}\n", out);
    served_drop(first);
}

static void write_metrics(FILE *out, const Start *s) {
    const Gauges gauges = {queue_length(s->service->queue), s->asked->connections, s->service->models->count};
    metrics_write(s->service->metrics, &gauges, out);
}

static const char json_type[] = "application/json";

/* Makes the reply from what `write` writes. */
static void reply_with(const Start *s, const char *type, void (*write)(FILE *out, const Start *s)) {
    MemoryFile memory;
    size_t size;
    write(memory_open(&memory), s);
    char *body = memory_close(&memory, &size);
    reply_body(s->reply, type, body, size);
}

/* ---- requests with texts --------------------------------------------------------------------------------------- */

static int read_fields(const Start *s, Fields *fields) {
    const Asked *asked = s->asked;
    if (fields_parse(fields, header_body_kind(asked->content_type), asked->body, asked->size, s->service->limits,
                     s->reply))
        return -1;
    const char *bearer = header_bearer(asked->authorization), *key = bearer ? bearer : fields->api_key;
    if (s->service->keys->count == 0 || keys_have(s->service->keys, key)) return 0;
    if (!key) return reply_error(s->reply, 403, "Please contact the server operator to get an API key");
    return reply_error(s->reply, 403, "Invalid API key");
}

static int missing(const Start *s, const char *name) {
    return reply_error(s->reply, 400, "Invalid request: missing %s parameter", name);
}

static Detected detect(const Fields *fields, char *const *codes) {
    return language_detect(fields->q.list, (int)arrlen(fields->q.list), (const char *const *)codes, (int)arrlen(codes));
}

static void reply_detected(const Start *s, const Fields *fields) {
    char **codes = known_codes(s->service->models);
    const Detected found = detect(fields, codes);
    MemoryFile memory;
    size_t size;
    FILE *out = memory_open(&memory);
    fprintf(out, "[{\"confidence\":%.1f,\"language\":", found.confidence);
    json_string(out, codes[found.language]);
    fputs("}]\n", out);
    strings_free(codes);
    char *body = memory_close(&memory, &size);
    reply_body(s->reply, json_type, body, size);
}

static void detect_language(Start *s) {
    Fields fields = {0};
    if (!read_fields(s, &fields)) {
        if (fields.q.list || fields.q.array) reply_detected(s, &fields);
        else missing(s, "q");
    }
    fields_free(&fields);
}

/* ---- the task of a request ------------------------------------------------------------------------------------- */

/* Finds the model. *identity: source and target are the same language, and no model is needed. */
static int choose_model(Start *s, char *const *codes, bool *identity) {
    Request *w = s->request;
    const Fields *fields = &w->fields;
    const char *source = fields->source, *target = fields->target;
    if (!source && w->task.kind == JOB_TRANSLATE) return missing(s, "source");
    if (!target && w->task.kind == JOB_TRANSLATE) return missing(s, "target");
    if (!source || !strcmp(source, "auto")) {
        const Detected found = detect(fields, codes);
        source = w->detected = mem_strdup(codes[found.language]);
        w->confidence = found.confidence;
    }
    const char *from = known_code(codes, source), *to = target ? known_code(codes, target) : NULL;
    if (!from) return reply_error(s->reply, 400, "%s is not supported", source);
    if (target && !to) return reply_error(s->reply, 400, "%s is not supported", target);
    for (ptrdiff_t i = 0; !to && i < arrlen(codes); i++)
        if (translates(s->service->models, from, codes[i])) to = codes[i];
    *identity = to && !strcmp(from, to);
    w->spaced = to && !language_has_han(to);
    if (*identity && w->task.kind == JOB_TRANSLATE) return 0;
    if (to) s->held = w->task.served = models_find(s->service->models, from, to, fields->model);
    if (w->task.served) return 0;
    if (to && fields->model && translates(s->service->models, from, to))
        return reply_error(s->reply, 400, "%s is not a model that translates from %s to %s", fields->model, from, to);
    return reply_error(s->reply, 400, "%s (%s) is not available as a target language from %s (%s)",
                       to ? language_name(to) : "?", to ? to : "?", language_name(from), from);
}

static int check_options(const Start *s) {
    Request *w = s->request;
    Fields *fields = &w->fields;
    const int most = s->service->limits->beam;
    if (fields->format && strcmp(fields->format, "text") != 0 && strcmp(fields->format, "html") != 0)
        return reply_error(s->reply, 400, "%s format is not supported", fields->format);
    if (fields->beam > most || fields->alternatives >= most)
        return reply_error(s->reply, 400, "Invalid request: beam and alternatives are limited to %d", most);
    if (fields->alignment != ALIGN_NOTHING && w->task.served && !w->task.served->aligns)
        return reply_error(s->reply, 400, "Invalid request: this model has no alignment");
    if (w->task.kind == JOB_ALIGN && fields->alignment == ALIGN_NOTHING) fields->alignment = ALIGN_PIECES;
    return 0;
}

static int length_in_pieces(const Side *side, const char *sentence) {
    int *ids = side_encode(side, sentence);
    const int n = (int)arrlen(ids);
    arrfree(ids);
    return n;
}

static int check_length(const Start *s, const Side *side, const char *sentence, int *length) {
    const int most = s->service->limits->pieces;
    *length = length_in_pieces(side, sentence);
    if (*length <= most) return 0;
    return reply_error(s->reply, 400, "Invalid request: request (%d) exceeds text limit (%d) of pieces in a sentence",
                       *length, most);
}

static int too_many(const Start *s, long n) {
    return reply_error(s->reply, 400, "Invalid request: request (%ld) exceeds text limit (%d) of sentences", n,
                       s->service->limits->sentences);
}

static int add_job(Start *s, const char *source, const char *target) {
    Task *task = &s->request->task;
    Job *job = &task->jobs[task->count];
    int ignored;
    *job = (Job){.source = source, .target = target, .task = task};
    if (check_length(s, &task->served->translator.source, source, &job->length) ||
        (target && check_length(s, &task->served->translator.target, target, &ignored)))
        return -1;
    task->count++;
    return 0;
}

/* Splits the texts, and makes one job of each sentence. */
static int make_sentences(Start *s) {
    Request *w = s->request;
    const ptrdiff_t n = arrlen(w->fields.q.list);
    const char *language = w->task.served->translator.options.langs[0];
    const bool html = w->fields.format && !strcmp(w->fields.format, "html");
    long sentences = 0;
    w->parts = mem_zalloc((size_t)(n ? n : 1) * sizeof *w->parts);
    for (ptrdiff_t i = 0; i < n; i++) {
        w->parts[i].passage = passage_split(w->fields.q.list[i], language_has_han(language), html);
        sentences += arrlen(w->parts[i].passage.sentences);
        if (sentences > s->service->limits->sentences) return too_many(s, sentences);
    }
    w->task.jobs = mem_zalloc((size_t)(sentences ? sentences : 1) * sizeof *w->task.jobs);
    for (ptrdiff_t i = 0; i < n; i++) {
        w->parts[i].first = w->task.count;
        for (ptrdiff_t k = 0; k < arrlen(w->parts[i].passage.sentences); k++)
            if (add_job(s, w->parts[i].passage.sentences[k], NULL)) return -1;
    }
    return 0;
}

/* Makes one job of each text and its given translation. */
static int make_pairs(Start *s) {
    Request *w = s->request;
    const ptrdiff_t n = arrlen(w->fields.q.list);
    if (arrlen(w->fields.translation.list) != n)
        return reply_error(s->reply, 400, "Invalid request: %td texts, but %td translations", n,
                           arrlen(w->fields.translation.list));
    w->task.jobs = mem_zalloc((size_t)(n ? n : 1) * sizeof *w->task.jobs);
    for (ptrdiff_t i = 0; i < 2 * n; i++) {
        const char *text = i % 2 ? w->fields.translation.list[i / 2] : w->fields.q.list[i / 2];
        char *normal = text_normalise(text, strlen(text), NULL);
        CHECK(normal, "a text that is not UTF-8");
        arrput(w->given, normal);
        if (i % 2 && add_job(s, w->given[i - 1], normal)) return -1;
    }
    return 0;
}

static void set_search(Request *w) {
    const Fields *fields = &w->fields;
    Task *task = &w->task;
    task->best = fields->alternatives + 1;
    task->beam = fields->beam ? fields->beam : task->served->translator.options.beam_size;
    if (task->beam > w->service->limits->beam) task->beam = w->service->limits->beam;
    if (task->beam < task->best) task->beam = task->best;
    task->alignment = fields->alignment;
}

/* Fills s->request. Returns 1 if the answer needs no search: it can be answered. */
static int make_request(Start *s) {
    Request *w = s->request;
    bool identity = false;
    if (read_fields(s, &w->fields)) return -1;
    const Fields *fields = &w->fields;
    if (!fields->q.list && !fields->q.array) return missing(s, "q");
    if (w->task.kind != JOB_TRANSLATE && !fields->translation.list && !fields->translation.array)
        return missing(s, "translation");
    char **codes = known_codes(s->service->models);
    int status = choose_model(s, codes, &identity);
    strings_free(codes);
    if (status || check_options(s)) return -1;
    if (w->task.kind == JOB_ALIGN && !w->task.served->aligns)
        return reply_error(s->reply, 400, "Invalid request: this model has no alignment");
    if (!w->task.served) return 1;
    set_search(w);
    status = w->task.kind == JOB_TRANSLATE ? make_sentences(s) : make_pairs(s);
    return status ? -1 : w->task.count == 0;
}

static JobKind kind_of(Endpoint endpoint) {
    return endpoint == ENDPOINT_ALIGN ? JOB_ALIGN : endpoint == ENDPOINT_SCORE ? JOB_SCORE : JOB_TRANSLATE;
}

static void write_answer(FILE *out, const Request *w);

static void start_request(Start *s) {
    MemoryFile memory;
    size_t size;
    s->request = mem_zalloc(sizeof *s->request);
    s->request->service = s->service;
    s->request->task.kind = kind_of(s->asked->endpoint);
    s->request->task.release = request_free;
    const int status = make_request(s);
    if (status == 0) return;
    if (status > 0) {
        write_answer(memory_open(&memory), s->request);
        char *body = memory_close(&memory, &size);
        reply_body(s->reply, json_type, body, size);
    }
    request_free(&s->request->task);
    s->request = NULL;
    s->held = NULL;
}

/* ---- answers --------------------------------------------------------------------------------------------------- */

/* The k-th translation of a text, whose sentences have their k-th hypothesis or, if there are fewer, their best one;
   owned by the caller. */
static char *text_of(const Request *w, ptrdiff_t i, int k) {
    if (!w->task.served) return mem_strdup(w->fields.q.list[i]);
    const Part *part = &w->parts[i];
    const ptrdiff_t n = arrlen(part->passage.sentences);
    const char **texts = mem_alloc((size_t)(n ? n : 1) * sizeof *texts);
    for (ptrdiff_t j = 0; j < n; j++) {
        const Job *job = &w->task.jobs[part->first + j];
        texts[j] = k < job->count ? job->texts[k] : job->count ? job->texts[0] : "";
    }
    char *text = passage_join(&part->passage, texts, w->spaced);
    mem_free(texts);
    return text;
}

/* The number of alternatives of a text: as many as its sentence with the most has. */
static int alternatives_of(const Request *w, ptrdiff_t i) {
    int most = 1;
    for (ptrdiff_t j = 0; w->task.served && j < arrlen(w->parts[i].passage.sentences); j++) {
        const Job *job = &w->task.jobs[w->parts[i].first + j];
        if (job->count > most) most = job->count;
    }
    return most - 1;
}

typedef void WriteText(FILE *out, const Request *w, ptrdiff_t i);

/* Writes a field: what `write` writes for the text, or an array of it for the texts. `before`: "{" or ",". */
static void write_texts(FILE *out, const Request *w, const char *before, const char *name, WriteText *write) {
    fprintf(out, "%s\"%s\":%s", before, name, w->fields.q.array ? "[" : "");
    for (ptrdiff_t i = 0; i < arrlen(w->fields.q.list); i++) {
        if (i) fputc(',', out);
        write(out, w, i);
    }
    if (w->fields.q.array) fputc(']', out);
}

static void write_translation(FILE *out, const Request *w, ptrdiff_t i) {
    char *text = text_of(w, i, 0);
    json_string(out, text);
    mem_free(text);
}

static void write_alternatives(FILE *out, const Request *w, ptrdiff_t i) {
    fputc('[', out);
    for (int k = 1; k <= alternatives_of(w, i); k++) {
        char *text = text_of(w, i, k);
        if (k > 1) fputc(',', out);
        json_string(out, text);
        mem_free(text);
    }
    fputc(']', out);
}

/* Writes the alignments of the sentences of a text. */
static void write_alignments(FILE *out, const Request *w, ptrdiff_t i) {
    fputc('[', out);
    for (ptrdiff_t j = 0; w->task.served && j < arrlen(w->parts[i].passage.sentences); j++) {
        const Job *job = &w->task.jobs[w->parts[i].first + j];
        if (j) fputc(',', out);
        fputs(job->alignment ? job->alignment : "null", out);
    }
    fputc(']', out);
}

static void write_detected(FILE *out, const Request *w, ptrdiff_t i) {
    (void)i;
    fprintf(out, "{\"confidence\":%.1f,\"language\":", w->confidence);
    json_string(out, w->detected);
    fputc('}', out);
}

static void write_pair(FILE *out, const Request *w, ptrdiff_t i) {
    const Job *job = &w->task.jobs[i];
    if (w->task.kind == JOB_ALIGN) {
        fputs(job->alignment, out);
        return;
    }
    fputs("{\"logProbability\":", out);
    json_number(out, job->log_probability, 6);
    fprintf(out, ",\"pieces\":%d,\"perplexity\":", job->pieces);
    json_number(out, exp(-job->log_probability / job->pieces), 6);
    fputc('}', out);
}

static void write_answer(FILE *out, const Request *w) {
    if (w->task.kind != JOB_TRANSLATE) {
        write_texts(out, w, "{", w->task.kind == JOB_ALIGN ? "alignment" : "score", write_pair);
    } else {
        write_texts(out, w, "{", "translatedText", write_translation);
        if (w->fields.alternatives) write_texts(out, w, ",", "alternatives", write_alternatives);
        if (w->fields.alignment) write_texts(out, w, ",", "alignment", write_alignments);
        if (w->detected) write_texts(out, w, ",", "detectedLanguage", write_detected);
    }
    fputs("}\n", out);
}

typedef struct Finish {
    const Request *request;
    Reply *reply;
} Finish;

static void finish(void *context) {
    const Finish *f = context;
    MemoryFile memory;
    size_t size;
    write_answer(memory_open(&memory), f->request);
    char *body = memory_close(&memory, &size);
    reply_body(f->reply, json_type, body, size);
}

static int no_memory(Reply *reply) { return reply_error(reply, 503, "Cannot translate text: out of memory"); }

static int broken(Reply *reply) { return reply_error(reply, 500, "Cannot translate text: internal error"); }

void endpoint_finish(Task *task, TaskEnd end, Reply *reply) {
    char reason[256];
    Scope scope = {0};
    Finish f = {(const Request *)task, reply};
    if (end == TASK_DONE) {
        const ScopeEnd written = scope_run(&scope, finish, &f, reason, sizeof reason);
        scope_forget(&scope);
        end = written == SCOPE_DONE ? TASK_DONE : written == SCOPE_REFUSED ? TASK_NO_MEMORY : TASK_FAILED;
        if (end != TASK_DONE) *reply = (Reply){0};
    }
    if (end == TASK_NO_MEMORY) no_memory(reply);
    if (end == TASK_FAILED) broken(reply);
}

/* ---------------------------------------------------------------------------------------------------------------- */

static void start(void *context) {
    Start *s = context;
    switch (s->asked->endpoint) {
    case ENDPOINT_PAGE: reply_fixed(s->reply, "text/html; charset=utf-8", page); break;
    case ENDPOINT_OPENAPI: reply_fixed(s->reply, json_type, openapi); break;
    case ENDPOINT_HEALTH: reply_fixed(s->reply, json_type, "{\"status\":\"ok\"}\n"); break;
    case ENDPOINT_LANGUAGES: reply_with(s, json_type, write_languages); break;
    case ENDPOINT_MODELS: reply_with(s, json_type, write_models); break;
    case ENDPOINT_SETTINGS: reply_with(s, json_type, write_settings); break;
    case ENDPOINT_METRICS: reply_with(s, "text/plain; version=0.0.4; charset=utf-8", write_metrics); break;
    case ENDPOINT_DETECT: detect_language(s); break;
    default: start_request(s);
    }
}

static bool may_read(const Start *s) {
    if (!route_is_guarded(s->asked->endpoint) || s->asked->endpoint != ENDPOINT_METRICS) return true;
    return s->service->keys->count == 0 || keys_have(s->service->keys, header_bearer(s->asked->authorization));
}

Task *endpoint_start(const Service *service, const Asked *asked, Reply *reply) {
    char reason[256];
    Scope scope = {0};
    Start s = {.service = service, .asked = asked, .reply = reply};
    *reply = (Reply){0};
    if (!may_read(&s)) {
        reply_error(reply, 403, "Invalid API key");
        return NULL;
    }
    const ScopeEnd end = scope_run(&scope, start, &s, reason, sizeof reason);
    scope_forget(&scope);
    if (end == SCOPE_DONE) return s.request ? &s.request->task : NULL;
    served_drop(s.held);
    *reply = (Reply){0};
    if (end == SCOPE_REFUSED) no_memory(reply);
    else broken(reply);
    return NULL;
}
