#include "cli/args.h"
#include "cli/suggest.h"
#include "core/choice.h"
#include "io/system.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_error(Err *err, const char *format, ...) {
    char text[sizeof err->reason];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, NULL, COMMAND_LINE, "%s", text);
}

/* ---- suggestions for unknown flags ----------------------------------------------------------------------------- */

static int unknown_flag(const char *word, const Flag *flags, int count, Err *err) {
    char name[64];
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    const int dashes = word[1] == '-' ? 2 : 1;
    Nearest nearest = {.word = name, .distance = UNLIKE};
    for (int i = 0; i < count; i++) suggest_nearest(&nearest, flags[i].name);
    if (nearest.name)
        return usage_error(err, "unknown flag %.*s%s; did you mean --%s?", dashes, word, name, nearest.name);
    return usage_error(err, "unknown flag %.*s%s", dashes, word, name);
}

/* ---- parsing -------------------------------------------------------------------------------------------------- */

char flag_letter(const char *name) {
    static const struct {
        char letter;
        const char *name;
    } flags[] = {{'b', "beam-size"},  {'c', "config"}, {'e', "after-epochs"}, {'i', "input"},
                 {'l', "learn-rate"}, {'m', "model"},  {'m', "models"},       {'n', "normalize"},
                 {'o', "optimizer"},  {'o', "output"}, {'t', "train-sets"},   {'w', "workspace"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(flags[i].name, name)) return flags[i].letter;
    return 0;
}

const Flag *flag_find(const Flag *flags, int count, const char *name, size_t length) {
    for (int i = 0; i < count; i++)
        if (strlen(flags[i].name) == length && !memcmp(flags[i].name, name, length)) return &flags[i];
    return NULL;
}

/* Returns the flag that a word names, or NULL. */
static const Flag *named_flag(const char *word, const Flag *flags, int count) {
    const char *name = word + (word[1] == '-' ? 2 : 1);
    const size_t length = strcspn(name, "=");
    for (int i = 0; i < count && word[1] != '-' && length == 1; i++)
        if (flag_letter(flags[i].name) == name[0]) return &flags[i];
    return flag_find(flags, count, name, length);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Returns whether an argument is a flag, known or not, or `--`. */
static bool is_flag(const char *word) { return word[0] == '-' && (word[1] == '-' || is_letter(word[1])); }

/* Returns whether a word looks like a flag after a dash of typography (U+2010 to U+2015, U+2212), which word processors
   and web pages write for one or two dashes. */
static bool has_typographic_dash(const char *word) {
    const bool dash = !strncmp(word, "\xE2\x80", 2) && (unsigned char)word[2] >= 0x90 && (unsigned char)word[2] <= 0x95;
    return (dash || !strncmp(word, "\xE2\x88\x92", 3)) && (is_letter(word[3]) || word[3] == '-');
}

/* Parses the flag at argv[*i] with its values, and sets *i to the argument after them. */
static int parse_flag(Args *args, int argc, char **argv, int *i, Err *err) {
    const Flag *flag = named_flag(argv[*i], args->flags, args->flag_count);
    if (!flag) {
        args->unknown = argv[*i];
        return unknown_flag(argv[*i], args->flags, args->flag_count, err);
    }
    if (args_has(args, flag->name) && flag->kind != VALUE_FILES)
        return usage_error(err, "--%s is given twice", flag->name);
    char *equals = strchr(argv[*i], '=');
    int first = *i + 1, end = first;
    if (equals) {
        if (!flag->values) return usage_error(err, "--%s takes no value", flag->name);
        argv[--first] = equals + 1;
    }
    const int most = flag->values == MANY ? argc : flag->values;
    while (end < argc && end - first < most && !is_flag(argv[end])) end++;
    if (end - first < (flag->values == MANY ? 1 : flag->values))
        return usage_error(err, "--%s needs %s", flag->name, flag_metavar(flag));
    args->given[args->given_count++] = (struct Given){flag, (const char **)argv + first, end - first};
    *i = end;
    return 0;
}

int args_parse(Args *args, int argc, char **argv, const Flag *flags, int flag_count, Err *err) {
    *args = (Args){.words = mem_alloc((size_t)argc * sizeof *args->words),
                   .given = mem_alloc((size_t)argc * sizeof *args->given),
                   .flags = flags,
                   .flag_count = flag_count};
    bool ended = false; /* by `--` */
    for (int i = 0; i < argc;) {
        if (!ended && has_typographic_dash(argv[i]))
            return usage_error(err, "'%s' begins with a long dash: write --%s", argv[i],
                               argv[i] + 3 + strspn(argv[i] + 3, "-"));
        if (ended || !is_flag(argv[i])) args->words[args->word_count++] = argv[i++];
        else if (!strcmp(argv[i], "--")) ended = true, i++;
        else if (parse_flag(args, argc, argv, &i, err)) return -1;
    }
    return 0;
}

void args_free(Args *args) {
    mem_free(args->words);
    mem_free(args->given);
    *args = (Args){0};
}

bool names_file(const char *name, const char *path) {
    char model[PATH_MAX];
    const int n = snprintf(model, sizeof model, "%s/model.safetensors", name);
    return !strcmp(path, name) || file_is_same(path, name) || (n < (int)sizeof model && file_is_same(path, model));
}

int args_file_is_free(const Args *args, const char *path, bool words, Err *err) {
    for (int i = 0; i < args->given_count; i++) {
        const struct Given *given = &args->given[i];
        const ValueKind kind = given->flag->kind;
        if (kind != VALUE_FILE && kind != VALUE_FILES && kind != VALUE_DIR) continue;
        for (int k = 0; k < given->count; k++)
            if (given->values[k] != path && names_file(given->values[k], path))
                return err_set(err, path, 0, "is already the file of --%s", given->flag->name);
    }
    for (int i = 0; words && i < args->word_count; i++)
        if (names_file(args->words[i], path)) return err_set(err, path, 0, "is read, and would be overwritten");
    return 0;
}

const char *args_value(const Args *args, const char *name, int i) {
    for (int k = 0; k < args->given_count; k++) {
        const struct Given *given = &args->given[k];
        if (strcmp(given->flag->name, name) != 0) continue;
        if (i < given->count) return given->values[i];
        i -= given->count;
    }
    return NULL;
}

static const struct Given *find_given(const Args *args, const char *name) {
    for (int k = 0; k < args->given_count; k++)
        if (!strcmp(args->given[k].flag->name, name)) return &args->given[k];
    return NULL;
}

bool args_has(const Args *args, const char *name) { return find_given(args, name); }

const char *const *args_values(const Args *args, const char *name) {
    const struct Given *given = find_given(args, name);
    return given ? given->values : NULL;
}

int args_count(const Args *args, const char *name) {
    const struct Given *given = find_given(args, name);
    return given ? given->count : 0;
}

/* Returns value i of a flag, or its default; NULL if there is neither. *flag is the flag. */
static const char *value_or_default(const Args *args, const char *name, int i, const Flag **flag) {
    const char *given = args_value(args, name, i);
    *flag = flag_find(args->flags, args->flag_count, name, strlen(name));
    return given ? given : *flag ? (*flag)->fallback : NULL;
}

int args_real_at(const Args *args, const char *name, int i, double *value, Err *err) {
    const Flag *flag;
    const char *text = value_or_default(args, name, i, &flag);
    char *end;
    if (!text) return 0;
    const double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) return usage_error(err, "--%s needs a number, not '%s'", name, text);
    if (x < flag->least || x > flag->most)
        return usage_error(err, "--%s must be between %g and %g", name, flag->least, flag->most);
    *value = x;
    return 0;
}

int args_int_at(const Args *args, const char *name, int i, int *value, Err *err) {
    double x = NAN; /* args_real_at leaves it if there is no value */
    if (args_real_at(args, name, i, &x, err)) return -1;
    if (isnan(x)) return 0;
    if (x != floor(x)) return usage_error(err, "--%s needs a whole number", name);
    *value = (int)x;
    return 0;
}

int args_choice_at(const Args *args, const char *name, int i, int *value, Err *err) {
    const Flag *flag;
    const char *text = value_or_default(args, name, i, &flag);
    if (!text) return 0;
    const int index = choice_find(flag->choices, text);
    if (index < 0) return usage_error(err, "--%s must be one of %s, not '%s'", name, flag->choices, text);
    *value = index;
    return 0;
}

const char *flag_metavar(const Flag *flag) {
    if (!flag->values) return "";
    return flag->metavar ? flag->metavar : flag->choices;
}
