/* args.h: command lines: `--name value ...`, and words. One dash will do where a flag has that name: `-lc`. */
#ifndef TIDE_ARGS_H
#define TIDE_ARGS_H

#include "core/base.h"

#include <stdbool.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, MANY = -1 };

typedef struct Flag {
    const char *name;    /* without the dashes */
    int values;          /* how many follow; 0: a switch; MANY: all up to the next flag */
    const char *metavar; /* as --help shows them: "N", "FILE FILE" */
    const char *help;
} Flag;

typedef struct Args {
    const char **words; /* what stands without a flag */
    int word_count;
    struct Given {
        const Flag *flag;
        const char **values;
        int count;
    } * given;
    int given_count;
    double began; /* when the process was created, on the clock of seconds_now; main's to fill */
} Args;

/* Parses argv[0..argc-1] by the flags. Returns -1 with *err's reason filled: an unknown flag (with the nearest known
   one), a missing value, a flag twice. */
int args_parse(Args *args, int argc, char **argv, const Flag *flags, int flag_count, Err *err);
void args_free(Args *args);
/* Value i of a flag, or NULL where it was not given. */
const char *args_value(const Args *args, const char *name, int i);
bool args_has(const Args *args, const char *name);
/* A whole number between least and most; the fallback where the flag was not given. */
int args_int(const Args *args, const char *name, int fallback, int least, int most, int *value, Err *err);
int args_real(const Args *args, const char *name, double fallback, double least, double most, double *value, Err *err);
/* The index of the value in a list such as "char|bpe|none" (see choice.h); the fallback where the flag was not given.
 */
int args_choice(const Args *args, const char *name, int fallback, const char *choices, int *value, Err *err);
/* A line of --help. `usual` is the value without the flag; NULL: its help says it, or there is none. */
void flag_print(const Flag *flag, const char *usual);

#endif
