/* main.c: finds the command, parses its flags and runs it; prints help, and errors of the command line. */
#include "cli/cli.h"
#include "core/kernels.h"
#include "text/ds.h"
#include "tide.h"

#include <cJSON.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const Command *const commands[] = {&command_train,  &command_translate, &command_align,  &command_aer,
                                          &command_bleu,   &command_chrf,      &command_corpus, &command_tokenize,
                                          &command_score,  &command_evaluate,  &command_info,   &command_attend,
                                          &command_report, &command_bench};
enum { COMMANDS = sizeof commands / sizeof *commands };

int fail(const Err *err) {
    fprintf(stderr, "tide: %s", err->path);
    if (err->line) fprintf(stderr, ":%ld", err->line);
    fprintf(stderr, "%s%s\n", err->path[0] ? ": " : "", err->reason);
    return EXIT_FAILED;
}

int usage_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("tide: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

int machine_flags(const Args *args, int *threads, Err *err) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *isa = args_value(args, "isa", 0);
    if (isa && kernels_choose(isa)) return err_set(err, NULL, 0, "this machine has no '%s' kernels", isa);
    return args_int(args, "threads", processors > 0 ? (int)processors : 1, 1, 1024, threads, err);
}

/* Estimates the time at which the process started, on the clock of seconds_now: now minus the processor time used so
   far. */
static double created(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return seconds_now() - (double)used.tv_sec - (double)used.tv_nsec * 1e-9;
}

static void no_memory(size_t bytes) {
    if (bytes) fprintf(stderr, "tide: out of memory (%zu bytes were asked for)\n", bytes);
    else fputs("tide: out of memory\n", stderr);
    _exit(EXIT_FAILED);
}

static void print_help(void) {
    puts("tide trains a Chinese-English translator with attention, translates, and shows its alignments.\n\n"
         "usage: tide COMMAND [flags]\n");
    for (int i = 0; i < COMMANDS; i++) printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
    puts(
        "\n`tide COMMAND --help` explains a command. Text comes in on stdin, results go to stdout, everything else to\n"
        "stderr. Exit status: 0, 1 (failed) or 2 (usage).");
}

static const Option *next_option(const Command *command, const Option *before) {
    return command->options ? option_next(command->options, before) : NULL;
}

static Flag option_flag(const Option *o) {
    static const char *const metavars[][2] = {
        [OPTION_INT] = {"N", "N N"},           [OPTION_INT_OR_ZERO] = {"N", "N N"},
        [OPTION_REAL] = {"R", "R R"},          [OPTION_TEXT] = {"NAME", "SRC TGT"},
        [OPTION_CHOICE] = {"NAME", "SRC TGT"}, [OPTION_SWITCH] = {"NAME", "SRC TGT"}};
    return (Flag){o->name, o->values, metavars[o->kind][o->values - 1], o->help};
}

/* Returns the flags of a command, and one flag for each option of its tables; a stb_ds array. */
static Flag *flags_of(const Command *command) {
    Flag *flags = NULL;
    for (int i = 0; i < command->flag_count; i++) arrput(flags, command->flags[i]);
    for (const Option *o = NULL; (o = next_option(command, o));) arrput(flags, option_flag(o));
    return flags;
}

static int print_command_help(const Command *command) {
    printf("usage: tide %s %s\n\n%s\n\n", command->name, command->usage, command->about);
    for (int i = 0; i < command->flag_count; i++) flag_print(&command->flags[i], NULL);
    for (const Option *o = NULL; (o = next_option(command, o));) {
        const Flag flag = option_flag(o);
        flag_print(&flag, o->fallback);
    }
    return 0;
}

static int run_with(const Command *command, const Flag *flags, int argc, char **argv, double began) {
    Args args;
    Err err;
    int status = args_parse(&args, argc, argv, flags, (int)arrlen(flags), &err);
    args.began = began;
    status = status ? usage_error("%s; see `tide %s --help`", err.reason, command->name) : command->run(&args);
    args_free(&args);
    return status;
}

static int run_command(const Command *command, int argc, char **argv, double began) {
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return print_command_help(command);
    Flag *flags = flags_of(command);
    int status = run_with(command, flags, argc, argv, began);
    arrfree(flags);
    return status;
}

static int run_word(int argc, char **argv, double began) {
    const char *word = argc < 2 ? NULL : argv[1];
    if (word && !strcmp(word, "help") && argc > 2) return run_word(3, (char *[]){argv[0], argv[2], "--help"}, began);
    if (!word || !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
        print_help();
        return word ? 0 : EXIT_USAGE;
    }
    if (!strcmp(word, "--version")) {
        puts("tide " TIDE_VERSION);
        return 0;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(word, commands[i]->name)) return run_command(commands[i], argc - 2, argv + 2, began);
    return usage_error("unknown command '%s'; see `tide --help`", word);
}

int main(int argc, char **argv) {
    double began = created();
    mem_on_failure(no_memory);
    cJSON_InitHooks(&(cJSON_Hooks){mem_alloc, mem_free});
    setlocale(LC_CTYPE, "");
    int status = run_word(argc, argv, began);
    if ((fflush(stdout) || ferror(stdout)) && !status) { /* if status is not 0, an error is printed already */
        fputs("tide: standard output cannot be written\n", stderr);
        return EXIT_FAILED;
    }
    return status;
}
