/* command.c: runs a command: parses its flags, and prints its errors. */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/streams.h"
#include "cli/suggest.h"
#include "core/kernels.h"
#include "io/ds.h"
#include "io/system.h"

#include <cJSON.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static Flag option_flag(const Option *o) {
    static const char *const metavars[][2] = {[OPTION_INT] = {"N", "N N"},
                                              [OPTION_INT_OR_ZERO] = {"N", "N N"},
                                              [OPTION_REAL] = {"R", "R R"},
                                              [OPTION_TEXT] = {"NAME", "SRC TGT"},
                                              [OPTION_CHOICE] = {"NAME", "SRC TGT"},
                                              [OPTION_SWITCH] = {"NAME", "SRC TGT"},
                                              [OPTION_LIST] = {"NAME..."}};
    static const ValueKind kinds[OPTION_LIST + 1] = {
        [OPTION_INT] = VALUE_INT, [OPTION_INT_OR_ZERO] = VALUE_INT_OR_ZERO, [OPTION_REAL] = VALUE_REAL}; /* else text */
    const bool list = o->kind == OPTION_LIST;
    return (Flag){.name = o->name,
                  .values = list ? MANY : o->values,
                  .metavar = metavars[o->kind][list ? 0 : o->values - 1],
                  .help = o->help,
                  .kind = kinds[o->kind],
                  .least = o->least,
                  .most = o->most,
                  .choices = o->choices,
                  .fallback = o->fallback};
}

Flag *command_flags(const Command *command) {
    Flag *flags = NULL;
    for (int i = 0; i < command->flag_count; i++) arrput(flags, command->flags[i]);
    static const Flag input = FLAG_FILE("input", "read FILE, not standard input"),
                      output = FLAG_FILE("output", "write to FILE, not to standard output");
    if (command->reads) arrput(flags, input);
    if (command->prints) arrput(flags, output);
    for (const Option *o = NULL; command->options && (o = option_next(command->options, o));)
        arrput(flags, option_flag(o));
    return flags;
}

const Option *command_option(const Command *command, const Flag *flag) {
    return command->options ? option_find(command->options, flag->name) : NULL;
}

int machine_flags(const Args *args, int *threads, Err *err) {
    const char *isa = args_value(args, "isa", 0);
    if (isa && kernels_choose(isa))
        return usage_error(err, "this build or processor has no '%s' kernels; use --isa auto", isa);
    *threads = processors_own();
    return args_int(args, "threads", threads, err);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

int fail(const Err *err) {
    char text[ERR_TEXT];
    err_text(err, text);
    error_line("%s", text);
    return err->line == COMMAND_LINE ? EXIT_USAGE : EXIT_FAILED;
}

int flags_only(Err *err, const char *command, const char *word) {
    return usage_error(err, "%s takes flags only, not '%s'; see `tide %s --help`", command, word, command);
}

int input_is_a_word(Err *err, const char *command, const Args *args) {
    return usage_error(err, "%s reads standard input, or a file: tide %s %s --input %s", command, command,
                       args->words[0], args->words[1]);
}

/* Completes the error of args_parse. */
static int refuse(const Command *command, const Args *args, Err *err) {
    const char *instead = args->unknown ? suggest_instead(args->unknown, command->usage) : NULL;
    if (!instead) return usage_error(err, "%s; see `tide %s --help`", err->reason, command->name);
    return usage_error(err, "unknown flag %.*s: %s; see `tide %s --help`", (int)strcspn(args->unknown, "="),
                       args->unknown, instead, command->name);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int run_with(const Command *command, const Flag *flags, int argc, char **argv, double began) {
    Args args;
    Err err;
    int status = args_parse(&args, argc, argv, flags, (int)arrlen(flags), &err);
    args.began = began;
    if (status) refuse(command, &args, &err);
    else status = messages_begin(&args, &err) || streams_begin(command, &args, &err) ? -1 : command->run(&args, &err);
    if (status < 0) status = fail(&err);
    if (streams_end(status, &err)) status = fail(&err);
    if (messages_end(&err) && !status) status = fail(&err);
    args_free(&args);
    return status;
}

/* Executes tide-NAME, the program of a command, in the place of this program. */
static int execute(const Command *command, char **argv) {
    char file[32], path[512];
    Err err;
    snprintf(file, sizeof file, "tide-%s", command->name);
    program_path(path, sizeof path, file);
    argv[0] = path;
    execv(path, argv);
    if (errno == ENOENT) err_set(&err, NULL, 0, "there is no %.300s: %s", path, command->missing);
    else err_set(&err, path, 0, "%s", strerror(errno));
    return fail(&err);
}

int command_run(const Command *command, int argc, char **argv, double began) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "--help-all")) {
            help_command(command, !strcmp(argv[i], "--help-all"));
            return 0;
        }
    if (!command->run) return execute(command, argv);
    Flag *flags = command_flags(command);
    int status = run_with(command, flags, argc - 1, argv + 1, began);
    arrfree(flags);
    return status;
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

int cli_main(int argc, char **argv, int (*work)(int argc, char **argv, double began)) {
    const double began = created();
    mem_on_failure(no_memory);
    cJSON_InitHooks(&(cJSON_Hooks){mem_alloc, mem_free});
    setlocale(LC_CTYPE, "");
    signals_ignore_limit();
    char **words = program_begin(&argc, argv);
    const int status = work(argc, words, began);
    if ((fflush(stdout) || ferror(stdout)) && !status) { /* if status is not 0, an error is printed already */
        fputs("tide: standard output cannot be written\n", stderr);
        return EXIT_FAILED;
    }
    return status;
}
