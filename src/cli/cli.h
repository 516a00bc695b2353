/* cli.h: the subcommands, and the functions and flags that they share. Only code in cli/ prints errors and sets the
   exit status. */
#ifndef TIDE_CLI_H
#define TIDE_CLI_H

#include "cli/args.h"
#include "io/options.h"

/* A file that a command reads or writes, or a command line. */
typedef struct Remark {
    const char *text; /* the path, or the command line; NULL ends a list */
    const char *help;
} Remark;

/* A list of remarks, each in braces, and its end; for the fields of a command. */
#define REMARKS(...) ((const Remark[]){__VA_ARGS__, {0}})

/* Flags that --help shows under one title. */
typedef struct FlagGroup {
    const char *title; /* NULL ends a list */
    const char *names; /* of its flags, with spaces between them */
} FlagGroup;

typedef struct Command {
    const char *name, *summary; /* for `tide --help` */
    const char *usage;          /* for `tide NAME --help`: the text after "tide NAME" */
    const char *about;          /* for `tide NAME --help`: a description of a few lines */
    const Flag *flags;
    int flag_count;
    bool reads, prints;           /* standard input, standard output: then the command also has --input, or --output */
    const Option *const *options; /* tables of options that are also flags of the command; NULL: none */
    const FlagGroup *groups; /* for --help: each flag is in one group; --help shows the first group, --help-all all;
                                NULL: --help shows all flags */
    Flag word;               /* the words of the command line, for completions: number (`values`), kind and choices */
    const Remark *files, *examples; /* for the man page; NULL: none */
    const char *see;                /* for the man page: names of related commands, in the order of the alphabet */
    /* Returns the exit status, or -1 with *err filled. NULL: the program tide-NAME, beside tide, runs the command. */
    int (*run)(const Args *args, Err *err);
    const char *missing; /* the end of the error if there is no such program: what to do */
} Command;

/* The fields of a command for an array of flags. */
#define COMMAND_FLAGS(list) .flags = (list), .flag_count = sizeof(list) / sizeof *(list)

extern const Command command_train, command_translate, command_align, command_aer, command_bleu, command_chrf,
    command_corpus, command_tokenize, command_score, command_evaluate, command_tune, command_info, command_attend,
    command_report, command_bench, command_lexicon, command_serve, command_quantize, command_export, command_verify,
    command_learn, command_help;

/* The main function of a program of tide: prepares the process, calls work, and returns the exit status. began: the
   time of the start, on the clock of seconds_now. */
int cli_main(int argc, char **argv, int (*work)(int argc, char **argv, double began));
/* Parses argv, which begins with the name of the command, and runs the command. Returns the exit status. */
int command_run(const Command *command, int argc, char **argv, double began);

/* All commands in the order of `tide --help`; NULL ends the list. */
extern const Command *const commands[];
/* The command with this name, or NULL. */
const Command *command_find(const char *name);
/* Returns the flags of a command, and one flag for each option of its tables; a stb_ds array. */
Flag *command_flags(const Command *command);
/* The option of a flag that belongs to a table of the command; NULL for other flags. */
const Option *command_option(const Command *command, const Flag *flag);

/* Prints an error as "tide: path:line: reason" and returns the exit status: EXIT_USAGE for one of usage_error, else
   EXIT_FAILED. */
int fail(const Err *err);
/* Usage errors: a command that does not exist, with the most similar one; a word after a command that has none; a
   second word, where the command reads standard input. */
int unknown_command(Err *err, const char *word);
int flags_only(Err *err, const char *command, const char *word);
int input_is_a_word(Err *err, const char *command, const Args *args);

/* Flags that several commands have. */
#define FLAG_THREADS FLAG_INT("threads", "threads (default: one for each processor that tide may use)", 1, 1024, NULL)
#define FLAG_ISA                                                                                                       \
    {                                                                                                                  \
        "isa", 1, "NAME",                                                                                              \
            "kernels to use: auto, amx, avx512vnni, avx512, avxvnni, avx2, neondot, neon or portable; the "            \
            "results are the same",                                                                                    \
            .choices = "auto|amx|avx512vnni|avx512|avxvnni|avx2|neondot|neon|portable"                                 \
    }
/* Reads --threads into *threads; the default is the number of processors on which this process may run. Selects the
   kernels of --isa. Returns 0, or -1 with *err filled. */
int machine_flags(const Args *args, int *threads, Err *err);

#endif
