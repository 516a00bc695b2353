/* args.h: parses command lines of flags and words: `--name value ...`, `--name=value`, `-l value` with the letter of
   flag_letter. A known name may also follow one dash: `-lc`. After `--`, all arguments are words. */
#ifndef TIDE_ARGS_H
#define TIDE_ARGS_H

#include "core/base.h"

#include <stdbool.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 /* + the number of the signal */, MANY = -1 };

/* What the values of a flag are, for checks, man pages and completions. */
typedef enum ValueKind {
    VALUE_TEXT,        /* anything; the names in `choices` if there are any */
    VALUE_INT,         /* a whole number between least and most */
    VALUE_INT_OR_ZERO, /* 0, or a whole number between least and most */
    VALUE_REAL,        /* a number between least and most */
    VALUE_FILE,        /* a path */
    VALUE_FILES,       /* the same, of a flag that may be given several times; its values follow each other */
    VALUE_DIR,         /* the path of a directory */
    VALUE_PRESET,      /* the name of a preset */
    VALUE_COMMAND,     /* the name of a command */
    VALUE_OPTION       /* the name of an option that may change when a training is continued */
} ValueKind;

typedef struct Flag {
    const char *name;    /* without the dashes */
    int values;          /* number of values; 0: a switch; MANY: one or more, up to the next flag */
    const char *metavar; /* names of the values in --help: "N", "FILE FILE"; NULL: the choices */
    const char *help;
    ValueKind kind;
    double least, most;   /* limits of a number */
    const char *choices;  /* names as in core/choice.h; NULL: none */
    const char *fallback; /* the default, as text; NULL: none, or the help text explains it */
} Flag;

/* The usual kinds of flags: a switch, a whole number, a number, a path, one of several names. */
#define FLAG_SWITCH(flag, explanation)                                                                                 \
    { .name = (flag), .help = (explanation) }
#define FLAG_INT(flag, explanation, from, to, usual)                                                                   \
    { flag, 1, "N", explanation, VALUE_INT, from, to, NULL, usual }
#define FLAG_REAL(flag, explanation, from, to, usual)                                                                  \
    { flag, 1, "R", explanation, VALUE_REAL, from, to, NULL, usual }
#define FLAG_FILE(flag, explanation)                                                                                   \
    { flag, 1, "FILE", explanation, .kind = VALUE_FILE }
#define FLAG_CHOICE(flag, explanation, names, usual)                                                                   \
    { flag, 1, NULL, explanation, .choices = (names), .fallback = (usual) }

typedef struct Args {
    const char **words; /* arguments that are neither flags nor values of flags */
    int word_count;
    struct Given {
        const Flag *flag;
        const char **values;
        int count;
    } * given;
    int given_count;
    const Flag *flags; /* [flag_count]: all flags of the command */
    int flag_count;
    const char *unknown; /* the unknown flag that args_parse refused; NULL: none */
    double began;        /* time of the start of the process, on the clock of seconds_now; main fills it */
} Args;

/* The line of an Err that is about the command line; see fail in cli.h. */
enum { COMMAND_LINE = -1 };
/* Fills *err with an error of the command line and returns -1. Its text may come from *err itself. */
int usage_error(Err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Parses argv[0..argc-1]; flags: [flag_count], those that the command has. *args keeps pointers to argv and flags;
   `--name=value` is replaced by its value in argv. Release with args_free, after an error too. Returns 0, or -1 with
   the reason in *err: an unknown flag (then the reason names the most similar one), a missing value, a value of a
   switch, a flag that is given twice, or a flag that begins with a typographic dash. An argument that starts with one
   dash and has no letter after it, such as "-" or "-1", is a value. */
int args_parse(Args *args, int argc, char **argv, const Flag *flags, int flag_count, Err *err);
void args_free(Args *args);
/* Value i of a flag, from 0; NULL if there is no such value. */
const char *args_value(const Args *args, const char *name, int i);
bool args_has(const Args *args, const char *name);
/* Whether `name` names the file `path`, which need not exist: it is the same path or file, or the directory of a model
   whose file it is. */
bool names_file(const char *name, const char *path);
/* Checks that `path`, a value of a flag, names a file that no other flag names, so that it can be written; words: nor
   any word. Returns 0, or -1 with the reason in *err. */
int args_file_is_free(const Args *args, const char *path, bool words, Err *err);
/* All values of a flag that was given once; NULL if it was not given. Their number; 0 if it was not given. */
const char *const *args_values(const Args *args, const char *name);
int args_count(const Args *args, const char *name);
/* args_int_at, args_real_at and args_choice_at read value i of a flag, from 0; if it is not given, the default of the
   flag. If there is neither, or the command has no such flag, they leave *value unchanged. They return 0, or -1 with
   the reason in *err. args_int_at reads a whole number between the limits of the flag. */
int args_int_at(const Args *args, const char *name, int i, int *value, Err *err);
/* Reads a finite number between the limits of the flag. */
int args_real_at(const Args *args, const char *name, int i, double *value, Err *err);
/* The value must be one of the names in the `choices` of the flag. *value receives the index of the name. */
int args_choice_at(const Args *args, const char *name, int i, int *value, Err *err);
/* The same for the first value. */
static inline int args_int(const Args *args, const char *name, int *value, Err *err) {
    return args_int_at(args, name, 0, value, err);
}
static inline int args_real(const Args *args, const char *name, double *value, Err *err) {
    return args_real_at(args, name, 0, value, err);
}
static inline int args_choice(const Args *args, const char *name, int *value, Err *err) {
    return args_choice_at(args, name, 0, value, err);
}
/* The flag whose name has these `length` bytes, or NULL. flags: [count]. */
const Flag *flag_find(const Flag *flags, int count, const char *name, size_t length);
/* The letter that Marian has for a flag, 0 if it has none: -b for --beam-size. */
char flag_letter(const char *name);
/* The names of a flag's values, as --help prints them; "" for a switch. */
const char *flag_metavar(const Flag *flag);

#endif
