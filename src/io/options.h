/* options.h: tables of options. A table drives presets, the command line, --help and the configuration stored in a
   model. Functions take a list of tables, which NULL ends; all tables of a list describe fields of one struct. */
#ifndef TIDE_OPTIONS_H
#define TIDE_OPTIONS_H

#include "core/base.h"

#include <stdbool.h>

enum { OPTION_TEXT_SIZE = 16, OPTION_FORMAT_SIZE = 64 };

/* The type of the option's field. */
typedef enum {
    OPTION_INT,         /* int between least and most */
    OPTION_INT_OR_ZERO, /* int: 0, or between least and most */
    OPTION_REAL,        /* double between least and most */
    OPTION_TEXT,        /* char[OPTION_TEXT_SIZE]: one word */
    OPTION_CHOICE,      /* int or enum: an index in choices */
    OPTION_SWITCH,      /* bool: an index in choices, which has two names */
    OPTION_LIST         /* int[values]: 1 to `values` different indices in choices; -1 after the last */
} OptionKind;

/* Whether an option may change when a training is resumed. */
typedef enum {
    RESUME_FREE,     /* may change on resume */
    RESUME_EXPLICIT, /* may change only with --allow-change: later updates differ */
    RESUME_FIXED     /* never changes, because shapes or the order of the data depend on it */
} OptionResume;

typedef struct Option {
    const char *name; /* as in `--name` and in `name = value`; NULL ends a table */
    OptionKind kind;
    int values;           /* 1; 2: the field is an array with a value for source and for target; length of a list */
    size_t offset;        /* of the field, in the struct */
    double least, most;   /* limits of a number */
    const char *choices;  /* names as in core/choice.h */
    OptionResume resume;  /* RESUME_FREE: not part of the configuration that a model stores */
    const char *fallback; /* the default, as text */
    const char *help;
} Option;

/* The option after `before` in the tables; the first one if `before` is NULL. Returns NULL at the end. */
const Option *option_next(const Option *const *tables, const Option *before);
/* The option with this name, or NULL. */
const Option *option_find(const Option *const *tables, const char *name);
/* Parses the `count` values of one option and writes them to its field in *options. Returns 0, or -1 with *err's
   reason filled. */
int option_set(const Option *option, void *options, const char *const *values, int count, Err *err);
/* Writes the values of one option to `text`, separated by a space. */
void option_format(const Option *option, const void *options, char text[OPTION_FORMAT_SIZE]);

/* Sets every option to its default. */
void options_default(const Option *const *tables, void *options);
/* What to do with a key that is not in the tables. */
typedef enum { UNKNOWN_ERROR, UNKNOWN_SKIP } Unknown;
/* Parses lines `key = value`; '#' begins a comment. Returns 0, or -1 with *err filled: path, line and reason. */
int options_read(const Option *const *tables, void *options, const char *text, const char *path, Unknown unknown,
                 Err *err);
/* Returns the configuration, which is all options except RESUME_FREE, as lines `key = value`; owned by the caller. */
char *options_format(const Option *const *tables, const void *options);
/* Compares two configurations: returns the first option after `after` (NULL: from the start) whose values differ,
   and writes the values to `left` and `right`. Returns NULL if there is none. */
const Option *options_differ(const Option *const *tables, const Option *after, const void *a, const void *b,
                             char left[OPTION_FORMAT_SIZE], char right[OPTION_FORMAT_SIZE]);

#endif
