#include "cli/args.h"
#include "core/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- suggestions for unknown flags ----------------------------------------------------------------------------- */

/* The Levenshtein distance of two words; 99 if b has more than 63 bytes. */
static int distance(const char *a, const char *b) {
    int row[64], n = (int)strlen(b);
    if (n > 63) return 99;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

static int unknown_flag(const char *name, const Flag *flags, int count, Err *err) {
    const Flag *nearest = NULL;
    int least = 4;
    for (int i = 0; i < count; i++) {
        int d = distance(name, flags[i].name);
        if (d < least) least = d, nearest = &flags[i];
    }
    if (nearest) return err_set(err, NULL, 0, "unknown flag --%s; did you mean --%s?", name, nearest->name);
    return err_set(err, NULL, 0, "unknown flag --%s", name);
}

/* ---- parsing -------------------------------------------------------------------------------------------------- */

/* Returns the flag that a word names after one or two dashes, or NULL. */
static const Flag *find_flag(const char *word, const Flag *flags, int count) {
    for (int i = 0; word[0] == '-' && i < count; i++)
        if (!strcmp(flags[i].name, word + (word[1] == '-' ? 2 : 1))) return &flags[i];
    return NULL;
}

/* Returns whether a word is a flag. A word with one dash that is not a known flag is a value, because it may be a
   negative number, "-" or a sentence. */
static bool is_flag(const char *word, const Flag *flags, int count) {
    return (word[0] == '-' && word[1] == '-' && word[2]) || find_flag(word, flags, count);
}

int args_parse(Args *args, int argc, char **argv, const Flag *flags, int flag_count, Err *err) {
    *args = (Args){.words = mem_alloc((size_t)argc * sizeof *args->words),
                   .given = mem_alloc((size_t)argc * sizeof *args->given),
                   .flags = flags,
                   .flag_count = flag_count};
    for (int i = 0; i < argc;) {
        if (!is_flag(argv[i], flags, flag_count)) {
            args->words[args->word_count++] = argv[i++];
            continue;
        }
        const Flag *flag = find_flag(argv[i], flags, flag_count);
        if (!flag) return unknown_flag(argv[i] + 2, flags, flag_count, err);
        if (args_has(args, flag->name)) return err_set(err, NULL, 0, "--%s is given twice", flag->name);
        int count = 0, first = ++i;
        int most = flag->values == MANY ? argc : flag->values;
        for (; i < argc && count < most && !is_flag(argv[i], flags, flag_count); i++) count++;
        if (flag->values == MANY ? count == 0 : count < flag->values)
            return err_set(err, NULL, 0, "--%s needs %s", flag->name, flag_metavar(flag));
        args->given[args->given_count++] = (struct Given){flag, (const char **)argv + first, count};
    }
    return 0;
}

void args_free(Args *args) {
    mem_free(args->words);
    mem_free(args->given);
    *args = (Args){0};
}

const char *args_value(const Args *args, const char *name, int i) {
    for (int k = 0; k < args->given_count; k++)
        if (!strcmp(args->given[k].flag->name, name)) return i < args->given[k].count ? args->given[k].values[i] : NULL;
    return NULL;
}

bool args_has(const Args *args, const char *name) {
    for (int k = 0; k < args->given_count; k++)
        if (!strcmp(args->given[k].flag->name, name)) return true;
    return false;
}

/* Returns the first value of a flag, or its default; NULL if there is neither. *flag is the flag. */
static const char *value_or_default(const Args *args, const char *name, const Flag **flag) {
    const char *given = args_value(args, name, 0);
    for (int i = 0; i < args->flag_count; i++) {
        *flag = &args->flags[i];
        if (!strcmp((*flag)->name, name)) return given ? given : (*flag)->fallback;
    }
    return NULL;
}

static int parse_number(const Flag *flag, const char *text, double *value, Err *err) {
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x))
        return err_set(err, NULL, 0, "--%s needs a number, not '%s'", flag->name, text);
    if (x < flag->least || x > flag->most)
        return err_set(err, NULL, 0, "--%s must be between %g and %g", flag->name, flag->least, flag->most);
    *value = x;
    return 0;
}

int args_real(const Args *args, const char *name, double *value, Err *err) {
    const Flag *flag;
    const char *text = value_or_default(args, name, &flag);
    return text ? parse_number(flag, text, value, err) : 0;
}

int args_int(const Args *args, const char *name, int *value, Err *err) {
    const Flag *flag;
    const char *text = value_or_default(args, name, &flag);
    double x = 0;
    if (!text) return 0;
    if (parse_number(flag, text, &x, err)) return -1;
    if (x != floor(x)) return err_set(err, NULL, 0, "--%s needs a whole number", name);
    *value = (int)x;
    return 0;
}

int args_choice(const Args *args, const char *name, int *value, Err *err) {
    const Flag *flag;
    const char *text = value_or_default(args, name, &flag);
    if (!text) return 0;
    const int index = choice_find(flag->choices, text);
    if (index < 0) return err_set(err, NULL, 0, "--%s must be one of %s, not '%s'", name, flag->choices, text);
    *value = index;
    return 0;
}

const char *flag_metavar(const Flag *flag) {
    if (!flag->values) return "";
    return flag->metavar ? flag->metavar : flag->choices;
}
