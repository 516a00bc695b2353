#include "serve/system/sockets.h"
#include "io/system.h"
#include "serve/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void socket_close(int fd) { close(fd); }
int socket_fails(const char *listen, Err *err) { return err_set(err, listen, 0, "%s", strerror(errno)); }

/* ---- Unix sockets ----------------------------------------------------------------------------------------------- */

/* Whether the address is that of a socket on which nobody listens. */
static bool is_left_over(const struct sockaddr_un *at) {
    struct stat file;
    if (lstat(at->sun_path, &file) || !S_ISSOCK(file.st_mode)) return false;
    const int fd = socket_open(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return false;
    const bool refused = connect(fd, (const struct sockaddr *)at, sizeof *at) && errno == ECONNREFUSED;
    close(fd);
    return refused;
}

int socket_at_path(const char *path, Err *err) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof at.sun_path)
        return err_set(err, path, 0, "the path of a socket must have 1 to %zu bytes", sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path));
    const int fd = socket_open(AF_UNIX, SOCK_STREAM, 0);
    int status = fd < 0 ? -1 : socket_listen(fd, (const struct sockaddr *)&at, sizeof at);
    if (fd >= 0 && status && errno == EADDRINUSE && is_left_over(&at)) {
        unlink(path);
        status = socket_listen(fd, (const struct sockaddr *)&at, sizeof at);
    }
    if (!status) return fd;
    socket_fails(path, err);
    if (fd >= 0) close(fd);
    return -1;
}

/* ---- a socket of systemd ---------------------------------------------------------------------------------------- */

static long number_of(const char *variable) {
    const char *value = getenv(variable);
    return value ? strtol(value, NULL, 10) : 0;
}

/* The number of sockets that systemd has passed to this process. */
long sockets_passed(void) { return number_of("LISTEN_PID") == getpid() ? number_of("LISTEN_FDS") : 0; }

int socket_take_passed(Err *err) {
    enum { FIRST_PASSED = 3 };
    int listens = 0, type = 0;
    socklen_t size = sizeof listens, type_size = sizeof type;
    if (sockets_passed() > 1) return err_set(err, NULL, 0, "systemd has passed %ld sockets, not one", sockets_passed());
    if (getsockopt(FIRST_PASSED, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens ||
        getsockopt(FIRST_PASSED, SOL_SOCKET, SO_TYPE, &type, &type_size) || type != SOCK_STREAM)
        return err_set(err, NULL, 0, "what systemd has passed is not a socket that listens: use ListenStream=");
    fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC);
    return FIRST_PASSED;
}
