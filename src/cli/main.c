/* main.c: finds the command. */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/suggest.h"
#include "core/kernels.h"
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
    if (command) return command_run(command, argc - 1, argv + 1, began);
    Err err;
    unknown_command(&err, word);
    return fail(&err);
}

int main(int argc, char **argv) { return cli_main(argc, argv, run_word); }
