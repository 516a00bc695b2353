/* system.h: what tide needs of the operating system above core/, which has its own system.h. Every system has a file of
   its own in system/: unix.c with linux.c, or with posix.c on other systems with POSIX. A function that returns int
   returns 0, or -1 with errno set, if its comment says nothing else. */
#ifndef TIDE_IO_SYSTEM_H
#define TIDE_IO_SYSTEM_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Creates one directory. own: only its owner can use it (mode 0700). */
int directory_create(const char *path, bool own);
/* A descriptor of a directory for file_lock_now; -1 with errno set. */
int directory_open(const char *path);
/* Put on the disk: the names of the files of a directory; the name of one file; the bytes of an open file. */
int directory_sync(const char *path);
int file_sync_name(const char *path);
int file_sync(int fd);
/* Renames a file, also if `to` exists; file_replace also puts the new name on the disk. file_link gives a second name,
   where the system and the disk have such names. */
int file_rename(const char *from, const char *to);
int file_replace(const char *from, const char *to);
int file_link(const char *from, const char *to);
/* Locks an open file or directory for this process. Closing it ends the lock. If another process has the lock,
   file_lock_now fails with EWOULDBLOCK, and file_lock_wait waits. */
int file_lock_now(int fd);
void file_lock_wait(int fd);
/* Whether an open file has no name any more. */
bool file_is_removed(int fd);
/* Gives an open file the mode of the file `path`, if the system permits it. */
void file_copy_mode(int fd, const char *path);
/* Whether both paths exist and are the same file. */
bool file_is_same(const char *path, const char *other);
struct stat;
/* When the bytes of a file were changed, in nanoseconds since 1970. */
long long file_changed(const struct stat *file);
/* Whether a path must be written directly: a pipe, a device, or an open file of this process. */
bool file_is_special(const char *path);
/* realpath of a link; NULL if the path is not that of a link. */
char *path_of_link(const char *link, char real[PATH_MAX]);
/* Another descriptor of an open file, which programs that are started do not inherit. */
int file_duplicate(int fd);
/* pread. */
ssize_t file_read_some(int fd, void *bytes, size_t n, off_t at);
/* The directory for temporary files. */
const char *temporary_directory(void);
/* A file without a name for reading and writing, in `dir`, or in memory if the system has such files; -1 with errno
   set. inherited: programs that are started have it, too. */
int file_unnamed(const char *dir);
int file_in_memory(bool inherited);
/* A path that opens such a file from its start, in this process and in programs that inherit it. file_shared_path: in
   other processes of the user; "" if the system has no such path. */
enum { FD_PATH = 512 };
void file_own_path(int fd, char path[FD_PATH]);
void file_shared_path(int fd, char path[FD_PATH]);

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* read and write return the number of bytes; 0 at the end, or if nothing can be written; read -1 with errno set. A
   stream has one of them; close may be NULL. */
typedef struct StreamFunctions {
    ssize_t (*read)(void *context, char *bytes, size_t n);
    ssize_t (*write)(void *context, const char *bytes, size_t n);
    int (*close)(void *context);
} StreamFunctions;
/* A stream whose bytes come from a function, or go to one. NULL: memory is refused. */
FILE *stream_open(void *context, StreamFunctions functions);
/* Closes a stream without writing what it has buffered. */
void stream_abandon(FILE *stream);
/* Whether a whole line is in the buffer of a stream; false if the system does not tell. */
bool stream_has_line(const FILE *stream);

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* For main: returns its arguments in UTF-8, at most *argc. Some systems find the folder of the program from the first.
 */
char **program_begin(int *argc, char **argv);
/* Writes the path of the running program, without links; "": not known. program_path: FOLDER/NAME, where FOLDER is that
   of the running program. Both are cut to `size` bytes with the NUL. */
void program_own_path(char *path, size_t size);
void program_path(char *path, size_t size, const char *name);
/* Finds the program that `name` starts, in the directories of PATH if it has no slash. Returns whether there is one;
   then `path` is its path, without links. */
bool program_find(const char *name, char path[PATH_MAX]);
/* What to do if a program is missing that a package of Debian has: the end of a message, valid until the next call of
   the thread. */
const char *program_advice(const char *package);
/* Runs a program with the words of `command`, which NULL ends; words[0] is its name. It reads from the open file `in`
   (-1: nothing), and writes to the open file `out` and its errors to the open file `errors` (-1: nowhere). Returns its
   exit status, 128 if a signal ended it, or -1 with errno set if it cannot be run. */
int program_run(char *const *command, int in, int out, int errors);

/* Starts a program at the lowest priority, for long work beside that of the caller, which it outlives. It reads
   nothing, and writes its output and its errors to the open file `said`. program_stop ends it, also if the caller
   blocks signals. Returns 0 or an errno. The caller must call program_ended until that is true. */
int program_background(pid_t *id, char *const *command, int said);
/* Whether a program has ended. Then *status is its exit status; 128: a signal ended it; -1: it is not known. */
bool program_ended(pid_t id, int *status);
/* Asks a program to end. */
void program_stop(pid_t id);

/* A program that runs beside the caller. */
typedef struct Program {
    pid_t id;
    int socket; /* connected with its standard input and output */
    int said;   /* a file without a name: its standard error */
} Program;

enum { PROGRAM_SAID_SIZE = 1024 };

/* Starts a program. The caller receives what it writes. The program reads the open file `in`; if `in` is -1, it reads
   what the caller sends. Its environment has nothing but LC_ALL=C, so that no variable of the user changes what it
   does. Ctrl-C does not end it. If the process of the caller ends, the program ends, too, because it then reads the end
   of its input and cannot write. Returns 0 or an errno: ENOENT if there is no such program. Release with program_end.
 */
int program_start(Program *program, char *const *command, int in);
/* Waits until the program has written something or has ended, or, with `send`, takes more bytes. Returns whether it
   takes bytes, and nothing can be received. */
bool program_takes(const Program *program, bool send);
/* Sends bytes, as many as the program takes without waiting. Returns their number; -1: it takes no more, ever. */
ssize_t program_send(const Program *program, const void *bytes, size_t n);
/* The program then reads the end of its input. */
void program_send_end(const Program *program);
/* Receives what the program has written. Returns the number of bytes; 0 at the end. */
ssize_t program_receive(const Program *program, void *bytes, size_t n);
/* Closes the socket, waits for the end of the program, and copies the start of its standard error to `said`, a string.
   Returns its exit status; 128 if a signal ended it; or -1 if the process ignores the ends of its children. */
int program_end(Program *program, char said[PROGRAM_SAID_SIZE]);

/* Whether an open file (-1: none), or a program unless it is NULL, can be read without waiting within some
   milliseconds. Also true after an interruption or an error, which the read then finds. */
bool input_ready(int fd, const Program *program, int milliseconds);
/* Whether an open file takes a line at once; a pipe with room takes PIPE_BUF bytes. */
bool output_ready(int fd);

/* ---- terminal, signals, time, locale ----------------------------------------------------------------------------- */

/* The columns of the terminal of an open file; 0: it is none, or does not tell. */
int terminal_columns(int fd);
/* After these calls, two kinds of writes return an error and do not end the process: beyond the limit of `ulimit -f`,
   and to a pipe that nobody reads. */
void signals_ignore_limit(void);
void signals_ignore_pipes(void);
/* Calls the handler at each signal that ends a training: Ctrl-C, SIGTERM, SIGUSR1. */
void signals_of_training(void (*handler)(int number));
/* Returns an open file that becomes readable when SIGTERM or SIGINT arrives; from then on, these signals do nothing
   else. -1 with errno set. Must be called before threads start. signals_arrived: whether one has arrived since the last
   call. */
int signals_open(void);
bool signals_arrived(int fd);
/* condition_init makes a condition for condition_wait, which is pthread_cond_timedwait with a time of seconds_now:
   `until`. */
void condition_init(pthread_cond_t *condition);
int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double until);
/* Sets the locale of this thread to "C", in which numbers have a decimal point; locale_use: to one that these functions
   have returned. Return the one before. NULL, with nothing changed: memory is refused. */
void *locale_enter(void);
void *locale_use(void *locale);

/* ---- the machine ------------------------------------------------------------------------------------------------- */

/* The processors of the machine; those on which this process may run: taskset and containers limit it to some. */
int processors_all(void);
int processors_own(void);
/* Bytes that the process can still allocate: the least of the free memory of the machine, that of its control group
   (that of a container), and the free part of RLIMIT_AS. Bytes that it has in use, and the most so far. 0: unknown. */
double memory_available(void);
double memory_used(void);
double memory_peak(void);
/* Raises the limit of open files to `wanted`, or as far as permitted. Returns the limit, or `wanted` if that is less.
 */
int files_allow(int wanted);
/* n bytes, at most 256, that nobody can predict. */
int random_bytes(void *bytes, size_t n);

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

/* socket; programs that are started do not inherit it. */
int socket_open(int family, int type, int protocol);
/* Sends two parts, as many bytes as the socket takes without waiting. */
void socket_send(int fd, const void *first, size_t n, const void *second, size_t m);
/* A number that grows when bytes arrive at a TCP socket that nobody reads meanwhile; 0: the system does not tell. */
unsigned long long socket_arrived(int fd);
/* Whether the client of a socket has closed its end of the connection. */
bool socket_is_left(int fd);

#endif
