#include "serve/fields.h"

#include "core/scope.h"
#include "serve/header.h"
#include "serve/multipart.h"
#include "io/ds.h"
#include "io/json.h"
#include "text/unicode.h"
#include "translate/explain.h"
#include "translate/search_tree.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ---- fields of all formats of the body ------------------------------------------------------------------------- */

/* The place of a field of this name and of one type; NULL if the name is another. `fields` is never NULL, which the
   attribute tells static analysis. */
static __attribute__((nonnull)) char **word_of(Fields *fields, const char *name) {
    if (!strcmp(name, "source")) return &fields->source;
    if (!strcmp(name, "target")) return &fields->target;
    if (!strcmp(name, "format")) return &fields->format;
    if (!strcmp(name, "model")) return &fields->model;
    if (!strcmp(name, "prefix")) return &fields->prefix;
    if (!strcmp(name, "glossary")) return &fields->glossary;
    if (!strcmp(name, "tag")) return &fields->tag;
    if (!strcmp(name, "precision")) return &fields->precision;
    if (!strcmp(name, "lexicon")) return &fields->lexicon;
    if (!strcmp(name, "correction") || !strcmp(name, "s")) return &fields->correction; /* s: of /suggest */
    return !strcmp(name, "api_key") ? &fields->api_key : NULL;
}

static __attribute__((nonnull)) Texts *texts_of(Fields *fields, const char *name) {
    if (!strcmp(name, "q")) return &fields->q;
    if (!strcmp(name, "prefix_pieces")) return &fields->prefix_pieces;
    if (!strcmp(name, "translation_pieces")) return &fields->translation_pieces;
    return !strcmp(name, "translation") ? &fields->translation : NULL;
}

static __attribute__((nonnull)) int *number_of(Fields *fields, const char *name) {
    if (!strcmp(name, "alternatives")) return &fields->alternatives;
    if (!strcmp(name, "candidates")) return &fields->candidates;
    if (!strcmp(name, "step")) return &fields->step;
    if (!strcmp(name, "top")) return &fields->top;
    if (!strcmp(name, "pruned")) return &fields->pruned;
    if (!strcmp(name, "id")) return &fields->id;
    if (!strcmp(name, "generation")) return &fields->generation;
    return NULL;
}

/* The search option that is a field of this name; NULL if there is none. */
static const SearchOption *option_of(const char *name) {
    const SearchOption *option = search_option_rows;
    while (option->name && (!option->request || strcmp(option->name, name) != 0)) option++;
    return option->name ? option : NULL;
}

static int not_utf8(Reply *reply) { return reply_error(reply, 400, "Invalid request: the body is not valid UTF-8"); }
static int wrong(Reply *reply, const char *name) { return reply_error(reply, 400, "Invalid request: bad %s", name); }

static int set_number(int *field, const char *name, double value, Reply *reply) {
    const int most = !strcmp(name, "id") || !strcmp(name, "generation") ? INT_MAX : 1000;
    if (!(value >= 0 && value <= most) || value != floor(value)) return wrong(reply, name);
    *field = (int)value;
    return 0;
}

/* Sets a search option to a number. */
static int set_option(Fields *fields, const SearchOption *option, double value, Reply *reply) {
    void *field = (char *)&fields->search + option->offset;
    Err err;
    if (option->kind != SEARCH_REAL && value != floor(value)) return wrong(reply, option->name);
    if (search_option_check(option, value, NAMES_OF_FIELDS, &err))
        return reply_error(reply, 400, "Invalid request: %s", err.reason);
    if (option->kind == SEARCH_INT) *(int *)field = (int)value;
    else *(double *)field = value;
    return 0;
}

/* Sets a search option from text. */
static int set_option_text(Fields *fields, const SearchOption *option, const char *value, Reply *reply) {
    bool *field = (bool *)((char *)&fields->search + option->offset);
    char *end;
    if (option->kind == SEARCH_SWITCH) {
        if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0) return wrong(reply, option->name);
        *field = value[0] == 't';
        return 0;
    }
    const double parsed = strtod(value, &end);
    return *end || !*value ? wrong(reply, option->name) : set_option(fields, option, parsed, reply);
}

static int add_text(Fields *fields, Texts *texts, const char *text, const Limits *limits, Reply *reply) {
    const bool pieces = texts == &fields->prefix_pieces || texts == &fields->translation_pieces;
    const int most = pieces ? limits->pieces : limits->sentences;
    if (arrlen(texts->list) >= most)
        return reply_error(reply, 400, "Invalid request: request (%d) exceeds text limit (%d)", most + 1, most);
    arrput(texts->list, mem_strdup(text));
    return 0;
}

static int set_alignment(Fields *fields, const char *unit, Reply *reply) {
    if (!strcmp(unit, "piece") || !strcmp(unit, "true")) fields->alignment = ALIGN_PIECES;
    else if (!strcmp(unit, "word")) fields->alignment = ALIGN_WORDS;
    else if (*unit && strcmp(unit, "false") != 0)
        return reply_error(reply, 400, "Invalid request: alignment must be piece or word");
    else fields->alignment = ALIGN_NOTHING;
    return 0;
}

static bool is_switch(const char *name) {
    return !strcmp(name, "memory") || !strcmp(name, "unknown") || !strcmp(name, "confidence");
}

static int set_switch(Fields *fields, const char *name, const char *value, Reply *reply) {
    const bool on = !strcmp(value, "true");
    if (!on && strcmp(value, "false") != 0) return wrong(reply, name);
    if (!strcmp(name, "memory")) fields->forgets = !on;
    else if (!strcmp(name, "unknown")) fields->unknown = on;
    else fields->confidence = on;
    return 0;
}

/* Sets a field from text. */
static int set_text(Fields *fields, const char *name, const char *value, const Limits *limits, Reply *reply) {
    char **word = word_of(fields, name), *end;
    Texts *texts = texts_of(fields, name);
    int *number = number_of(fields, name);
    const SearchOption *option = word ? NULL : option_of(name);
    if (option) return set_option_text(fields, option, value, reply);
    if (texts) return add_text(fields, texts, value, limits, reply);
    if (!strcmp(name, "alignment")) return set_alignment(fields, value, reply);
    if (is_switch(name)) return set_switch(fields, name, value, reply);
    if (number) {
        const double parsed = strtod(value, &end);
        return *end || !*value ? wrong(reply, name) : set_number(number, name, parsed, reply);
    }
    if (word) *word = mem_strdup(value);
    return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static int set_array(Fields *fields, const cJSON *field, const Limits *limits, Reply *reply) {
    Texts *texts = texts_of(fields, field->string);
    const cJSON *item;
    if (!texts) return wrong(reply, field->string);
    texts->array = true;
    cJSON_ArrayForEach(item, field) {
        if (!cJSON_IsString(item)) return wrong(reply, field->string);
        if (add_text(fields, texts, item->valuestring, limits, reply)) return -1;
    }
    return 0;
}

static bool is_field(Fields *fields, const char *name) {
    return texts_of(fields, name) || number_of(fields, name) || word_of(fields, name) || option_of(name) ||
           !strcmp(name, "alignment") || is_switch(name);
}

static int set_json(Fields *fields, const cJSON *field, const Limits *limits, Reply *reply) {
    int *number = number_of(fields, field->string);
    const SearchOption *option = option_of(field->string);
    if (cJSON_IsNull(field) || !is_field(fields, field->string)) return 0;
    if (cJSON_IsString(field)) return set_text(fields, field->string, field->valuestring, limits, reply);
    if (cJSON_IsNumber(field) && number) return set_number(number, field->string, field->valuedouble, reply);
    if (cJSON_IsNumber(field) && option && (option->kind == SEARCH_INT || option->kind == SEARCH_REAL))
        return set_option(fields, option, field->valuedouble, reply);
    if (cJSON_IsBool(field) && option && option->kind == SEARCH_SWITCH)
        return set_option_text(fields, option, cJSON_IsTrue(field) ? "true" : "false", reply);
    if (cJSON_IsBool(field) && (!strcmp(field->string, "alignment") || is_switch(field->string)))
        return set_text(fields, field->string, cJSON_IsTrue(field) ? "true" : "false", limits, reply);
    return cJSON_IsArray(field) ? set_array(fields, field, limits, reply) : wrong(reply, field->string);
}

/* Whether a later field has the same name. The last one counts, as in Python's reader of JSON. */
static bool is_repeated(const cJSON *field) {
    for (const cJSON *later = field->next; later; later = later->next)
        if (!strcmp(later->string, field->string)) return true;
    return false;
}

static void delete_json(void *json) { cJSON_Delete(json); }

static int parse_json(Fields *fields, const char *body, size_t n, const Limits *limits, Reply *reply) {
    const size_t most_values =
        2 * (size_t)limits->sentences + (size_t)limits->pieces + 64; /* memory grows with the number of values */
    if (json_values(body, n) > most_values)
        return reply_error(reply, 400, "Invalid request: request exceeds text limit (%d)", limits->sentences);
    if (json_has_nul(body, n)) return reply_error(reply, 400, "Invalid request: a text has a NUL");
    cJSON *json = json_parse(body, n), *field;
    if (!json && errno == ENOMEM) mem_refused(0);
    if (!json) return reply_error(reply, 400, "Invalid request: the body is not valid JSON");
    scope_own(json, delete_json);
    int status = cJSON_IsObject(json) ? 0 : reply_error(reply, 400, "Invalid request: the body is not a JSON object");
    for (field = json->child; field && !status; field = field->next)
        if (!is_repeated(field)) status = set_json(fields, field, limits, reply);
    scope_disown(json, delete_json);
    cJSON_Delete(json);
    return status;
}

/* ---- forms ----------------------------------------------------------------------------------------------------- */

static int hex(char c) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)((at - digits) & 15) : -1;
}

char *form_decode(const char *bytes, size_t n) {
    char *text = mem_alloc(n + 1), *out = text;
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        char c = bytes[i] == '+' ? ' ' : bytes[i];
        if (c == '%') {
            const int high = i + 2 < n ? hex(bytes[i + 1]) : -1, low = i + 2 < n ? hex(bytes[i + 2]) : -1;
            good = high >= 0 && low >= 0;
            c = good ? (char)(high * 16 + low) : 'x';
            i += 2;
        }
        good = good && c;
        *out++ = c;
    }
    *out = '\0';
    if (good && utf8_valid(text, (size_t)(out - text))) return text;
    mem_free(text);
    return NULL;
}

static int broken_form(Reply *reply) { return reply_error(reply, 400, "Invalid request: the form is not valid"); }

/* Whether the form had no field of this name before. */
static bool is_new(Fields *fields, const char *name) {
    for (ptrdiff_t i = 0; i < arrlen(fields->given); i++)
        if (!strcmp(fields->given[i], name)) return false;
    arrput(fields->given, mem_strdup(name));
    return true;
}

/* Sets a field of a form, and releases both texts. A text that is NULL could not be decoded. */
static int take_text(Fields *fields, char *name, char *value, const Limits *limits, Reply *reply) {
    int status = 0;
    if (!name || !value) status = broken_form(reply);
    else if (texts_of(fields, name) || (is_field(fields, name) && is_new(fields, name)))
        status = set_text(fields, name, value, limits, reply);
    mem_free(name);
    mem_free(value);
    return status;
}

static int set_pair(Fields *fields, const char *pair, size_t n, const Limits *limits, Reply *reply) {
    const char *equals = memchr(pair, '=', n);
    const size_t name_length = equals ? (size_t)(equals - pair) : n;
    char *name = form_decode(pair, name_length),
         *value = equals ? form_decode(equals + 1, n - name_length - 1) : mem_strdup("");
    return take_text(fields, name, value, limits, reply);
}

static int parse_form(Fields *fields, const char *body, size_t n, const Limits *limits, Reply *reply) {
    for (const char *at = body, *end = body + n; at < end;) {
        const char *cut = memchr(at, '&', (size_t)(end - at));
        if (!cut) cut = end;
        if (cut > at && set_pair(fields, at, (size_t)(cut - at), limits, reply)) return -1;
        at = cut + 1;
    }
    return 0;
}

static int set_part(Fields *fields, const FormPart *part, const Limits *limits, Reply *reply) {
    if (!utf8_valid(part->name, part->name_length) || !utf8_valid(part->value, part->value_length))
        return not_utf8(reply);
    if (memchr(part->name, 0, part->name_length) || memchr(part->value, 0, part->value_length))
        return broken_form(reply);
    return take_text(fields, mem_strndup(part->name, part->name_length), mem_strndup(part->value, part->value_length),
                     limits, reply);
}

/* Keeps the first file in the field `file`. */
static void set_file(Fields *fields, const FormPart *part) {
    static const char name[] = "file";
    if (part->name_length != strlen(name) || memcmp(part->name, name, strlen(name)) != 0 || fields->file) return;
    fields->file = mem_strndup(part->value, part->value_length);
    fields->file_size = part->value_length;
    fields->file_name = mem_strndup(part->file, part->file_length);
}

static int parse_multipart(Fields *fields, const char *content_type, const char *body, size_t n, const Limits *limits,
                           Reply *reply) {
    char boundary[BOUNDARY_SIZE];
    FormPart part;
    const char *at = body, *const end = body + n;
    if (multipart_boundary(content_type, boundary)) return broken_form(reply);
    int found = multipart_next(&at, end, boundary, &part);
    for (; found > 0; found = multipart_next(&at, end, boundary, &part)) {
        if (part.file) set_file(fields, &part);
        else if (set_part(fields, &part, limits, reply)) return -1;
    }
    return found ? broken_form(reply) : 0;
}

/* ---------------------------------------------------------------------------------------------------------------- */

int fields_parse(Fields *fields, const char *content_type, const char *body, size_t n, const Limits *limits,
                 Reply *reply) {
    const BodyKind kind = header_body_kind(content_type);
    *fields = (Fields){.search = search_options_default(), .top = STEP_WORDS, .pruned = TREE_PRUNED, .generation = -1};
    if (kind == BODY_OTHER) return reply_error(reply, 415, "Send application/json or a form");
    if (kind != BODY_MULTIPART && !utf8_valid(body, n)) return not_utf8(reply); /* a form of parts may have files */
    if (kind == BODY_JSON) return parse_json(fields, body, n, limits, reply);
    const int status = kind == BODY_FORM ? parse_form(fields, body, n, limits, reply)
                                         : parse_multipart(fields, content_type, body, n, limits, reply);
    fields->q.array = arrlen(fields->q.list) > 1;
    fields->translation.array = arrlen(fields->translation.list) > 1;
    return status;
}

void fields_free(Fields *fields) {
    strings_free(fields->q.list);
    strings_free(fields->translation.list);
    strings_free(fields->prefix_pieces.list);
    strings_free(fields->translation_pieces.list);
    strings_free(fields->given);
    mem_free(fields->file);
    mem_free(fields->file_name);
    mem_free(fields->prefix);
    mem_free(fields->glossary);
    mem_free(fields->tag);
    mem_free(fields->precision);
    mem_free(fields->lexicon);
    mem_free(fields->correction);
    mem_free(fields->source);
    mem_free(fields->target);
    mem_free(fields->format);
    mem_free(fields->model);
    mem_free(fields->api_key);
    *fields = (Fields){0};
}
