#include "corpus/jsonl.h"

#include "io/json.h"
#include "text/codes.h"

#include <errno.h>
#include <string.h>

enum { MOST_VALUES = 1 << 16 };

static bool is_blank_line(const LineReader *lines) { return strspn(lines->line, " \t\r") == lines->length; }

/* The member of an object with the text in a language; NULL: there is none. */
static const cJSON *find_text(const cJSON *object, const char *lang) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, lang), *item;
    if (found) return found;
    cJSON_ArrayForEach(item, object) if (language_is_variant(item->string, lang)) return item;
    return NULL;
}

/* Keeps the names of the first object without both languages. */
static void keep_names(Jsonl *jsonl, const cJSON *object) {
    const cJSON *item;
    if (*jsonl->seen) return;
    cJSON_ArrayForEach(item, object) {
        const size_t n = strlen(jsonl->seen);
        snprintf(jsonl->seen + n, sizeof jsonl->seen - n, " %.30s", item->string);
    }
}

static int parse(Jsonl *jsonl, const LineReader *lines, Err *err) {
    const long number = lines->number;
    if (json_has_nul(lines->line, lines->length)) return err_set(err, lines->path, number, "line holds a NUL");
    if (json_values(lines->line, lines->length) > MOST_VALUES)
        return err_set(err, lines->path, number, "line has more than %d values of JSON", MOST_VALUES);
    jsonl->line = json_parse(lines->line, lines->length);
    if (!jsonl->line && errno == ENOMEM) mem_refused(lines->length);
    if (!cJSON_IsObject(jsonl->line)) return err_set(err, lines->path, number, "line is not an object of JSON");
    return 0;
}

int jsonl_parse(Jsonl *jsonl, const LineReader *lines, const char *const langs[2], Err *err) {
    const cJSON *item[2];
    jsonl->text[0] = jsonl->text[1] = "";
    cJSON_Delete(jsonl->line);
    jsonl->line = NULL;
    if (is_blank_line(lines)) return 0;
    if (parse(jsonl, lines, err)) return -1;
    const cJSON *inner = cJSON_GetObjectItemCaseSensitive(jsonl->line, "translation");
    const cJSON *object = cJSON_IsObject(inner) ? inner : jsonl->line;
    for (int i = 0; i < 2; i++) {
        item[i] = find_text(object, langs[i]);
        if (cJSON_IsString(item[i])) jsonl->text[i] = item[i]->valuestring;
        else if (item[i] && !cJSON_IsNull(item[i]))
            return err_set(err, lines->path, lines->number, "\"%.30s\" is not a string", item[i]->string);
    }
    if (item[0] && item[1]) jsonl->both++;
    else keep_names(jsonl, object);
    return 0;
}

int jsonl_end(const Jsonl *jsonl, const LineReader *lines, const char *const langs[2], Err *err) {
    if (jsonl->both || !*jsonl->seen) return 0;
    return err_set(err, lines->path, 0, "no line has both \"%s\" and \"%s\"; the names are:%s", langs[0], langs[1],
                   jsonl->seen);
}

void jsonl_free(Jsonl *jsonl) { cJSON_Delete(jsonl->line); }
