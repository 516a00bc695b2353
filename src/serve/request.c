#include "serve/request.h"

#include "serve/answer.h"
#include "serve/events.h"
#include "serve/header.h"
#include "io/ds.h"
#include "text/codes.h"
#include "text/entity.h"
#include "text/unicode.h"
#include "translate/explain.h"
#include "translate/prefix.h"

#include <strings.h>

static void request_free(Task *task) {
    Request *w = (Request *)task;
    for (ptrdiff_t i = 0; w->parts && i < arrlen(w->fields.q.list); i++) passage_free(&w->parts[i].passage);
    jobs_clear(task->jobs, task->count);
    mem_free(task->jobs);
    mem_free(w->parts);
    strings_free(w->given);
    arrfree(w->ids);
    prefix_free(&w->prefix);
    sentence_terms_free(&w->terms);
    glossary_free(&w->glossary);
    mem_free(w->file.url);
    lexicon_free(w->lexicon);
    mem_free((char *)w->detected);
    fields_free(&w->fields);
    served_drop(task->served);
    while (task->opening) task->opening = event_free(task->opening);
    mem_free(w);
}

/* Makes the reply an error that says that a field is missing. Returns -1. */
static int missing(const Start *s, const char *name) {
    return reply_error(s->reply, 400, "Invalid request: missing %s parameter", name);
}

const char *request_key(const Start *s, const Fields *fields) {
    const char *bearer = header_bearer(s->asked->authorization);
    return bearer ? bearer : fields->api_key;
}

/* The format of a file by the ending of its name; NULL: there is none for it. */
static const char *format_of_file(const char *name) {
    static const char *const formats[][2] = {{".txt", "text"}, {".srt", "srt"}, {".html", "html"}, {".htm", "html"}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (!strcasecmp(dot, formats[i][0])) return formats[i][1];
    return NULL;
}

/* Makes the file of the request its only text, in the format of the file. */
static int take_file(const Start *s, Fields *fields) {
    if (!s->service->downloads) return reply_error(s->reply, 403, "Files translation are disabled on this server.");
    if (!fields->file) return missing(s, "file");
    const char *format = format_of_file(fields->file_name);
    if (!format) return reply_error(s->reply, 400, "Invalid request: file format not supported");
    if (!utf8_valid(fields->file, fields->file_size) || memchr(fields->file, 0, fields->file_size))
        return reply_error(s->reply, 400, "Invalid request: the file is not text in UTF-8");
    strings_free(fields->q.list);
    fields->q = (Texts){0};
    arrput(fields->q.list, fields->file);
    fields->file = NULL;
    mem_free(fields->format);
    fields->format = mem_strdup(format);
    return 0;
}

int request_parse(const Start *s, Fields *fields) {
    const Asked *asked = s->asked;
    if (fields_parse(fields, asked->content_type, asked->body ? asked->body : "", asked->size, s->service->limits,
                     s->reply))
        return -1;
    const char *key = request_key(s, fields);
    if (keys_serve(s->service->keys, key)) return 0;
    return reply_error(s->reply, 403, "%s",
                       key ? "Invalid API key" : "Please contact the server operator to get an API key");
}

int request_fields(const Start *s, Fields *fields) {
    if (request_parse(s, fields)) return -1;
    if (s->asked->endpoint == ENDPOINT_FILE) return take_file(s, fields);
    return field_given(&fields->q) ? 0 : missing(s, "q");
}

Detected request_detect(const Fields *fields, char *const *codes) {
    return language_detect(fields->q.list, (int)arrlen(fields->q.list), (const char *const *)codes, (int)arrlen(codes));
}

/* ---- the model and the options --------------------------------------------------------------------------------- */

/* The model's code for the code of a request; NULL if no model has the language. */
static const char *known_code(char *const *codes, const char *code) {
    for (ptrdiff_t i = 0; i < arrlen(codes); i++)
        if (language_matches(code, codes[i])) return codes[i];
    return NULL;
}

/* Holds the model of a direction, as the account has taught it. NULL: there is none. */
static Served *find_model(const Start *s, const Fields *fields, const char *from, const char *to) {
    const Service *service = s->service;
    Served *served = models_find(service->models, from, to, fields->model);
    if (!served || !service->learning) return served;
    Served *learned =
        learning_hold(service->learning, accounts_of(service->accounts, request_key(s, fields)), served->place);
    if (!learned) return served;
    served_drop(served);
    return learned;
}

/* Finds the model. A translation into the same language needs none. */
static int choose_model(Start *s, char *const *codes) {
    Request *w = s->request;
    const Fields *fields = &w->fields;
    const char *source = fields->source, *target = fields->target;
    if (w->task.kind == JOB_TRANSLATE && (!source || !target)) return missing(s, source ? "target" : "source");
    if (!source || !strcmp(source, "auto")) {
        const Detected found = request_detect(fields, codes);
        source = w->detected = mem_strdup(codes[found.language]);
        w->confidence = found.confidence;
    }
    const char *from = known_code(codes, source), *to = target ? known_code(codes, target) : NULL;
    if (!from) return reply_error(s->reply, 400, "%s is not supported", source);
    if (target && !to) return reply_error(s->reply, 400, "%s is not supported", target);
    for (ptrdiff_t i = 0; !to && i < arrlen(codes); i++)
        if (models_translate(s->service->models, from, codes[i])) to = codes[i];
    w->spaced = to && !unspaced_language(to);
    if (to && !strcmp(from, to) && w->task.kind == JOB_TRANSLATE) return 0;
    if (to) s->held = w->task.served = find_model(s, fields, from, to);
    if (w->task.served) return 0;
    if (to && fields->model && models_translate(s->service->models, from, to))
        return reply_error(s->reply, 400, "%s is not a model that translates from %s to %s", fields->model, from, to);
    return reply_error(s->reply, 400, "%s (%s) is not available as a target language from %s (%s)",
                       to ? language_name(to) : "?", to ? to : "?", language_name(from), from);
}

/* The format of the texts as a PassageFormat; -1: there is none of this name. */
static int format_of(const Fields *fields) {
    static const char *const names[] = {[PASSAGE_TEXT] = "text", [PASSAGE_HTML] = "html", [PASSAGE_SUBTITLES] = "srt"};
    for (int i = PASSAGE_TEXT; fields->format && i <= PASSAGE_SUBTITLES; i++)
        if (!strcmp(fields->format, names[i])) return i;
    return fields->format ? -1 : PASSAGE_TEXT;
}

static int check_options(const Start *s) {
    Request *w = s->request;
    Fields *fields = &w->fields;
    const Served *served = w->task.served;
    const int most = s->service->limits->beam;
    if (format_of(fields) < 0) return reply_error(s->reply, 400, "%s format is not supported", fields->format);
    if (fields->search.beam > most || fields->alternatives >= most)
        return reply_error(s->reply, 400, "Invalid request: beam and alternatives are limited to %d", most);
    if (fields->candidates > most)
        return reply_error(s->reply, 400, "Invalid request: candidates are limited to %d", most);
    if (w->task.kind == JOB_ALIGN && fields->alignment == ALIGN_NOTHING) fields->alignment = ALIGN_PIECES;
    if (fields->alignment != ALIGN_NOTHING && served && !model_aligns(&served->translator.model))
        return reply_error(s->reply, 400, "Invalid request: this model has no alignment");
    return 0;
}

/* Sets the options of the search. */
static int set_search(Start *s) {
    Request *w = s->request;
    const Fields *fields = &w->fields;
    const Served *served = w->task.served;
    const Translator *const model = &served->translator;
    const int most = s->service->limits->beam;
    SearchOptions *search = &w->task.search;
    Err err;
    *search = fields->search;
    search->n_best = fields->alternatives + 1;
    search->tag = fields->tag;
    search->precision = fields->precision;
    search->glossary = fields->glossary ? &w->glossary : NULL;
    if (fields->lexicon && !(search->lexicon = w->lexicon = lexicon_parse(fields->lexicon, &err)))
        return reply_error(s->reply, 400, "Invalid request: lexicon, line %ld: %s", err.line, err.reason);
    if (!search->sample) {
        if (!search->beam) search->beam = model->options.beam_size;
        if (search->beam > most) search->beam = most;
        if (search->beam < search->n_best) search->beam = search->n_best;
    }
    if (search_options_check(search, &model, &served->name, 1, NAMES_OF_FIELDS, &err))
        return reply_error(s->reply, 400, "Invalid request: %s", err.reason);
    w->task.alignment = fields->alignment;
    w->task.candidates = fields->candidates;
    return 0;
}

/* Returns the number of ids, or -1 with an error in the reply if there are too many. */
static int check_count(const Start *s, const int *ids) {
    const int most = s->service->limits->pieces, n = (int)arrlen(ids);
    if (n <= most) return n;
    return reply_error(s->reply, 400, "Invalid request: request (%d) exceeds text limit (%d) of pieces in a sentence",
                       n, most);
}

/* Returns the number of pieces of a sentence, or -1 with an error in the reply if there are too many. */
static int check_length(const Start *s, const Side *side, const char *sentence) {
    int *ids = side_encode(side, sentence);
    const int n = check_count(s, ids);
    arrfree(ids);
    return n;
}

static int add_job(Start *s, const char *source, const Mark *marks, const char *target) {
    Task *task = &s->request->task;
    const Translator *translator = &task->served->translator;
    const int length = check_length(s, &translator->source, source);
    if (length < 0 || (target && check_length(s, &translator->target, target) < 0)) return -1;
    task->jobs[task->count++] =
        (Job){.source = source, .target = target, .marks = marks, .length = length, .task = task};
    return 0;
}

/* Whether translations may come from the memory: a given beginning, or a random translation, needs a search. */
static bool recalls(const Request *w) {
    const Fields *fields = &w->fields;
    return w->task.kind == JOB_TRANSLATE && !fields->forgets && !fields->prefix &&
           !field_given(&fields->prefix_pieces) && !w->task.search.sample;
}

/* The text as HTML. Takes the text over; the caller owns the result. */
static char *escaped(char *text) {
    MemoryFile memory;
    entities_write(memory_open(&memory), text, strlen(text));
    mem_free(text);
    return memory_close(&memory, NULL);
}

/* Gives a sentence the translation that is remembered. Markup inside of a sentence has no place in it. */
static void recall(const Start *s, Job *job) {
    const Accounts *accounts = s->service->accounts;
    Request *w = s->request;
    if (!accounts || job->marks || !recalls(w)) return;
    Account *account = accounts_of(accounts, request_key(s, &w->fields));
    char *text = accounts_find(accounts, account, &w->task.served->translator, job->source, &job->correction);
    if (!text) return;
    job->texts = mem_alloc(sizeof *job->texts);
    job->texts[0] = w->task.html ? escaped(text) : text;
    job->count = 1;
    job->remembered = true;
}

/* Splits the texts, and makes one job of each sentence. */
static int make_sentences(Start *s) {
    Request *w = s->request;
    const ptrdiff_t n = arrlen(w->fields.q.list);
    const char *language = w->task.served->translator.options.langs[0];
    const PassageFormat format = (PassageFormat)format_of(&w->fields);
    Err err;
    const int most = s->service->limits->sentences;
    long sentences = 0;
    w->task.html = format == PASSAGE_HTML;
    w->parts = mem_zalloc((size_t)(n ? n : 1) * sizeof *w->parts);
    for (ptrdiff_t i = 0; i < n; i++) {
        if (format == PASSAGE_SUBTITLES && subtitles_check(w->fields.q.list[i], &err))
            return reply_error(s->reply, 400, "Invalid request: line %ld: %s", err.line, err.reason);
        w->parts[i].passage = passage_split(w->fields.q.list[i], unspaced_language(language), format);
        sentences += arrlen(w->parts[i].passage.sentences);
        if (sentences > most)
            return reply_error(s->reply, 400, "Invalid request: request (%ld) exceeds text limit (%d) of sentences",
                               sentences, most);
    }
    w->task.jobs = mem_zalloc((size_t)(sentences ? sentences : 1) * sizeof *w->task.jobs);
    for (ptrdiff_t i = 0; i < n; i++) {
        w->parts[i].first = w->task.count;
        const Passage *passage = &w->parts[i].passage;
        for (ptrdiff_t k = 0; k < arrlen(passage->sentences); k++)
            if (add_job(s, passage->sentences[k], passage->marks[k], NULL)) return -1;
    }
    for (int i = 0; i < w->task.count; i++) recall(s, &w->task.jobs[i]);
    return 0;
}

/* Returns the normalised text, which the request owns. */
static char *normal_text(Request *w, const char *text) {
    char *normal = text_normalise(text, strlen(text), NULL);
    CHECK(normal, "a text that is not UTF-8");
    return arrput(w->given, normal);
}

/* Makes one job of the only text and of a step of its translation. */
static int make_step(Start *s) {
    Request *w = s->request;
    const Fields *fields = &w->fields;
    const Texts *pieces = &fields->translation_pieces;
    const Side *target = &w->task.served->translator.target;
    Err err;
    w->ids = field_given(pieces) ? side_piece_ids(target, pieces->list, (int)arrlen(pieces->list), &err)
                                 : side_encode(target, normal_text(w, fields->translation.list[0]));
    if (!w->ids) return reply_error(s->reply, 400, "Invalid request: %s", err.reason);
    if (check_count(s, w->ids) < 0) return -1;
    if (fields->step >= arrlen(w->ids))
        return reply_error(s->reply, 400, "Invalid request: step is %d, but the last one is %td", fields->step,
                           arrlen(w->ids) - 1);
    w->task.step = fields->step;
    w->task.top = fields->top;
    w->task.jobs = mem_zalloc(sizeof *w->task.jobs);
    if (add_job(s, normal_text(w, fields->q.list[0]), NULL, NULL)) return -1;
    w->task.jobs[0].ids = w->ids;
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
        char *normal = normal_text(w, i % 2 ? w->fields.translation.list[i / 2] : w->fields.q.list[i / 2]);
        if (i % 2 && add_job(s, w->given[i - 1], NULL, normal)) return -1;
    }
    return 0;
}

/* Gives the prefix to the only sentence. */
static int make_prefix(Start *s) {
    Request *w = s->request;
    const Fields *fields = &w->fields;
    const Texts *pieces = &fields->prefix_pieces;
    const Side *target = &w->task.served->translator.target;
    const int most = s->service->limits->pieces;
    Err err;
    if (!fields->prefix && !pieces->list) return 0;
    if (fields->prefix && pieces->list)
        return reply_error(s->reply, 400, "Invalid request: give either prefix or prefix_pieces");
    if (w->task.count > 1 || (!w->task.count && arrlen(fields->q.list) != 1))
        return reply_error(s->reply, 400, "Invalid request: a prefix needs a text of one sentence");
    const int status = fields->prefix
                           ? prefix_of_text(&w->prefix, target, fields->prefix, most, &err)
                           : prefix_of_pieces(&w->prefix, target, pieces->list, (int)arrlen(pieces->list), most, &err);
    if (status) return reply_error(s->reply, 400, "Invalid request: prefix: %s", err.reason);
    w->task.jobs[0].prefix = &w->prefix; /* if there is no sentence, the text of the answer is the prefix */
    return 0;
}

/* Reads the glossary of the request. */
static int make_glossary(Start *s) {
    Request *w = s->request;
    const Served *served = w->task.served;
    Err err;
    if (glossary_init(&w->glossary, lexicon_parse(w->fields.glossary, &err), &served->translator.target))
        return reply_error(s->reply, 400, "Invalid request: glossary, line %ld: %s", err.line, err.reason);
    if (w->glossary.unwritable)
        return reply_error(s->reply, 400, "Invalid request: glossary: the model cannot write '%.100s'",
                           w->glossary.example);
    if (served->glossary.terms) w->glossary.base = &served->glossary;
    return 0;
}

/* Gives each sentence its terms. */
static int make_terms(Start *s) {
    Request *w = s->request;
    Task *task = &w->task;
    if (w->fields.glossary && make_glossary(s)) return -1;
    const Glossary *glossary = w->fields.glossary ? &w->glossary : &task->served->glossary;
    if (!glossary->terms) return 0;
    char **sentences = mem_alloc((size_t)task->count * sizeof *sentences);
    for (int i = 0; i < task->count; i++) sentences[i] = (char *)task->jobs[i].source;
    w->terms = glossary_terms(glossary, sentences, task->count);
    mem_free(sentences);
    for (int i = 0; i < task->count; i++) {
        if (w->terms.list[i] && task->search.sample)
            return reply_error(s->reply, 400, "Invalid request: sample cannot follow the glossary of the server");
        task->jobs[i].constraints = w->terms.list[i];
    }
    return 0;
}

/* The number of characters of texts. */
static long count_characters(const Texts *texts) {
    long n = 0;
    for (ptrdiff_t i = 0; i < arrlen(texts->list); i++)
        for (const char *at = texts->list[i]; *at; n++) utf8_next(&at);
    return n;
}

/* Takes the texts from the quotas of the key. */
static int take_quota(const Start *s) {
    const Fields *fields = &s->request->fields;
    Key *key = keys_find(s->service->keys, request_key(s, fields));
    if (!key) return 0; /* the server has no keys */
    const long characters = count_characters(&fields->q) + count_characters(&fields->translation) +
                            count_characters(&fields->translation_pieces);
    const QuotaLeft left = key_take(key, characters, seconds_now());
    if (!left.exceeded) return 0;
    if (characters > left.exceeded->most)
        return reply_error(s->reply, 400, "Invalid request: request (%ld) exceeds text limit (%ld) of a %s", characters,
                           left.exceeded->most, left.period);
    reply_error(s->reply, 429, "Slowdown: this key has a quota of %ld characters a %s", left.exceeded->most,
                left.period);
    s->reply->retry_after = (int)left.wait + 1;
    return -1;
}

/* Sets the address and the name of the file with the translation. A proxy says in asked->proto whether the client uses
   TLS. */
static void make_file(const Start *s) {
    static const char *const types[] = {[PASSAGE_TEXT] = "text/plain; charset=utf-8",
                                        [PASSAGE_HTML] = "text/html; charset=utf-8",
                                        [PASSAGE_SUBTITLES] = "application/x-subrip; charset=utf-8"};
    const Asked *asked = s->asked;
    Request *w = s->request;
    MemoryFile memory;
    fprintf(memory_open(&memory), "%s://%s", asked->proto && !strcmp(asked->proto, "https") ? "https" : "http",
            asked->host ? asked->host : "localhost");
    w->file = (FileAnswer){
        .downloads = s->service->downloads, .type = types[format_of(&w->fields)], .url = memory_close(&memory, NULL)};
    download_name(w->file.name, w->fields.file_name, w->fields.target);
}

/* Checks that the request names one step of one translation. */
static int check_step(const Start *s) {
    enum { MOST_TOP = 100 };
    const Fields *fields = &s->request->fields;
    const Texts *translation = &fields->translation, *pieces = &fields->translation_pieces;
    if (fields->q.array || translation->array)
        return reply_error(s->reply, 400, "Invalid request: an explanation takes one text q and one translation");
    if (!translation->list && !field_given(pieces)) return missing(s, "translation");
    if (translation->list && field_given(pieces))
        return reply_error(s->reply, 400, "Invalid request: give either translation or translation_pieces");
    if (fields->top > MOST_TOP) return reply_error(s->reply, 400, "Invalid request: top is limited to %d", MOST_TOP);
    return 0;
}

/* Checks that the request of a search tree has one sentence. */
static int check_tree(const Start *s) {
    enum { MOST_PRUNED = 20 };
    Request *w = s->request;
    if (w->fields.q.array || w->task.count != 1)
        return reply_error(s->reply, 400, "Invalid request: a search tree takes a text q of one sentence");
    if (w->fields.pruned > MOST_PRUNED)
        return reply_error(s->reply, 400, "Invalid request: pruned is limited to %d", MOST_PRUNED);
    if (w->task.search.sample) return reply_error(s->reply, 400, "Invalid request: a search tree is not for sample");
    w->task.pruned = w->fields.pruned;
    return 0;
}

/* Makes the jobs of a search. */
static int make_search(Start *s) {
    const Task *task = &s->request->task;
    if (make_sentences(s) || (task->kind == JOB_SEARCH && check_tree(s)) || make_prefix(s)) return -1;
    return task->count ? make_terms(s) : 0;
}

/* Fills s->request. Returns 1 if the answer needs no search: it can be answered. */
static int make_request(Start *s) {
    Request *w = s->request;
    if (request_fields(s, &w->fields)) return -1;
    const Fields *fields = &w->fields;
    if (w->streams && fields->q.array) return reply_error(s->reply, 400, "Invalid request: a stream takes one text q");
    const JobKind kind = w->task.kind;
    if (kind == JOB_EXPLAIN && check_step(s)) return -1;
    if ((kind == JOB_ALIGN || kind == JOB_SCORE) && !field_given(&fields->translation))
        return missing(s, "translation");
    char **codes = models_codes(s->service->models);
    int status = choose_model(s, codes);
    strings_free(codes);
    if (status || check_options(s)) return -1;
    if (s->asked->endpoint == ENDPOINT_FILE) make_file(s);
    if (!w->task.served) return 1;
    if (set_search(s)) return -1;
    if (kind == JOB_TRANSLATE || kind == JOB_SEARCH) status = make_search(s);
    else status = kind == JOB_EXPLAIN ? make_step(s) : make_pairs(s);
    if (!status && w->task.count) status = take_quota(s);
    w->searches = task_remembered(&w->task) < w->task.count;
    return status ? -1 : !w->searches;
}

void request_start(Start *s) {
    Request *w = s->request = mem_zalloc(sizeof *s->request);
    const Endpoint endpoint = s->asked->endpoint;
    w->streams = endpoint == ENDPOINT_STREAM;
    if (endpoint == ENDPOINT_ALIGN) w->task.kind = JOB_ALIGN;
    if (endpoint == ENDPOINT_SCORE) w->task.kind = JOB_SCORE;
    if (endpoint == ENDPOINT_EXPLAIN) w->task.kind = JOB_EXPLAIN;
    if (endpoint == ENDPOINT_SEARCH) w->task.kind = JOB_SEARCH;
    w->task.release = request_free;
    const int status = make_request(s);
    if (status == 0 && w->streams) w->task.opening = event_opening(w);
    if (status == 0) return;
    if (status > 0) answer_reply(w, s->reply);
    request_free(&w->task);
    s->request = NULL;
    s->held = NULL;
}
