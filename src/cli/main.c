/* main.c: finds the command. */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/suggest.h"
#include "core/kernels.h"
#include "corpus/tmx.h"
#include "io/system.h"
#include "tide.h"

#include <stdio.h>
#include <string.h>

int unknown_command(Err *err, const char *word) {
    if (!strcmp(word, "version") || !strcmp(word, "-v") || !strcmp(word, "-V"))
        return usage_error(err, "unknown command '%s'; did you mean `tide --version`?", word);
    if (word[0] == '-') return usage_error(err, "a command stands before flags such as %s; see `tide --help`", word);
    Nearest nearest = {.word = word, .distance = UNLIKE};
    for (int i = 0; commands[i]; i++) suggest_nearest(&nearest, commands[i]->name);
    if (!nearest.name) return usage_error(err, "unknown command '%s'; see `tide --help`", word);
    return usage_error(err, "unknown command '%s'; did you mean `tide %s`?", word, nearest.name);
}

/* Prints what this copy of tide cannot do, and what it lacks for that. */
static void print_missing(void) {
    static const struct {
        const char *beside, *program; /* a file beside tide, or a program; neither: expat */
        const char *text;
    } parts[] = {{.beside = "tide-serve", .text = "tide serve (no tide-serve beside tide)"},
                 {.beside = "tide-mpi", .text = "several machines (no tide-mpi)"},
                 {.text = "TMX (no expat)"},
                 {.program = "msgfmt", .text = "PO (no msgfmt)"},
                 {.program = "gzip", .text = "gzip files (no gzip)"},
                 {.program = "xz", .text = "xz files (no xz)"},
                 {.program = "zstd", .text = "zstd files (no zstd)"},
                 {.program = "unzip", .text = "zip files (no unzip)"},
                 {.program = "rsvg-convert", .text = "PNG and PDF (no rsvg-convert)"},
                 {.program = "opencc", .text = "corpus --simplify (no opencc)"}};
    char path[PATH_MAX];
    const char *before = "without: ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].beside) program_path(path, sizeof path, parts[i].beside);
        const char *name = parts[i].beside ? path : parts[i].program;
        char found[PATH_MAX];
        if (name ? program_find(name, found) : tmx_is_built()) continue;
        printf("%s%s", before, parts[i].text);
        before = ", ";
    }
    if (*before == ',') putchar('\n');
}

static int run_word(int argc, char **argv, double began) {
    const char *word = argc < 2 ? NULL : argv[1];
    if (!word || !strcmp(word, "--help") || !strcmp(word, "-h")) {
        help_overview();
        return word ? 0 : EXIT_USAGE;
    }
    if (!strcmp(word, "--version")) {
        printf("tide %s\ncommit %s, kernels %s\n", TIDE_VERSION, TIDE_COMMIT, kernels->name);
        print_missing();
        return 0;
    }
    const Command *command = command_find(word);
    if (command) return command_run(command, argc - 1, argv + 1, began);
    Err err;
    unknown_command(&err, word);
    return fail(&err);
}

int main(int argc, char **argv) { return cli_main(argc, argv, run_word); }
