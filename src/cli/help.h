/* help.h: what tide says about itself: help, man pages and completions. All of it comes from the tables of commands,
   flags and options. The functions print to standard output. */
#ifndef TIDE_HELP_H
#define TIDE_HELP_H

#include "cli/cli.h"

/* The width for help in columns: of the environment variable COLUMNS, or of the terminal. 0: neither is known; then
   help keeps the line breaks of its texts. */
int help_width(void);
/* Prints a text whose first line begins in `column`, and its other lines in the column `indent`. Long lines get new
   line breaks for the width. The line breaks after short lines and around empty ones stay. Returns the column of the
   end. */
int help_text(const char *text, int column, int indent, int width);
/* Prints what `tide --help` prints: the list of commands. */
void help_overview(void);
/* Prints what `tide COMMAND --help` prints; all: what --help-all prints. */
void help_command(const Command *command, bool all);
/* Prints the man page tide-COMMAND(1), or tide(1) if command is NULL, in the language mdoc(7). */
void man_print(const Command *command);
/* Prints the completions for a shell; shell: an index in SHELLS. */
#define SHELLS "bash|zsh|fish"
void completion_print(int shell);

#endif
