/* usage.c: prints what `tide COMMAND --help` prints. tide-serve links it without help.c, which needs all commands. */
#include "cli/help.h"
#include "io/ds.h"
#include "io/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- text for the width of the terminal ------------------------------------------------------------------------- */

/* The columns of n bytes; the help has no wide characters. */
static int columns_of(const char *text, size_t n) {
    int columns = 0;
    for (size_t i = 0; i < n; i++) columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

int help_width(void) {
    enum { LEAST = 40, MOST = 10000 };
    const char *given = getenv("COLUMNS");
    long columns = given ? strtol(given, NULL, 10) : 0;
    if (columns < 1) columns = terminal_columns(STDOUT_FILENO);
    if (columns < 1 || columns > MOST) return 0;
    return columns < LEAST ? LEAST : (int)columns;
}

/* Prints n bytes from `column` on, with new line breaks instead of those in the text. Returns the column of the end. */
static int print_words(const char *text, size_t n, int column, int indent, int width) {
    for (size_t i = 0; i < n;) {
        const size_t blanks = strspn(text + i, " \n"), word = strcspn(text + i + blanks, " \n");
        if (!word || i + blanks >= n) break;
        const int columns = columns_of(text + i + blanks, word);
        if (width && column > indent && column + (int)blanks + columns > width) {
            printf("\n%*s", indent, "");
            column = indent;
        } else {
            printf("%*s", (int)blanks, "");
            column += (int)blanks;
        }
        printf("%.*s", (int)word, text + i + blanks);
        column += columns;
        i += blanks + word;
    }
    return column;
}

/* The bytes of the text before the next line break that help_text keeps. */
static size_t paragraph_length(const char *text) {
    enum { WHOLE = 85 /* a line with fewer bytes ends its paragraph */ };
    size_t line = strcspn(text, "\n"), n = line;
    while (line >= WHOLE && text[n] && !strchr("\n ", text[n + 1])) {
        line = strcspn(text + n + 1, "\n");
        n += 1 + line;
    }
    return n;
}

int help_text(const char *text, int column, int indent, int width) {
    while (*text) {
        const size_t n = width ? paragraph_length(text) : strcspn(text, "\n");
        column = print_words(text, n, column, indent, width);
        text += n;
        if (!*text) break;
        text++;
        printf("\n%*s", *text == '\n' ? 0 : indent, "");
        column = indent;
    }
    return column;
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

static void print_flag(const Command *command, const Flag *flag, int width) {
    enum { LEFT = 37, BELOW = 8 /* columns before the text, beside the flag or on the lines below */ };
    char left[80], letter[8] = {'-', flag_letter(flag->name), ',', ' '};
    const char *metavar = flag_metavar(flag);
    snprintf(left, sizeof left, "%s--%s%s%s%s", letter[1] ? letter : "", flag->name, *metavar ? " " : "", metavar,
             command_option(command, flag) ? " *" : "");
    const bool below = width && width < 2 * LEFT;
    const int indent = below ? BELOW : LEFT;
    int column = printf(below ? "  %s" : "  %-34s ", left);
    if (below) column = printf("\n%*s", BELOW, "") - 1;
    column = help_text(flag->help, column, indent, width);
    if (flag->fallback) {
        char fallback[128];
        snprintf(fallback, sizeof fallback, " (default: %s)", flag->fallback);
        help_text(fallback, column, indent, width);
    }
    putchar('\n');
}

static void print_group(const Command *command, const FlagGroup *group, const Flag *flags, int width) {
    printf("%s:\n", group->title);
    for (const char *name = group->names; *name;) {
        const size_t length = strcspn(name, " ");
        const Flag *flag = flag_find(flags, (int)arrlen(flags), name, length);
        CHECK(flag, "the help of %s names a flag that it does not have: %s", command->name, name);
        print_flag(command, flag, width);
        name += length + (name[length] == ' ');
    }
}

static void print_groups(const Command *command, bool all, const Flag *flags, int width) {
    print_group(command, command->groups, flags, width);
    for (const FlagGroup *group = command->groups + 1; all && group->title; group++) {
        putchar('\n');
        print_group(command, group, flags, width);
    }
    if (!all) printf("\n`tide %s --help-all` shows all %td flags.\n", command->name, arrlen(flags));
}

void help_command(const Command *command, bool all) {
    enum { USAGE = 7 /* columns of "usage: " */ };
    Flag *list = command_flags(command);
    const int width = help_width(), column = printf("usage: tide %s ", command->name);
    help_text(command->usage, column, USAGE, width);
    fputs("\n\n", stdout);
    help_text(command->about, 0, 0, width);
    fputs("\n\n", stdout);
    if (command->groups) print_groups(command, all, list, width);
    for (ptrdiff_t i = 0; i < arrlen(list) && !command->groups; i++) print_flag(command, &list[i], width);
    arrfree(list);
}
