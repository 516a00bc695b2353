/* cli.h: the subcommands, and the functions and flags that they share. Only code in cli/ prints errors and sets the
   exit status. */
#ifndef TIDE_CLI_H
#define TIDE_CLI_H

#include "cli/args.h"
#include "translate/options.h"

typedef struct Command {
    const char *name, *summary; /* for `tide --help` */
    const char *usage;          /* for `tide NAME --help`: the text after "tide NAME" */
    const char *about;          /* for `tide NAME --help`: a description of a few lines */
    const Flag *flags;
    int flag_count;
    const Option *const *options; /* tables of options that are also flags of the command; NULL: none */
    int (*run)(const Args *args); /* returns the exit status */
} Command;

extern const Command command_train, command_translate, command_align, command_aer, command_bleu, command_chrf,
    command_corpus, command_tokenize, command_score, command_evaluate, command_info, command_attend, command_report,
    command_bench;

/* fail and usage_error print an error and return the exit status: fail prints "tide: path:line: reason" and returns
   EXIT_FAILED, usage_error prints "tide: ..." and returns EXIT_USAGE. */
int fail(const Err *err);
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flags that several commands have. */
#define FLAG_THREADS                                                                                                   \
    { "threads", 1, "N", "threads (default: one for each processor)" }
#define FLAG_ISA                                                                                                       \
    { "isa", 1, "NAME", "kernels to use: auto, avx512, avx2, neon or portable; the results are the same" }
/* Reads --threads into *threads and selects the kernels of --isa. Returns 0, or -1 with *err filled. */
int machine_flags(const Args *args, int *threads, Err *err);

#endif
