#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h> /* its tcp_info has more fields than that of netinet/tcp.h */
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* If the file system does not support O_TMPFILE, creates a file and removes its name. */
int file_unnamed(const char *dir) {
    const int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/tide-XXXXXX", dir) >= (int)sizeof path) return errno = ENAMETOOLONG, -1;
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0) unlink(path);
    return named;
}

int file_in_memory(bool inherited) { return memfd_create("tide", inherited ? 0 : MFD_CLOEXEC); }

void file_own_path(int fd, char path[FD_PATH]) { snprintf(path, FD_PATH, "/proc/self/fd/%d", fd); }
void file_shared_path(int fd, char path[FD_PATH]) { snprintf(path, FD_PATH, "/proc/%d/fd/%d", (int)getpid(), fd); }

bool stream_has_line(const FILE *stream) {
#ifdef __GLIBC__ /* the C standard has no function for this */
    const size_t buffered = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);
    return buffered && memchr(stream->_IO_read_ptr, '\n', buffered);
#else
    return (void)stream, false;
#endif
}

static char started[PATH_MAX]; /* the path of the program, for a root without /proc */

char **program_begin(int *argc, char **argv) {
    (void)argc;
    if (!program_find(argv[0], started)) *started = '\0';
    return argv;
}

void program_own_path(char *path, size_t size) {
    const ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n > 0) path[n] = '\0';
    else snprintf(path, size, "%s", started);
}

int signals_open(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

bool signals_arrived(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info;
}

void condition_init(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* that of seconds_now */
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double until) {
    const struct timespec moment = {(time_t)until, (long)((until - (double)(time_t)until) * 1e9)};
    return pthread_cond_timedwait(condition, mutex, &moment);
}

int processors_own(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? processors_all() : CPU_COUNT(&set);
}

/* Reads the number in a file: the one after `name`, or the first one if name is "". Returns -1 if there is none. */
static double number_in(const char *path, const char *name) {
    char line[256];
    double number = -1;
    FILE *file = fopen(path, "re");
    while (file && number < 0 && fgets(line, sizeof line, file)) {
        const size_t n = strlen(name);
        if (strncmp(line, name, n) != 0) continue;
        char *end;
        const double read = strtod(line + n, &end);
        if (end > line + n) number = read;
    }
    if (file) fclose(file);
    return number;
}

double memory_available(void) {
    /* Control groups, version 2 and version 1: limit, memory in use, and of this the cached files that the system takes
       back when it needs memory. Without a limit, the file has "max" (version 2) or a huge number (version 1). */
    static const struct {
        const char *limit, *used, *stat, *cached;
    } groups[] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
         "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"}};
    double least = number_in("/proc/meminfo", "MemAvailable:") * 1024;
    struct rlimit limit;
    for (int i = 0; i < 2; i++) {
        const double most = number_in(groups[i].limit, ""), used = number_in(groups[i].used, "");
        const double left = most - used + fmax(0, number_in(groups[i].stat, groups[i].cached));
        if (most > 0 && used >= 0 && (least < 0 || left < least)) least = fmax(left, 1);
    }
    const double own = number_in("/proc/self/status", "VmSize:") * 1024;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY && own > 0) {
        const double left = (double)limit.rlim_cur - own;
        if (least < 0 || left < least) least = left;
    }
    return least > 0 ? least : 0;
}

double memory_used(void) { return fmax(0, number_in("/proc/self/status", "VmRSS:") * 1024); }

unsigned long long socket_arrived(int fd) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : info.tcpi_bytes_received;
}

bool socket_is_left(int fd) {
    struct pollfd socket = {.fd = fd, .events = POLLRDHUP};
    return poll(&socket, 1, 0) > 0;
}
