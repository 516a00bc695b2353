/* main.c: finds the command, parses its flags and runs it; prints errors of the command line. */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/suggest.h"
#include "core/kernels.h"
#include "io/ds.h"
#include "tide.h"

#include <cJSON.h>
#include <locale.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int fail(const Err *err) {
    char line[32] = "";
    if (err->line) snprintf(line, sizeof line, ":%ld", err->line);
    error_line("%s%s%s%s", err->path, line, err->path[0] ? ": " : "", err->reason);
    return EXIT_FAILED;
}

int usage_error(const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_line("%s", text);
    return EXIT_USAGE;
}

/* The number of processors on which this process may run. The machine may have more: taskset and containers can limit a
   process to some of them. */
static int own_processors(void) {
    cpu_set_t set;
    const long count = sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    return count > 0 ? (int)count : 1;
}

int machine_flags(const Args *args, int *threads, Err *err) {
    const char *isa = args_value(args, "isa", 0);
    if (isa && kernels_choose(isa))
        return err_set(err, NULL, 0, "this build or processor has no '%s' kernels; use --isa auto", isa);
    *threads = own_processors();
    return args_int(args, "threads", threads, err);
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

static const char *command_name(const void *context, int i) {
    (void)context;
    return commands[i] ? commands[i]->name : NULL;
}

int unknown_command(const char *word) {
    if (!strcmp(word, "version") || !strcmp(word, "-v") || !strcmp(word, "-V"))
        return usage_error("unknown command '%s'; did you mean `tide --version`?", word);
    if (word[0] == '-') return usage_error("a command stands before flags such as %s; see `tide --help`", word);
    const int nearest = suggest_nearest(word, command_name, NULL);
    if (nearest < 0) return usage_error("unknown command '%s'; see `tide --help`", word);
    return usage_error("unknown command '%s'; did you mean `tide %s`?", word, commands[nearest]->name);
}

int flags_only(const char *command, const char *word) {
    return usage_error("%s takes flags only, not '%s'; see `tide %s --help`", command, word, command);
}

int input_is_a_word(const char *command, const Args *args) {
    return usage_error("%s reads its text from standard input: tide %s %s < %s", command, command, args->words[0],
                       args->words[1]);
}

static int refuse(const Command *command, const Args *args, const Err *err) {
    const char *instead = args->unknown ? suggest_instead(args->unknown, command->usage) : NULL;
    if (!instead) return usage_error("%s; see `tide %s --help`", err->reason, command->name);
    return usage_error("unknown flag %.*s: %s; see `tide %s --help`", (int)strcspn(args->unknown, "="), args->unknown,
                       instead, command->name);
}

static int run_with(const Command *command, const Flag *flags, int argc, char **argv, double began) {
    Args args;
    Err err;
    int status = args_parse(&args, argc, argv, flags, (int)arrlen(flags), &err);
    args.began = began;
    if (status) status = refuse(command, &args, &err);
    else status = messages_begin(&args, &err) ? fail(&err) : command->run(&args);
    if (messages_end(&err) && !status) status = fail(&err);
    args_free(&args);
    return status;
}

static int run_command(const Command *command, int argc, char **argv, double began) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "--help-all")) {
            help_command(command, !strcmp(argv[i], "--help-all"));
            return 0;
        }
    Flag *flags = command_flags(command);
    int status = run_with(command, flags, argc, argv, began);
    arrfree(flags);
    return status;
}

static int run_word(int argc, char **argv, double began) {
    const char *word = argc < 2 ? NULL : argv[1];
    if (!word || !strcmp(word, "--help") || !strcmp(word, "-h")) {
        help_overview();
        return word ? 0 : EXIT_USAGE;
    }
    if (!strcmp(word, "--version")) {
        printf("tide %s\ncommit %s, kernels %s\n", TIDE_VERSION, TIDE_COMMIT, kernels->name);
        return 0;
    }
    const Command *command = command_find(word);
    return command ? run_command(command, argc - 2, argv + 2, began) : unknown_command(word);
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
