/* options.h: options described once, in tables. A table drives presets, the command line, --help and the configuration
   that a model carries. Functions take a list of tables that describe one struct: an array that NULL ends. */
#ifndef TIDE_OPTIONS_H
#define TIDE_OPTIONS_H

#include "core/base.h"

#include <stdbool.h>

enum { OPTION_TEXT_SIZE = 16, OPTION_FORMAT_SIZE = 64 };

/* The field of an option. */
typedef enum {
    OPTION_INT,         /* int between least and most */
    OPTION_INT_OR_ZERO, /* the same, or 0 */
    OPTION_REAL,        /* double between least and most */
    OPTION_TEXT,        /* char[OPTION_TEXT_SIZE]: one word */
    OPTION_CHOICE,      /* int or enumeration: an index in choices */
    OPTION_SWITCH       /* bool: an index in choices, which are two */
} OptionKind;

/* Whether an option may change when a training is resumed. */
typedef enum {
    RESUME_FREE,     /* may change on resume */
    RESUME_EXPLICIT, /* may change only with --allow-change: updates differ from there on */
    RESUME_FIXED     /* never changes, because shapes or the order of the data depend on it */
} OptionResume;

typedef struct Option {
    const char *name; /* as in `--name` and in `name = value`; NULL ends a table */
    OptionKind kind;
    int values;           /* 1, or 2 for source and target: the field is an array */
    size_t offset;        /* of the field in the struct */
    double least, most;   /* of a number */
    const char *choices;  /* see core/choice.h */
    OptionResume resume;  /* all but RESUME_FREE are part of the configuration */
    const char *fallback; /* the value without preset or flag */
    const char *help;
} Option;

/* The option that follows `before` in the tables, the first one if `before` is NULL; NULL at the end. */
const Option *option_next(const Option *const *tables, const Option *before);
/* By name, or NULL. */
const Option *option_find(const Option *const *tables, const char *name);
/* Parses the values of one option into its field of *options. Returns 0, or -1 with *err's reason filled. */
int option_set(const Option *option, void *options, const char *const *values, Err *err);
/* Formats the values of one option, separated by a space. */
void option_format(const Option *option, const void *options, char text[OPTION_FORMAT_SIZE]);

/* Sets every option to its fallback. */
void options_default(const Option *const *tables, void *options);
/* Parses lines `key = value`; '#' begins a comment. Returns 0, or -1 with *err filled: `path`, the line, and what is
   wrong with it. An unknown key is an error. */
int options_read(const Option *const *tables, void *options, const char *text, const char *path, Err *err);
/* The same, but skips lines with a key that is not in the tables, of the form `key = value` as well. */
int options_read_known(const Option *const *tables, void *options, const char *text, const char *path, Err *err);
/* The configuration as lines `key = value`; owned by the caller. */
char *options_format(const Option *const *tables, const void *options);
/* The first option of the configuration after `after` (NULL: of all) whose values differ, formatted into left and
   right; NULL if there is none. */
const Option *options_differ(const Option *const *tables, const Option *after, const void *a, const void *b,
                             char left[OPTION_FORMAT_SIZE], char right[OPTION_FORMAT_SIZE]);

#endif
