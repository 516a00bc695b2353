/* cli.h: the subcommands, and what they share. Only this floor prints for people and exits. */
#ifndef TIDE_CLI_H
#define TIDE_CLI_H

#include "cli/args.h"
#include "translate/options.h"

typedef struct Command {
    const char *name, *summary; /* of `tide --help` */
    const char *usage;          /* of `tide NAME --help`: what follows the name */
    const char *about;          /* and a few lines below */
    const Flag *flags;
    int flag_count;
    const Option *const *options; /* tables whose options are flags too; NULL: none */
    int (*run)(const Args *args); /* returns the exit status */
} Command;

extern const Command command_train, command_translate, command_align, command_aer, command_bleu, command_chrf,
    command_corpus, command_tokenize, command_score, command_evaluate, command_info, command_attend, command_report,
    command_bench;

/* Prints "tide: path:line: reason" and returns the exit status. */
int fail(const Err *err);
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flags that several commands have. */
#define FLAG_THREADS                                                                                                   \
    { "threads", 1, "N", "threads (default: one for each processor)" }
#define FLAG_ISA                                                                                                       \
    { "isa", 1, "NAME", "kernels to use: auto, avx512, avx2, neon or portable; the results are the same" }
/* --threads and --isa; returns -1 with *err filled. */
int machine_flags(const Args *args, int *threads, Err *err);

#endif
