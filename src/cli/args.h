/* args.h: parses command lines of flags (`--name value ...`) and words. A known flag may also have one dash: `-lc`. */
#ifndef TIDE_ARGS_H
#define TIDE_ARGS_H

#include "core/base.h"

#include <stdbool.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, MANY = -1 };

typedef struct Flag {
    const char *name;    /* without the dashes */
    int values;          /* number of values; 0: a switch; MANY: one or more, up to the next flag */
    const char *metavar; /* names of the values in --help: "N", "FILE FILE" */
    const char *help;
} Flag;

typedef struct Args {
    const char **words; /* arguments that are neither flags nor values of flags */
    int word_count;
    struct Given {
        const Flag *flag;
        const char **values;
        int count;
    } * given;
    int given_count;
    double began; /* time of the start of the process, on the clock of seconds_now; main fills it */
} Args;

/* Parses argv[0..argc-1]; flags: [flag_count], those that the command has. *args keeps pointers to argv and flags;
   release with args_free, after an error too. Returns 0, or -1 with the reason in *err: an unknown flag (then the
   reason names the most similar one), a missing value, or a flag that is given twice. */
int args_parse(Args *args, int argc, char **argv, const Flag *flags, int flag_count, Err *err);
void args_free(Args *args);
/* Value i of a flag, from 0; NULL if there is no such value. */
const char *args_value(const Args *args, const char *name, int i);
bool args_has(const Args *args, const char *name);
/* args_int, args_real and args_choice set *value to the first value of a flag, or to the fallback if the flag is not
   given. They return 0, or -1 with the reason in *err. args_int reads a whole number between least and most. */
int args_int(const Args *args, const char *name, int fallback, int least, int most, int *value, Err *err);
/* Reads a finite number between least and most. */
int args_real(const Args *args, const char *name, double fallback, double least, double most, double *value, Err *err);
/* Reads a name from a list such as "char|bpe|none"; *value is its index, see choice.h. */
int args_choice(const Args *args, const char *name, int fallback, const char *choices, int *value, Err *err);
/* Prints the line of a flag in --help. usual: the default, which is appended; NULL: append nothing. */
void flag_print(const Flag *flag, const char *usual);

#endif
