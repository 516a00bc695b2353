/* usage.c: prints what `tide COMMAND --help` prints. tide-serve links it without help.c, which needs all commands. */
#include "cli/help.h"
#include "io/ds.h"

#include <stdio.h>
#include <string.h>

static void print_flag(const Command *command, const Flag *flag) {
    char left[80], letter[8] = {'-', flag_letter(flag->name), ',', ' '};
    snprintf(left, sizeof left, "%s--%s %s%s", letter[1] ? letter : "", flag->name, flag_metavar(flag),
             command_option(command, flag) ? " *" : "");
    printf("  %-34s %s", left, flag->help);
    if (flag->fallback) printf(" (default: %s)", flag->fallback);
    putchar('\n');
}

static void print_group(const Command *command, const FlagGroup *group, const Flag *flags) {
    printf("%s:\n", group->title);
    for (const char *name = group->names; *name;) {
        const size_t length = strcspn(name, " ");
        const Flag *flag = flag_find(flags, (int)arrlen(flags), name, length);
        CHECK(flag, "the help of %s names a flag that it does not have: %s", command->name, name);
        print_flag(command, flag);
        name += length + (name[length] == ' ');
    }
}

static void print_groups(const Command *command, bool all, const Flag *flags) {
    print_group(command, command->groups, flags);
    for (const FlagGroup *group = command->groups + 1; all && group->title; group++) {
        putchar('\n');
        print_group(command, group, flags);
    }
    if (!all) printf("\n`tide %s --help-all` shows all %td flags.\n", command->name, arrlen(flags));
}

void help_command(const Command *command, bool all) {
    Flag *list = command_flags(command);
    printf("usage: tide %s %s\n\n%s\n\n", command->name, command->usage, command->about);
    if (command->groups) print_groups(command, all, list);
    for (ptrdiff_t i = 0; i < arrlen(list) && !command->groups; i++) print_flag(command, &list[i]);
    arrfree(list);
}
