/* tide help: explains the commands; prints man pages, completions and the list of presets. */
#include "cli/help.h"
#include "cli/presets.h"

#include <stdio.h>
#include <string.h>

void help_overview(void) {
    const int width = help_width();
    help_text("tide trains a Chinese-English translator with attention, translates, and shows its alignments.", 0, 0,
              width);
    puts("\n\nusage: tide COMMAND [flags]\n");
    for (int i = 0; commands[i]; i++) {
        const int column = printf("  %-11s ", commands[i]->name);
        help_text(commands[i]->summary, column, column, width);
        putchar('\n');
    }
    putchar('\n');
    help_text(
        "`tide COMMAND --help` explains a command. Text comes in on stdin, results go to stdout, everything else to\n"
        "stderr. Exit status: 0, 1 (failed), 2 (usage), 130 (Ctrl-C).",
        0, 0, width);
    putchar('\n');
}

static const Flag flags[] = {
    FLAG_SWITCH("man", "print the man page of COMMAND, or of tide, for man(1)"),
    {"completion", 1, NULL, "print the completions of the command line for a shell", .choices = SHELLS},
    FLAG_SWITCH("presets", "list the presets that `tide train --preset` finds"),
};

static int run(const Args *args, Err *err) {
    int shell = -1;
    const char *name = args->word_count ? args->words[0] : NULL;
    const Command *command = name ? command_find(name) : NULL;
    const bool man = args_has(args, "man"), presets = args_has(args, "presets");
    if (args_choice(args, "completion", &shell, err)) return -1;
    if (args->word_count > 1) return usage_error(err, "help explains one COMMAND; see `tide help --help`");
    if (name && !command) return unknown_command(err, name);
    if (man + presets + (shell >= 0) > 1 || (command && (presets || shell >= 0)))
        return usage_error(err, "help does one thing at a time; see `tide help --help`");
    if (presets) return presets_print(err);
    if (shell >= 0) completion_print(shell);
    else if (man) man_print(command);
    else if (command) help_command(command, false);
    else help_overview();
    return 0;
}

const Command command_help = {
    .name = "help",
    .summary = "explain a command; print man pages and completions",
    .usage = "[COMMAND] | --man [COMMAND] | --completion bash|zsh|fish | --presets",
    .about =
        "Explains a command, as `tide COMMAND --help` does, or lists all commands. `make install` puts the man pages\n"
        "and the completions into the folders in which man and the shells look for them.",
    COMMAND_FLAGS(flags),
    .prints = true,
    .word = {.values = 1, .kind = VALUE_COMMAND},
    .examples =
        REMARKS({"tide help --man train | man -l -", "Show the page of tide train if the man pages are not installed"},
                {"eval \"$(tide help --completion bash)\"", "Complete command lines of tide in this bash"},
                {"tide help --completion fish > ~/.config/fish/completions/tide.fish", "Complete them in every fish"}),
    .see = "train",
    .run = run,
};
