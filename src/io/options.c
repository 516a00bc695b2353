#include "io/options.h"
#include "core/choice.h"
#include "io/files.h"
#include "io/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 4 /* of an option */ };

const Option *option_next(const Option *const *tables, const Option *before) {
    for (; *tables; tables++)
        for (const Option *o = *tables; o->name; o++) {
            if (!before) return o;
            if (o == before) before = NULL;
        }
    return NULL;
}

const Option *option_find(const Option *const *tables, const char *name) {
    const Option *option = NULL;
    while ((option = option_next(tables, option)) && strcmp(option->name, name) != 0) continue;
    return option;
}

/* ---- one value ------------------------------------------------------------------------------------------------ */

static int set_text(char *to, const Option *option, const char *value, Err *err) {
    size_t n = strlen(value);
    if (n == 0 || n >= OPTION_TEXT_SIZE || strpbrk(value, " \t\r\n=#") || !utf8_valid(value, n))
        return err_set(err, NULL, 0, "%s cannot be '%s'", option->name, value);
    snprintf(to, OPTION_TEXT_SIZE, "%s", value);
    return 0;
}

static int parse_choice(const Option *option, const char *value, int *choice, Err *err) {
    const int index = choice_find(option->choices, value);
    if (index >= 0) return *choice = index, 0;
    return err_set(err, NULL, 0, "%s must be one of %s, not '%s'", option->name, option->choices, value);
}

static int parse_number(const Option *option, const char *value, double *number, Err *err) {
    const bool whole = option->kind != OPTION_REAL, or_zero = option->kind == OPTION_INT_OR_ZERO;
    const double least = or_zero ? 0 : option->least;
    char *end;
    const double x = strtod(value, &end);
    if (end == value || *end || !isfinite(x) || (whole && x != floor(x)))
        return err_set(err, NULL, 0, "%s needs a %snumber, not '%s'", option->name, whole ? "whole " : "", value);
    if (x < least || x > option->most)
        return err_set(err, NULL, 0, "%s must be between %g and %g, not %s", option->name, least, option->most, value);
    if (x != 0 && x < option->least)
        return err_set(err, NULL, 0, "%s must be 0 or at least %g", option->name, option->least);
    *number = x;
    return 0;
}

/* Parses value i of an option. After an error the field has not changed. */
static int set_value(const Option *option, void *options, int i, const char *value, Err *err) {
    void *at = (char *)options + option->offset;
    int *ints = at, choice = 0;
    double *reals = at, number = 0;
    bool *switches = at;
    char(*texts)[OPTION_TEXT_SIZE] = at;
    switch (option->kind) {
    case OPTION_INT:
    case OPTION_INT_OR_ZERO:
        if (parse_number(option, value, &number, err)) return -1;
        ints[i] = (int)number;
        break;
    case OPTION_REAL: return parse_number(option, value, &reals[i], err);
    case OPTION_TEXT: return set_text(texts[i], option, value, err);
    case OPTION_CHOICE:
    case OPTION_LIST: return parse_choice(option, value, &ints[i], err);
    case OPTION_SWITCH:
        if (parse_choice(option, value, &choice, err)) return -1;
        switches[i] = choice;
        break;
    }
    return 0;
}

/* Sets the values of a list. After an error the field has not changed. */
static int set_list(const Option *option, void *options, const char *const *values, int count, Err *err) {
    int *list = (int *)((char *)options + option->offset), found[MOST_VALUES];
    if (count < 1 || count > option->values)
        return err_set(err, NULL, 0, "%s needs 1 to %d values", option->name, option->values);
    for (int i = 0; i < count; i++) {
        int index = 0;
        if (parse_choice(option, values[i], &index, err)) return -1;
        for (int k = 0; k < i; k++)
            if (found[k] == index) return err_set(err, NULL, 0, "%s has '%s' twice", option->name, values[i]);
        found[i] = index;
    }
    for (int i = 0; i < option->values; i++) list[i] = i < count ? found[i] : -1;
    return 0;
}

int option_set(const Option *option, void *options, const char *const *values, int count, Err *err) {
    if (option->kind == OPTION_LIST) return set_list(option, options, values, count, err);
    if (count != option->values)
        return err_set(err, NULL, 0, "%s needs %d value%s", option->name, option->values,
                       option->values > 1 ? "s" : "");
    int status = 0;
    for (int i = 0; i < count && !status; i++) status = set_value(option, options, i, values[i], err);
    return status;
}

static int format_choice(const char *choices, int index, char *to, size_t room) {
    int length;
    const char *name = choice_name(choices, index, &length);
    return snprintf(to, room, "%.*s", length, name);
}

/* Formats value i of an option; returns its length. */
static int format_value(const Option *option, const void *options, int i, char *to, size_t room) {
    const void *at = (const char *)options + option->offset;
    const int *ints = at;
    const double *reals = at;
    const bool *switches = at;
    const char(*texts)[OPTION_TEXT_SIZE] = at;
    switch (option->kind) {
    case OPTION_INT:
    case OPTION_INT_OR_ZERO: return snprintf(to, room, "%d", ints[i]);
    case OPTION_REAL: return snprintf(to, room, "%.9g", reals[i]);
    case OPTION_TEXT: return snprintf(to, room, "%s", texts[i]);
    case OPTION_CHOICE:
    case OPTION_LIST: return format_choice(option->choices, ints[i], to, room);
    case OPTION_SWITCH: return format_choice(option->choices, switches[i], to, room);
    }
    return 0;
}

void option_format(const Option *option, const void *options, char text[OPTION_FORMAT_SIZE]) {
    const int *list = (const int *)((const char *)options + option->offset);
    for (int i = 0, n = 0; i < option->values; i++) {
        if (option->kind == OPTION_LIST && list[i] < 0) break;
        if (i) text[n++] = ' ';
        n += format_value(option, options, i, text + n, OPTION_FORMAT_SIZE - (size_t)n);
    }
}

/* ---- all of them ---------------------------------------------------------------------------------------------- */

/* Sets an option from values separated by white space; changes the text. */
static int set_words(const Option *option, void *options, char *text, Err *err) {
    const char *values[MOST_VALUES + 1];
    int n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\r", &rest); word && n <= MOST_VALUES; word = strtok_r(NULL, " \t\r", &rest))
        values[n++] = word;
    CHECK(option->values <= MOST_VALUES, "%s takes %d values", option->name, option->values);
    return option_set(option, options, values, n, err);
}

void options_default(const Option *const *tables, void *options) {
    for (const Option *o = NULL; (o = option_next(tables, o));) {
        char text[OPTION_FORMAT_SIZE];
        Err err;
        snprintf(text, sizeof text, "%s", o->fallback);
        int failed = set_words(o, options, text, &err);
        CHECK(!failed, "the default of %s: %s", o->name, err.reason);
    }
}

static int read_line(const Option *const *tables, void *options, char *line, Unknown unknown, Err *err) {
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t\r");
    if (!*line) return 0;
    size_t length = strcspn(line, " \t=\r");
    char *equals = line + length + strspn(line + length, " \t\r");
    if (*equals != '=') return err_set(err, NULL, 0, "expected `key = value`");
    line[length] = '\0';
    const Option *option = option_find(tables, line);
    if (option) return set_words(option, options, equals + 1, err);
    if (unknown == UNKNOWN_SKIP) return 0;
    char dashes[41];
    snprintf(dashes, sizeof dashes, "%s", line);
    for (char *c = dashes; *c; c++)
        if (*c == '_') *c = '-';
    const bool similar = option_find(tables, dashes);
    return err_set(err, NULL, 0, "unknown key '%.40s'%s%s%s", line, similar ? "; did you mean " : "",
                   similar ? dashes : "", similar ? "?" : "");
}

int options_read(const Option *const *tables, void *options, const char *text, const char *path, Unknown unknown,
                 Err *err) {
    const char *mark = "\xEF\xBB\xBF"; /* a byte order mark is skipped */
    char *copy = mem_strdup(starts_with(text, mark) ? text + strlen(mark) : text), *line = copy;
    int status = 0;
    for (long number = 1; line && !status; number++) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        Err why;
        if (read_line(tables, options, line, unknown, &why)) status = err_set(err, path, number, "%s", why.reason);
        line = end ? end + 1 : NULL;
    }
    mem_free(copy);
    return status;
}

char *options_format(const Option *const *tables, const void *options) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (const Option *o = NULL; (o = option_next(tables, o));) {
        char value[OPTION_FORMAT_SIZE];
        if (o->resume == RESUME_FREE) continue;
        option_format(o, options, value);
        fprintf(out, "%s = %s\n", o->name, value);
    }
    return memory_close(&memory, NULL);
}

const Option *options_differ(const Option *const *tables, const Option *after, const void *a, const void *b,
                             char left[OPTION_FORMAT_SIZE], char right[OPTION_FORMAT_SIZE]) {
    for (const Option *o = after; (o = option_next(tables, o));) {
        if (o->resume == RESUME_FREE) continue;
        option_format(o, a, left);
        option_format(o, b, right);
        if (strcmp(left, right) != 0) return o;
    }
    return NULL;
}
