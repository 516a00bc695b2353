/* program.h: the folder of the running program, and other programs. */
#ifndef TIDE_PROGRAM_H
#define TIDE_PROGRAM_H

#include "core/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Writes FOLDER/NAME to `path`, where FOLDER is the folder of the running program; cut to `size` bytes with the NUL. */
void program_path(char *path, size_t size, const char *name);

/* Runs a program with the words of `command`, which NULL ends; words[0] is its name. It reads from the open file `in`
   (-1: nothing), and writes to the open file `out` and its errors to the open file `errors` (-1: nowhere). Returns its
   exit status, 128 if a signal ended it, or -1 with errno set if it cannot be run. */
int program_run(char *const *command, int in, int out, int errors);

/* Starts a program at the lowest priority, for long work beside that of the caller, which it outlives. It reads
   nothing, and writes its output and its errors to the open file `said`. SIGTERM ends it, also if the caller blocks
   signals. Returns 0 or an errno. The caller must call program_ended until that is true. */
int program_background(pid_t *id, char *const *command, int said);
/* Whether a program has ended. Then *status is its exit status; 128: a signal ended it; -1: it is not known. */
bool program_ended(pid_t id, int *status);

/* A program that runs beside the caller. */
typedef struct Program {
    pid_t id;
    int socket; /* connected with its standard input and output */
    int said;   /* a file in memory: its standard error */
} Program;

enum { PROGRAM_SAID_SIZE = 1024 };

/* Starts a program. The caller receives from program->socket what it writes. The program reads the open file `in`; if
   `in` is -1, it reads what the caller sends to program->socket. Its environment has nothing but LC_ALL=C, so that no
   variable of the user changes what it does. Ctrl-C does not end it. If the process of the caller ends, the program
   ends, too, because it then reads the end of its input and cannot write. Returns 0 or an errno: ENOENT if there is no
   such program. Release with program_end. */
int program_start(Program *program, char *const *command, int in);
/* Closes the socket, waits for the end of the program, and copies the start of its standard error to `said`, a string.
   Returns its exit status; 128 if a signal ended it; or -1 if the process ignores the ends of its children. */
int program_end(Program *program, char said[PROGRAM_SAID_SIZE]);

#endif
