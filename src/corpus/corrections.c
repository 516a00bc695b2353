#include "corpus/corrections.h"

#include "corpus/tmx_write.h"
#include "io/ds.h"
#include "io/json.h"
#include "io/lines.h"
#include "io/string_table.h"
#include "text/unicode.h"

#include <errno.h>
#include <string.h>

/* ---- entries in memory ------------------------------------------------------------------------------------------- */

void correction_clear(Correction *c) {
    char *const texts[] = {c->time, c->model, c->langs[0], c->langs[1], c->source, c->translation, c->correction};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) mem_free(texts[i]);
    *c = (Correction){.id = c->id};
}

void corrections_free(Correction *corrections) {
    for (ptrdiff_t i = 0; i < arrlen(corrections); i++) correction_clear(&corrections[i]);
    arrfree(corrections);
}

char *correction_key(const Correction *c) {
    char *source = text_normalise(c->source, strlen(c->source), NULL);
    const size_t size = strlen(c->langs[0]) + strlen(c->langs[1]) + strlen(source) + 3;
    char *key = mem_alloc(size);
    snprintf(key, size, "%s\t%s\t%s", c->langs[0], c->langs[1], source);
    mem_free(source);
    return key;
}

const Correction **corrections_current(const Correction *all, int n) {
    StringTable keys = {0};
    const Correction **current = NULL;
    int *numbers = NULL, *last = NULL; /* the key of each correction; the last correction of each key */
    for (int i = 0; i < n; i++) {
        char *key = correction_key(&all[i]);
        arrput(numbers, string_table_add(&keys, key, strlen(key)));
        if (numbers[i] == arrlen(last)) arrput(last, i);
        last[numbers[i]] = i;
        mem_free(key);
    }
    for (int i = 0; i < n; i++)
        if (last[numbers[i]] == i) arrput(current, &all[i]);
    string_table_free(&keys);
    arrfree(numbers);
    arrfree(last);
    return current;
}

int corrections_find(const Correction *all, long id) {
    int first = 0, end = (int)arrlen(all);
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (all[middle].id < id) first = middle + 1;
        else end = middle;
    }
    return first < arrlen(all) && all[first].id == id ? first : -1;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool correction_time_valid(const char *text) {
    static const char form[] = "0000-00-00T00:00:00Z";
    if (strlen(text) != strlen(form)) return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
    return true;
}

/* The object in a line; NULL: there is none. */
static cJSON *parse_object(const char *line, size_t n) {
    enum { MOST_VALUES = 64 };
    if (!utf8_valid(line, n) || json_has_nul(line, n) || json_values(line, n) > MOST_VALUES) return NULL;
    cJSON *json = json_parse(line, n);
    if (!json && errno == ENOMEM) mem_refused(n);
    if (cJSON_IsObject(json)) return json;
    cJSON_Delete(json);
    return NULL;
}

static const cJSON *member(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* The id that a member has; 0: it is not one. */
static long id_of(const cJSON *item) {
    const double number = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return number >= 1 && number <= CORRECTION_IDS && number == (double)(long)number ? (long)number : 0;
}

/* Appends the correction of an object. Returns NULL, or what is wrong. */
static const char *take_correction(CorrectionLines *lines, const cJSON *object) {
    const cJSON *langs = member(object, "langs"), *item = member(object, "translation");
    const char *const time = cJSON_GetStringValue(member(object, "time"));
    const char *const model = cJSON_GetStringValue(member(object, "model"));
    const char *const source = cJSON_GetStringValue(member(object, "source"));
    const char *const correction = cJSON_GetStringValue(member(object, "correction"));
    const char *const translation = cJSON_GetStringValue(item);
    const char *code[2];
    const long id = id_of(member(object, "id"));
    for (int i = 0; i < 2; i++) code[i] = cJSON_GetStringValue(cJSON_GetArrayItem(langs, i));
    if (id <= lines->last_id) return "\"id\" is not a whole number above the ids before it";
    if (!time || !correction_time_valid(time)) return "\"time\" is not as in \"2026-11-29T12:00:00Z\"";
    if (!cJSON_IsArray(langs) || cJSON_GetArraySize(langs) != 2 || !code[0] || !code[1])
        return "\"langs\" is not an array of two strings";
    if (!model || !source || !correction) return "\"model\", \"source\" or \"correction\" is not a string";
    if (item && !translation && !cJSON_IsNull(item)) return "\"translation\" is not a string";
    const Correction entry = {
        .id = id,
        .time = mem_strdup(time),
        .model = mem_strdup(model),
        .langs = {mem_strdup(code[0]), mem_strdup(code[1])},
        .source = mem_strdup(source),
        .translation = translation ? mem_strdup(translation) : NULL,
        .correction = mem_strdup(correction),
    };
    arrput(lines->all, entry);
    lines->last_id = id;
    return NULL;
}

/* Takes what a line says. Returns NULL, or what is wrong. */
static const char *take_object(CorrectionLines *lines, const cJSON *object) {
    const cJSON *deleted = member(object, "deleted");
    if (!deleted) return take_correction(lines, object);
    const long id = id_of(deleted);
    const int i = corrections_find(lines->all, id);
    if (id == 0) return "\"deleted\" is not the id of a correction";
    if (i >= 0) correction_clear(&lines->all[i]);
    if (id > lines->last_id) lines->last_id = id;
    return NULL;
}

static bool is_blank_line(const char *line, size_t n) { return n == 0 || (strspn(line, " \t\r\n") >= n); }

/* Takes a line of n bytes; `whole`: it ends in a newline. Returns 1, or 0 if it is an incomplete line, or -1 with *err
   filled. */
static int take_line(CorrectionLines *lines, const char *line, size_t n, bool whole, const char *path, long number,
                     Err *err) {
    cJSON *object = parse_object(line, n);
    if (!object && !whole) return 0;
    if (!object && is_blank_line(line, n)) return 1;
    const char *wrong = object ? take_object(lines, object) : "line is not an object of JSON as tide writes it";
    cJSON_Delete(object);
    return wrong ? err_set(err, path, number, "%s", wrong) : 1;
}

/* Removes the deleted entries. Returns their number. */
static int compact(CorrectionLines *lines) {
    int kept = 0;
    const int n = (int)arrlen(lines->all);
    for (int i = 0; i < n; i++)
        if (lines->all[i].source) lines->all[kept++] = lines->all[i];
    if (n > 0) arrsetlen(lines->all, (size_t)kept);
    return n - kept;
}

int corrections_parse(CorrectionLines *lines, const char *bytes, size_t size, const char *path, Err *err) {
    int status = 1;
    *lines = (CorrectionLines){0};
    arrsetcap(lines->all, 1); /* not NULL */
    for (long number = 1; status > 0 && lines->size < size; number++) {
        const char *line = bytes + lines->size, *newline = memchr(line, '\n', size - lines->size);
        const size_t n = newline ? (size_t)(newline - line) : size - lines->size;
        status = take_line(lines, line, n, newline, path, number, err);
        if (status > 0) lines->size += n + (newline != NULL);
        lines->open_end = status > 0 && !newline;
    }
    if (status < 0) corrections_free(lines->all);
    else lines->deleted = compact(lines);
    return status < 0 ? -1 : 0;
}

Correction *corrections_read(const char *path, Err *err) {
    CorrectionLines lines;
    size_t size;
    char *bytes = text_read(path, &size, err);
    if (!bytes) return NULL;
    const int status = corrections_parse(&lines, bytes, size, path, err);
    mem_free(bytes);
    return status ? NULL : lines.all;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void correction_write(FILE *out, const Correction *c) {
    fprintf(out, "{\"id\":%ld", c->id);
    json_print(out, ",\"time\":%s,\"model\":%s,\"langs\":[%s,%s],\"source\":%s", c->time, c->model, c->langs[0],
               c->langs[1], c->source);
    if (c->translation) json_print(out, ",\"translation\":%s", c->translation);
    json_print(out, ",\"correction\":%s}\n", c->correction);
}

static void write_unit(FILE *out, const Correction *c) {
    const char *texts[2] = {c->source, c->correction};
    fprintf(out, "<tu tuid=\"%ld\" creationdate=\"", c->id);
    for (const char *t = c->time; *t; t++) /* 20261129T120000Z */
        if (*t != '-' && *t != ':') fputc(*t, out);
    fputs("\" srclang=\"", out);
    tmx_write_text(out, c->langs[0]);
    fputs("\">\n<prop type=\"x-model\">", out);
    tmx_write_text(out, c->model);
    fputs("</prop>\n", out);
    for (int i = 0; i < 2; i++) tmx_write_segment(out, c->langs[i], texts[i]);
    fputs("</tu>\n", out);
}

void corrections_write_tmx(FILE *out, const Correction *const *corrections, int n) {
    tmx_write_start(out);
    for (int i = 0; i < n; i++) write_unit(out, corrections[i]);
    tmx_write_end(out);
}
