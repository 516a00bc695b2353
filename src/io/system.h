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
/* Opens a directory for file_lock_now. Returns a descriptor, or -1 with errno set. */
int directory_open(const char *path);
/* fsync of a directory, so that its file names are on the disk. */
int directory_sync(const char *path);

/* Puts what was written to an open file on the disk. */
int file_sync(int fd);
/* Renames a file, also if `to` exists. */
int file_rename(const char *from, const char *to);
/* Renames a file for good: the new name is on the disk. */
int file_replace(const char *from, const char *to);
/* A second name for a file. Fails where the system or the disk has none. */
int file_link(const char *from, const char *to);
/* Locks an open file or directory for this process until it is closed. Fails with EWOULDBLOCK if another process has
   the lock; file_lock_wait then waits. */
int file_lock_now(int fd);
int file_lock_wait(int fd);
/* Whether an open file has no name any more. */
bool file_is_removed(int fd);
/* Gives an open file the mode of the file `path`, if the system permits it. */
void file_copy_mode(int fd, const char *path);
/* Whether both paths exist and are the same file. path NULL: standard input. */
bool file_is_same(const char *path, const char *other);
/* Whether a path is a pipe, a device, or an open file of this process, which must be written directly. */
bool file_is_special(const char *path);
/* Writes the absolute path of a file without links to `real` and returns it; NULL with errno set if there is no such
   file. link: the same, but NULL if the file is not a link. */
char *path_absolute(const char *path, char real[PATH_MAX]);
char *path_of_link(const char *link, char real[PATH_MAX]);

/* pread. */
ssize_t file_read_some(int fd, void *bytes, size_t n, off_t at);
/* A file without a name in `dir`, for reading and writing; -1 with errno set. */
int file_unnamed(const char *dir);
/* A file without a name, in memory if the system has such files. inherited: programs that are started have it, too. */
int file_in_memory(bool inherited);
enum { FD_PATH = 64 };
/* Writes a path at which an open file without a name can be opened again from its start by this process, and by
   programs that inherit it. */
void file_own_path(int fd, char path[FD_PATH]);
/* The same for other processes of the user; "" if the system has no such path. */
void file_shared_path(int fd, char path[FD_PATH]);

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* What a stream calls. read and write return the number of bytes; 0 at the end, or if nothing can be written; -1 with
   errno set. NULL: the stream is not for this. */
typedef struct StreamFunctions {
    ssize_t (*read)(void *context, char *bytes, size_t n);
    ssize_t (*write)(void *context, const char *bytes, size_t n);
    int (*close)(void *context);
} StreamFunctions;
/* A stream over functions; NULL if memory is refused. A system may call them in another thread until stream_flush or
   stream_close returns. */
FILE *stream_open(void *context, StreamFunctions functions);
int stream_flush(FILE *stream);
int stream_close(FILE *stream);
/* Closes a stream without writing what it has buffered. */
void stream_abandon(FILE *stream);
/* Whether a whole line is in the buffer of a stream; false if the system does not tell. */
bool stream_has_line(const FILE *stream);

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* For main: the name by which the program was started, from which some systems find its folder. */
void program_begin(const char *name);
/* Writes the path of the running program without links; "" if it is not known. */
void program_own_path(char *path, size_t size);
/* Writes FOLDER/NAME to `path`, where FOLDER is the folder of the running program; cut to `size` bytes with the NUL. */
void program_path(char *path, size_t size, const char *name);

/* Continues as another program: argv[0] is its path. Returns only if that fails. */
int program_become(char *const *argv);

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
 * milliseconds. */
bool input_ready(int fd, const Program *program, int milliseconds);
/* Whether PIPE_BUF bytes can be written to an open file without waiting. */
bool output_ready(int fd);

/* ---- terminal, signals, time, locale ----------------------------------------------------------------------------- */

/* The columns of the terminal of an open file; 0 if it is none, or does not tell. */
int terminal_columns(int fd);

/* A write beyond the limit of `ulimit -f` then fails as on a full disk; with `pipes`, one to a pipe that nobody reads,
 * too. */
void signals_ignore(bool pipes);
/* Calls the handler with the number of each signal that asks for the end of a training: Ctrl-C, SIGTERM, SIGUSR1. */
void signals_catch(void (*handler)(int number));
/* An open file that can be read after SIGTERM or SIGINT, which then do nothing else; -1 with errno set. For main,
   before it starts threads. Release with close. */
int signals_open(void);
/* Whether a signal has arrived since the last call. */
bool signals_arrived(int fd);

/* A condition, and the wait for it until a time of seconds_now. Returns 0, or ETIMEDOUT. */
void condition_init(pthread_cond_t *condition);
int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double until);

/* Sets the locale of the calling thread to "C", in which numbers have a decimal point. Returns the one before; NULL,
   with nothing changed, if memory is refused. */
void *locale_enter(void);
/* Sets the locale of the calling thread to one that locale_enter or this function has returned. Returns the one before.
 */
void *locale_use(void *locale);

/* ---- the machine ------------------------------------------------------------------------------------------------- */

/* The processors of the machine, and those on which this process may run: taskset and containers can limit it to some.
 */
int processors_all(void);
int processors_own(void);
/* Bytes that the process can still allocate: the least of the free memory of the machine, that of its control group
   (that of a container), and the free part of RLIMIT_AS. 0: unknown. */
double memory_available(void);
/* Bytes of memory that the process has in use, now and at most so far; 0: unknown. */
double memory_used(void);
double memory_peak(void);
/* Raises the limit of open files to `wanted`, or as far as the system permits. Returns the limit, or `wanted` if it is
 * less. */
int files_allow(int wanted);
/* Bytes that nobody can predict; n at most 256. */
int random_bytes(void *bytes, size_t n);

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

/* socket and socketpair. Programs that are started do not inherit them. */
int socket_open(int family, int type, int protocol);
int socket_pair(int ends[2]);
/* Sends two parts, as many bytes as the socket takes without waiting. */
void socket_send(int fd, const void *first, size_t n, const void *second, size_t m);
/* A number that grows when bytes arrive at a TCP socket that the caller does not read meanwhile; 0 if the system does
   not tell. */
unsigned long long socket_arrived(int fd);
/* Whether the client of a socket has closed its end of the connection. */
bool socket_is_left(int fd);

#endif
