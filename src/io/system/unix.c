#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOWEST_PRIORITY = 19 };

void program_path(char *path, size_t size, const char *name) {
    char self[400] = "";
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    snprintf(path, size, "%s/%s", self, name);
}

/* The standard file `number` of the program is the open file fd, or /dev/null if fd is -1. */
static int use(posix_spawn_file_actions_t *actions, int number, int fd) {
    if (fd >= 0) return posix_spawn_file_actions_adddup2(actions, fd, number);
    return posix_spawn_file_actions_addopen(actions, number, "/dev/null", number ? O_WRONLY : O_RDONLY, 0);
}

/* Starts a program with these standard files. Returns 0 or an errno. */
static int spawn(pid_t *id, char *const *command, const int files[3], const posix_spawnattr_t *attributes,
                 char *const *environment) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    for (int i = 0; i < 3 && !error; i++) error = use(&actions, i, files[i]);
    if (!error) error = posix_spawnp(id, command[0], &actions, attributes, command, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Waits for a program as waitpid(2) with these options does. Returns whether it has ended. */
static bool reap(pid_t id, int options, int *status) {
    pid_t found;
    while ((found = waitpid(id, status, options)) < 0 && errno == EINTR) continue;
    if (found) *status = found < 0 ? -1 : WIFEXITED(*status) ? WEXITSTATUS(*status) : 128;
    return found;
}

/* Returns the exit status of a program that has ended or will end; 128: a signal ended it; -1: it is not known. */
static int wait_for(pid_t id) {
    int status = -1;
    reap(id, 0, &status);
    return status;
}

int program_run(char *const *command, int in, int out, int errors) {
    pid_t id = 0;
    errno = spawn(&id, command, (int[]){in, out, errors}, NULL, environ);
    return errno ? -1 : wait_for(id);
}

/* ---- programs that run beside the caller ------------------------------------------------------------------------ */

/* Starts a program that runs beside the caller, with these signals blocked in it. All other signals are not blocked,
   and SIGPIPE ends the program when nobody reads what it writes. Without this, the program would inherit that the
   server ignores SIGPIPE and blocks signals in its threads. */
static int spawn_beside(pid_t *id, char *const *command, const int files[3], const sigset_t *blocked,
                        char *const *environment) {
    sigset_t usual;
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error) return error;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, blocked);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error = spawn(id, command, files, &attributes, environment);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int program_background(pid_t *id, char *const *command, int said) {
    sigset_t none;
    sigemptyset(&none);
    const int error = spawn_beside(id, command, (int[]){-1, said, said}, &none, environ);
    if (!error) setpriority(PRIO_PROCESS, (id_t)*id, LOWEST_PRIORITY);
    return error;
}

bool program_ended(pid_t id, int *status) { return reap(id, WNOHANG, status); }

/* SIGINT and SIGTERM are blocked in the program: tide decides what they end. */
int program_start(Program *program, char *const *command, int in) {
    char locale[] = "LC_ALL=C";
    sigset_t blocked;
    int ends[2];
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    program->said = memfd_create("said", MFD_CLOEXEC);
    if (program->said < 0) return errno;
    int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? errno : 0;
    if (!error) {
        program->socket = ends[0];
        error = spawn_beside(&program->id, command, (int[]){in < 0 ? ends[1] : in, ends[1], program->said}, &blocked,
                             (char *[]){locale, NULL});
        close(ends[1]);
        if (error) close(ends[0]);
    }
    if (error) close(program->said);
    return error;
}

int program_end(Program *program, char said[PROGRAM_SAID_SIZE]) {
    close(program->socket);
    const int status = wait_for(program->id);
    const ssize_t n = pread(program->said, said, PROGRAM_SAID_SIZE - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    close(program->said);
    return status;
}
