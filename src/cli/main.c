#include "cli/cli.h"
#include "core/kernels.h"
#include "text/ds.h"
#include "tide.h"
#include "train/translator.h"

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
    if (kernels_choose(isa ? isa : "auto")) return err_set(err, NULL, 0, "this machine has no '%s' kernels", isa);
    return args_int(args, "threads", processors > 0 ? (int)processors : 1, 1, 1024, threads, err);
}

int beam_flags(const Args *args, const Translator *translator, BeamOptions *beam, Err *err) {
    if (args_int(args, "beam-size", beam->beam, 1, 1000, &beam->beam, err) ||
        args_real(args, "normalize", beam->normalize, 0, 10, &beam->normalize, err) ||
        args_real(args, "coverage-penalty", beam->coverage, 0, 10, &beam->coverage, err))
        return -1;
    if (beam->coverage > 0 && !translator_aligns(translator))
        return err_set(err, NULL, 0, "this model has no attention, so --coverage-penalty cannot tell what was read");
    return 0;
}

const char *model_path(const Args *args, int i) {
    return args_has(args, "models") ? args_value(args, "models", i) : i < args->word_count ? args->words[i] : NULL;
}

bool models_given(const Args *args) { return args->word_count + args_has(args, "models") == 1; }

int models_load(const Args *args, Translator *translator, Err *err) {
    if (translator_load(translator, model_path(args, 0), err)) return -1;
    for (int i = 1; model_path(args, i); i++)
        if (translator_join(translator, model_path(args, i), err)) {
            translator_free(translator);
            return -1;
        }
    return 0;
}

int reading_flags(const Args *args, Reading *reading, Err *err) {
    const char *mode;
    if (args_choice(args, "attention-mode", "soft", "soft|hard", &mode, err) ||
        args_int(args, "alignment-head", 0, 1, 256, &reading->head, err) ||
        args_int(args, "alignment-layer", 0, 1, 256, &reading->layer, err))
        return -1;
    reading->hard = !strcmp(mode, "hard");
    return 0;
}

int reading_set(Translator *translator, const char *path, Reading reading, Err *err) {
    Model *model = &translator->model;
    const Alignments there = model_alignments(model);
    if (!there.heads && (reading.hard || reading.head || reading.layer))
        return err_set(err, path, 0, "this model has no attention that --%s could read otherwise",
                       reading.hard   ? "attention-mode"
                       : reading.head ? "alignment-head"
                                      : "alignment-layer");
    if (reading.head > there.heads)
        return err_set(err, path, 0, "--alignment-head %d: this model's attention has %d head%s", reading.head,
                       there.heads, there.heads > 1 ? "s" : "");
    if (reading.layer > there.layers)
        return err_set(err, path, 0, "--alignment-layer %d: this model's attention has %d layer%s", reading.layer,
                       there.layers, there.layers > 1 ? "s" : "");
    model->attention.reading = reading;
    return 0;
}

int readings_set(const Args *args, Translator *translator, Reading reading, Err *err) {
    int status = reading_set(translator, model_path(args, 0), reading, err);
    for (int i = 0; i < arrlen(translator->mates) && !status; i++)
        status = reading_set(&translator->mates[i], model_path(args, i + 1), reading, err);
    return status;
}

int length_flag(const Args *args, int *most, Err *err) {
    return args_int(args, "max-length", MOST_PIECES, 1, 1 << 20, most, err);
}

int lines_check(const Translator *translator, int side, char *const *lines, int most, const char *path, Err *err) {
    const Side *of = side ? &translator->target : &translator->source;
    if (side_check_lengths(of, lines, (int)arrlen(lines), most, path, err)) return -1;
    const double unknown = side_unknown(of, lines, (int)arrlen(lines));
    if (unknown > 0.5)
        fprintf(stderr, "%s: %.0f %% of the pieces are unknown to the model, which was trained on '%s' here\n", path,
                100 * unknown, translator->options.langs[side]);
    return 0;
}

/* When the process was created, on the clock of seconds_now: before the processor time that it has used by now. */
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

/* The command's own flags and, if it takes options, one for each; owned by the caller. */
static Flag *flags_of(const Command *command, int *count) {
    Flag *flags = mem_alloc((size_t)(command->flag_count + option_count) * sizeof *flags);
    for (*count = 0; *count < command->flag_count; ++*count) flags[*count] = command->flags[*count];
    for (int i = 0; command->takes_options && i < option_count; i++) {
        const Option *o = &option_table[i];
        static const char *const metavar[][2] = {{"N", "N N"}, {"R", "R R"}, {"NAME", "SRC TGT"}};
        flags[(*count)++] = (Flag){o->name, o->values, metavar[o->kind][o->values - 1], o->help};
    }
    return flags;
}

static int print_command_help(const Command *command, const Flag *flags, int count) {
    printf("usage: tide %s %s\n\n%s\n\n", command->name, command->usage, command->about);
    for (int i = 0; i < count; i++) {
        const int option = i - command->flag_count;
        flag_print(&flags[i], option < 0 ? NULL : option_table[option].fallback);
    }
    return 0;
}

static int run_with(const Command *command, const Flag *flags, int count, int argc, char **argv, double began) {
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return print_command_help(command, flags, count);
    Args args;
    Err err;
    int status = args_parse(&args, argc, argv, flags, count, &err);
    args.began = began;
    status = status ? usage_error("%s; see `tide %s --help`", err.reason, command->name) : command->run(&args);
    args_free(&args);
    return status;
}

static int run_command(const Command *command, int argc, char **argv, double began) {
    int count;
    Flag *flags = flags_of(command, &count);
    int status = run_with(command, flags, count, argc, argv, began);
    mem_free(flags);
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
    if (fflush(stdout) || ferror(stdout)) {
        fputs("tide: standard output cannot be written\n", stderr);
        return EXIT_FAILED;
    }
    return status;
}
