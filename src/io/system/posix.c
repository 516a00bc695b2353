#include "io/system.h"
#include "core/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* POSIX has no call that opens a file and closes it in programs that are started; one that another thread starts in
   between inherits the file. */
static int close_in_programs(int fd) {
    if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Creates a file and removes its name. If the process is killed between the two, the file stays. */
int file_unnamed(const char *dir) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/tide-XXXXXX", dir) >= (int)sizeof path) return errno = ENAMETOOLONG, -1;
    const int fd = close_in_programs(mkstemp(path));
    if (fd >= 0) unlink(path);
    return fd;
}

/* POSIX has no files in memory: one in the directory for temporary files. */
int file_in_memory(bool inherited) {
    const int fd = file_unnamed(temporary_directory());
    if (fd >= 0 && inherited) fcntl(fd, F_SETFD, 0);
    return fd;
}

/* On some systems the path has the offset of the open file. */
void file_own_path(int fd, char path[FD_PATH]) {
    lseek(fd, 0, SEEK_SET);
    snprintf(path, FD_PATH, "/dev/fd/%d", fd);
}

/* POSIX has no path to an open file of another process: each rank on a machine gets a copy of the data. */
void file_shared_path(int fd, char path[FD_PATH]) { (void)fd, *path = '\0'; }

/* POSIX does not tell: a batch then ends where the bytes that the system has end. */
bool stream_has_line(const FILE *stream) { return (void)stream, false; }

static char own_path[PATH_MAX];

/* POSIX does not tell where a program lies. */
char **program_begin(int *argc, char **argv) {
    (void)argc;
    if (!program_find(argv[0], own_path)) *own_path = '\0';
    return argv;
}

void program_own_path(char *path, size_t size) { snprintf(path, size, "%s", own_path); }

/* A handler writes a byte to a pipe: POSIX has no file of signals. */
static int signal_pipe[2] = {-1, -1};

static void write_signal(int number) {
    const int error = errno;
    (void)!write(signal_pipe[1], &(char){(char)number}, 1);
    errno = error;
}

int signals_open(void) {
    if (signal_pipe[1] >= 0) close(signal_pipe[1]); /* of an earlier call, whose file is closed */
    if (pipe(signal_pipe)) return -1;
    for (int i = 0; i < 2; i++) fcntl(close_in_programs(signal_pipe[i]), F_SETFL, O_NONBLOCK);
    const struct sigaction action = {.sa_handler = write_signal, .sa_flags = SA_RESTART};
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    return signal_pipe[0];
}

bool signals_arrived(int fd) {
    char number;
    return read(fd, &number, 1) == 1;
}

/* POSIX does not limit a process to some processors. */
int processors_own(void) { return processors_all(); }

/* POSIX does not tell what is free: half of the memory of the machine, and what RLIMIT_AS leaves of the most that the
   process has used. */
double memory_available(void) {
    struct rlimit limit;
    double least = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) {
        const double left = (double)limit.rlim_cur - memory_peak();
        if (least <= 0 || left < least) least = left;
    }
    return least > 0 ? least : 0;
}

/* POSIX does not tell what is in use now. */
double memory_used(void) { return memory_peak(); }

/* The bytes that have not been read. */
unsigned long long socket_arrived(int fd) {
    int unread = 0;
    return ioctl(fd, FIONREAD, &unread) ? 0 : (unsigned long long)unread;
}

/* Is not noticed while bytes are unread. */
bool socket_is_left(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}
