/* completion.c: completions of the command line for bash, zsh and fish. The tables of commands and flags become
   functions of the shell; the files in shell/ use them, and are the same for every version of tide. */
#include "cli/help.h"
#include "io/ds.h"

#include <stdio.h>

enum { BASH, ZSH, FISH }; /* in the order of SHELLS, as the scripts are */

static const char *const scripts[] = {
#include "cli/shell/tide.bash.inc"
    ,
#include "cli/shell/tide.zsh.inc"
    ,
#include "cli/shell/tide.fish.inc"
};

/* Prints text inside single quotes of the shell. */
static void put_quoted(const char *text, int shell) {
    for (; *text; text++)
        if (*text == '\'') fputs(shell == FISH ? "\\'" : "'\\''", stdout);
        else if (*text == '\\' && shell == FISH) fputs("\\\\", stdout);
        else putchar(*text);
}

/* Prints names that are separated by bars, with spaces between them. */
static void put_choices(const char *choices) {
    for (; *choices; choices++) putchar(*choices == '|' ? ' ' : *choices);
}

/* Prints what the values of a flag are: names, or a word that begins with @. */
static void put_values(const Command *command, const Flag *flag) {
    static const char *const words[] = {
        [VALUE_TEXT] = "@text",  [VALUE_INT] = "@text",      [VALUE_INT_OR_ZERO] = "@text",
        [VALUE_REAL] = "@text",  [VALUE_FILE] = "@file",     [VALUE_FILES] = "@file",
        [VALUE_DIR] = "@dir",    [VALUE_PRESET] = "@preset", [VALUE_COMMAND] = "@command",
        [VALUE_OPTION] = "@text"};
    const char *between = "";
    if (flag->kind == VALUE_OPTION)
        for (const Option *o = NULL; (o = option_next(command->options, o));) {
            if (o->resume == RESUME_FIXED) continue;
            printf("%s%s", between, o->name);
            between = " ";
        }
    else if (flag->choices) put_choices(flag->choices);
    else fputs(words[flag->kind], stdout);
}

/* Prints the line of a flag with values: 'COMMAND --FLAG'|'COMMAND -F') echo 'NUMBER VALUES' ;; with an empty flag for
   the words of the command line that belong to no flag. */
static void put_value_case(const Command *command, const Flag *flag, int shell) {
    enum { ANY = 9999 };
    if (!flag->values) return;
    const char *dashes = flag->name ? "--" : "", *name = flag->name ? flag->name : "";
    const char letter = flag->name ? flag_letter(flag->name) : 0;
    printf(shell == FISH ? "    case '%s %s%s'" : "    '%s %s%s'", command->name, dashes, name);
    if (letter) printf(shell == FISH ? " '%s -%c'" : "|'%s -%c'", command->name, letter);
    printf(shell == FISH ? "\n        echo '%d " : ") echo '%d ", flag->values == MANY ? ANY : flag->values);
    put_values(command, flag);
    puts(shell == FISH ? "'" : "' ;;");
}

/* Prints one line of a list: a name, and its explanation, which bash does not show. */
static void put_line(const char *dashes, const char *name, const char *help, int shell) {
    printf(shell == BASH ? " %s%s" : shell == ZSH ? "        '%s%s:" : "        echo '%s%s'\\t'", dashes, name);
    if (shell == BASH) return;
    put_quoted(help, shell);
    puts("'");
}

static void put_list_begin(const char *name, int shell) {
    if (shell == BASH) printf("    '%s') echo '", name);
    else if (shell == ZSH) printf("    '%s') lines=(\n", name);
    else printf("    case '%s'\n", name);
}

static void put_list_end(int shell) {
    if (shell == BASH) puts("' ;;");
    if (shell == ZSH) puts("    ) ;;");
}

static void put_lists(int shell) {
    put_list_begin("", shell);
    for (int i = 0; commands[i]; i++) put_line("", commands[i]->name, commands[i]->summary, shell);
    put_list_end(shell);
    put_list_begin("-", shell);
    put_line("--", "help", "list the commands", shell);
    put_line("--", "version", "print the version", shell);
    put_list_end(shell);
    for (int i = 0; commands[i]; i++) {
        Flag *flags = command_flags(commands[i]);
        put_list_begin(commands[i]->name, shell);
        for (ptrdiff_t k = 0; k < arrlen(flags); k++) put_line("--", flags[k].name, flags[k].help, shell);
        put_line("--", "help", commands[i]->groups ? "print the common flags" : "print the flags", shell);
        if (commands[i]->groups) put_line("--", "help-all", "print all flags", shell);
        put_list_end(shell);
        arrfree(flags);
    }
}

static void put_value_cases(int shell) {
    for (int i = 0; commands[i]; i++) {
        Flag *flags = command_flags(commands[i]);
        put_value_case(commands[i], &commands[i]->word, shell);
        for (ptrdiff_t k = 0; k < arrlen(flags); k++) put_value_case(commands[i], &flags[k], shell);
        arrfree(flags);
    }
}

void completion_print(int shell) {
    const bool fish = shell == FISH;
    const char *lists = fish ? "function __tide_list\n    switch \"$argv[1]\"" : "_tide_list() {\n    case $1 in";
    const char *values =
        fish ? "function __tide_values\n    switch \"$argv[1] $argv[2]\"" : "_tide_values() {\n    case \"$1 $2\" in";
    const char *end = fish ? "    end\nend" : "    esac\n}";
    if (shell == ZSH) puts("#compdef tide");
    printf("# Completions of tide, made by `tide help --completion`.\n\n"
           "# The commands (no argument), the flags of tide (-) or the flags of a command\n%s\n",
           lists);
    put_lists(shell);
    printf("%s\n\n# The number of values of a command's flag and what they are; an empty flag: words that "
           "belong to no flag\n%s\n",
           end, values);
    put_value_cases(shell);
    printf("%s\n\n%s", end, scripts[shell]);
}
