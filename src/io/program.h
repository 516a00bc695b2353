/* program.h: the folder of the running program, and other programs. */
#ifndef TIDE_PROGRAM_H
#define TIDE_PROGRAM_H

#include "core/base.h"

#include <stddef.h>

/* Writes FOLDER/NAME to `path`, where FOLDER is the folder of the running program; cut to `size` bytes with the NUL. */
void program_path(char *path, size_t size, const char *name);

/* Runs a program with the words of `command`, which NULL ends; words[0] is its name. It reads from the open file `in`
   (-1: nothing), and writes to the open file `out` and its errors to the open file `errors` (-1: nowhere). Returns its
   exit status, 128 if a signal ended it, or -1 if it cannot be run. */
int program_run(char *const *command, int in, int out, int errors);

#endif
