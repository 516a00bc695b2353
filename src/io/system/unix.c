#include "io/system.h"
#include "core/base.h"
#include "io/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#if defined(__APPLE__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
#define HAS_FUNOPEN
#define purge fpurge
#else
#include <stdio_ext.h>
#define purge __fpurge
#endif

#ifndef SOCK_CLOEXEC /* macOS */
#define SOCK_CLOEXEC 0
#endif
#ifndef MSG_NOSIGNAL /* macOS has an option of the socket in its place */
#define MSG_NOSIGNAL 0
#endif

extern char **environ; /* NOLINT(readability-redundant-declaration): macOS does not declare it */

enum { LOWEST_PRIORITY = 19 };

/* ---- files ------------------------------------------------------------------------------------------------------- */

int directory_create(const char *path, bool own) { return mkdir(path, own ? S_IRWXU : 0777); }
int directory_open(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int directory_sync(const char *path) {
    const int fd = directory_open(path);
    if (fd < 0) return -1;
    const int status = fsync(fd) && errno != EINVAL ? -1 : 0; /* some file systems cannot fsync a directory */
    close(fd);
    return status;
}

int file_sync(int fd) {
#ifdef F_FULLFSYNC /* macOS, whose fsync leaves the bytes in the disk's memory */
    if (!fcntl(fd, F_FULLFSYNC)) return 0;
#endif
    return fsync(fd);
}

int file_rename(const char *from, const char *to) { return rename(from, to); }
int file_link(const char *from, const char *to) { return link(from, to); }

int file_sync_name(const char *path) {
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) return errno = ENAMETOOLONG, -1;
    return directory_sync(dirname(copy));
}

int file_replace(const char *from, const char *to) { return rename(from, to) || file_sync_name(to) ? -1 : 0; }

int file_lock_now(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }

void file_lock_wait(int fd) {
    while (flock(fd, LOCK_EX) && errno == EINTR) continue;
}

bool file_is_removed(int fd) {
    struct stat info;
    return fstat(fd, &info) || info.st_nlink == 0;
}

void file_copy_mode(int fd, const char *path) {
    struct stat info;
    if (!stat(path, &info)) (void)!fchmod(fd, info.st_mode & 07777); /* fails for a file of another user */
}

bool file_is_same(const char *path, const char *other) {
    struct stat a, b;
    return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

long long file_changed(const struct stat *file) {
#ifdef __APPLE__
    const struct timespec at = file->st_mtimespec;
#else
    const struct timespec at = file->st_mtim;
#endif
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

bool file_is_special(const char *path) {
    static const char *const prefixes[] = {"/dev/std", "/dev/fd/", "/proc/", NULL};
    struct stat info;
    return starts_with_any(path, prefixes) || (!stat(path, &info) && !S_ISREG(info.st_mode));
}

char *path_of_link(const char *link, char real[PATH_MAX]) {
    struct stat info;
    return !lstat(link, &info) && S_ISLNK(info.st_mode) ? realpath(link, real) : NULL;
}

const char *temporary_directory(void) {
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

int file_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }
ssize_t file_read_some(int fd, void *bytes, size_t n, off_t at) { return pread(fd, bytes, n, at); }

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* POSIX has no streams over functions, but every system has one of two calls. FAILED: what a write that fails returns.
 */
#ifdef HAS_FUNOPEN
typedef int Size, Count;
#else
typedef size_t Size;
typedef ssize_t Count;
#endif
#ifdef __GLIBC__
enum { FAILED = 0 };
#else
enum { FAILED = -1 };
#endif

typedef struct Functions {
    void *context;
    StreamFunctions f;
} Functions;

static Count read_some(void *own, char *bytes, Size n) {
    const Functions *functions = own;
    return (Count)functions->f.read(functions->context, bytes, (size_t)n);
}

static Count write_some(void *own, const char *bytes, Size n) {
    const Functions *functions = own;
    const ssize_t written = functions->f.write(functions->context, bytes, (size_t)n);
    return written || !n ? (Count)written : FAILED; /* musl flushes by writing nothing */
}

static int close_own(void *own) {
    const Functions functions = *(Functions *)own;
    free(own);
    return functions.f.close ? functions.f.close(functions.context) : 0;
}

FILE *stream_open(void *context, StreamFunctions f) {
    Functions *own = malloc(sizeof *own);
    if (!own) return NULL;
    *own = (Functions){context, f};
#ifdef HAS_FUNOPEN
    FILE *stream = funopen(own, f.read ? read_some : NULL, f.write ? write_some : NULL, NULL, close_own);
#else
    const cookie_io_functions_t functions = {.read = read_some, .write = write_some, .close = close_own};
    FILE *stream = fopencookie(own, f.read ? "r" : "w", functions);
#endif
    if (!stream) free(own);
    return stream;
}

void stream_abandon(FILE *stream) {
    purge(stream);
    fclose(stream);
}

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

/* Programs that are started do not inherit the socket, and a lost connection is no signal. */
static int keep(int fd) {
    if (fd < 0) return fd;
    if (!SOCK_CLOEXEC) fcntl(fd, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
    setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    return fd;
}

int socket_open(int family, int type, int protocol) { return keep(socket(family, type | SOCK_CLOEXEC, protocol)); }

static int socket_pair(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return -1;
    keep(ends[0]), keep(ends[1]);
    return 0;
}

void socket_send(int fd, const void *first, size_t n, const void *second, size_t m) {
    struct iovec parts[] = {{(void *)first, n}, {(void *)second, m}};
    sendmsg(fd, &(struct msghdr){.msg_iov = parts, .msg_iovlen = 2}, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

void program_path(char *path, size_t size, const char *name) {
    char self[400];
    program_own_path(self, sizeof self);
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    snprintf(path, size, "%s/%s", self, name);
}

bool program_find(const char *name, char path[PATH_MAX]) {
    char at[PATH_MAX];
    struct stat info;
    if (strchr(name, '/')) return realpath(name, path);
    for (const char *dir = getenv("PATH"); dir; dir = strchr(dir, ':') ? strchr(dir, ':') + 1 : NULL) {
        const int n = (int)strcspn(dir, ":");
        if (snprintf(at, sizeof at, "%.*s/%s", n ? n : 1, n ? dir : ".", name) < (int)sizeof at && !access(at, X_OK) &&
            !stat(at, &info) && S_ISREG(info.st_mode))
            return realpath(at, path);
    }
    return false;
}

const char *program_advice(const char *package) {
#ifdef __APPLE__
    static const char format[] = "a package %s may have it";
#else
    static const char format[] = "install Debian's package %s";
#endif
    static _Thread_local char advice[96];
    snprintf(advice, sizeof advice, format, package);
    return advice;
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
void program_stop(pid_t id) { kill(id, SIGTERM); }

/* SIGINT and SIGTERM are blocked in the program: tide decides what they end. */
int program_start(Program *program, char *const *command, int in) {
    char locale[] = "LC_ALL=C";
    sigset_t blocked;
    int ends[2];
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    program->said = file_in_memory(false);
    if (program->said < 0) return errno;
    int error = socket_pair(ends) ? errno : 0;
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

bool program_takes(const Program *program, bool send) {
    struct pollfd socket = {.fd = program->socket, .events = (short)(send ? POLLIN | POLLOUT : POLLIN)};
    while (poll(&socket, 1, -1) < 0) continue; /* a signal */
    return !(socket.revents & ~POLLOUT);
}

ssize_t program_send(const Program *program, const void *bytes, size_t n) {
    const ssize_t sent = send(program->socket, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : sent;
}

void program_send_end(const Program *program) { shutdown(program->socket, SHUT_WR); }

ssize_t program_receive(const Program *program, void *bytes, size_t n) {
    ssize_t got;
    while ((got = recv(program->socket, bytes, n, 0)) < 0 && errno == EINTR) continue;
    return got > 0 ? got : 0;
}

int program_end(Program *program, char said[PROGRAM_SAID_SIZE]) {
    close(program->socket);
    const int status = wait_for(program->id);
    const ssize_t n = pread(program->said, said, PROGRAM_SAID_SIZE - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    close(program->said);
    return status;
}

bool input_ready(int fd, const Program *program, int milliseconds) {
    struct pollfd files[2] = {{.fd = fd, .events = POLLIN}, {.fd = program ? program->socket : -1, .events = POLLIN}};
    return poll(files, program ? 2 : 1, milliseconds) != 0;
}

bool output_ready(int fd) {
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    return poll(&room, 1, 0) == 1 && room.revents & POLLOUT;
}

/* ---- terminal, signals, time, locale ----------------------------------------------------------------------------- */

int terminal_columns(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

void signals_ignore_limit(void) { signal(SIGXFSZ, SIG_IGN); }
void signals_ignore_pipes(void) { signal(SIGPIPE, SIG_IGN); }

void signals_of_training(void (*handler)(int number)) {
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

/* The locale is made once, because with LOCPATH set every newlocale of glibc loses some bytes. */
void *locale_enter(void) {
    static _Atomic(locale_t) shared;
    locale_t there = atomic_load(&shared);
    if (!there) {
        const locale_t fresh = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (!fresh) return NULL;
        if (atomic_compare_exchange_strong(&shared, &there, fresh)) there = fresh;
        else freelocale(fresh); /* another thread was faster */
    }
    return uselocale(there);
}

void *locale_use(void *locale) { return uselocale(locale); }

/* ---- the machine ------------------------------------------------------------------------------------------------- */

int processors_all(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

double memory_peak(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return (double)usage.ru_maxrss;
#else
    return (double)usage.ru_maxrss * 1024;
#endif
}

int files_allow(int wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= (rlim_t)wanted) return wanted;
    limit.rlim_cur = limit.rlim_max < (rlim_t)wanted ? limit.rlim_max : (rlim_t)wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit)) getrlimit(RLIMIT_NOFILE, &limit);
    return (int)limit.rlim_cur;
}

int random_bytes(void *bytes, size_t n) { return getentropy(bytes, n); }
