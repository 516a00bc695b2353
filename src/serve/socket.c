#include "serve/socket.h"

#include "io/system.h"
#include "io/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char unix_scheme[] = "unix:";

uint64_t address_group(const struct sockaddr *address) {
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    uint32_t four = 0;
    uint64_t network;
    if (address->sa_family == AF_INET) four = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
    else if (address->sa_family != AF_INET6 || IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)) return 0;
    else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) memcpy(&four, &six->sin6_addr.s6_addr[12], sizeof four);
    memcpy(&network, &six->sin6_addr, sizeof network);
    if (!four) return network;
    return ntohl(four) >> 24 == IN_LOOPBACKNET ? 0 : four;
}

uint64_t socket_client(int fd, char client[CLIENT_SIZE]) {
    struct sockaddr_storage storage = {.ss_family = AF_UNSPEC};
    struct sockaddr *address = (struct sockaddr *)&storage;
    socklen_t size = sizeof storage;
    getpeername(fd, address, &size);
    if (address->sa_family == AF_UNIX) snprintf(client, CLIENT_SIZE, "%s", unix_scheme);
    else if (getnameinfo(address, size, client, CLIENT_SIZE, NULL, 0, NI_NUMERICHOST))
        snprintf(client, CLIENT_SIZE, "-");
    return address_group(address);
}

/* Splits an address into host and port. Returns 0, or -1 if it has no port or is too long. */
static int split(const char *listen, char host[ADDRESS_SIZE], const char **port) {
    const char *colon = strrchr(listen, ':');
    *port = colon ? colon + 1 : listen;
    size_t n = colon ? (size_t)(colon - listen) : 0;
    if (n > 1 && *listen == '[' && listen[n - 1] == ']') listen++, n -= 2;
    /* getaddrinfo takes a port above 65535 modulo 65536 */
    if (n >= ADDRESS_SIZE || !**port || strlen(*port) > 5 || **port == '-' || strtol(*port, NULL, 10) > 65535)
        return -1;
    snprintf(host, ADDRESS_SIZE, "%.*s", (int)n, n ? listen : "");
    if (!n) snprintf(host, ADDRESS_SIZE, "127.0.0.1");
    return 0;
}

/* Binds a socket and listens. Returns -1 with errno set. */
static int listen_at(int fd, const struct sockaddr *address, socklen_t size) {
    return bind(fd, address, size) || listen(fd, SOMAXCONN) ? -1 : 0;
}

/* Closes a socket and keeps errno. Returns -1. */
static int give_up(int fd) {
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Opens a socket for one address. Returns -1 with errno set. */
static int open_at(const struct addrinfo *at) {
    const int fd = socket_open(at->ai_family, at->ai_socktype, at->ai_protocol), on = 1;
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return listen_at(fd, at->ai_addr, at->ai_addrlen) ? give_up(fd) : fd;
}

static int open_host(const char *listen, Err *err) {
    char host[ADDRESS_SIZE];
    const char *port;
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    if (split(listen, host, &port)) return err_set(err, listen, 0, "not an address HOST:PORT, such as 127.0.0.1:5000");
    const int error = getaddrinfo(host, port, &wanted, &found);
    if (error)
        return err_set(err, listen, 0, "%s; an address is HOST:PORT, such as 127.0.0.1:5000", gai_strerror(error));
    const int fd = open_at(found);
    if (fd < 0) err_set(err, listen, 0, "%s", strerror(errno));
    freeaddrinfo(found);
    return fd;
}

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

static int open_path(const char *path, Err *err) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof at.sun_path)
        return err_set(err, path, 0, "the path of a socket must have 1 to %zu bytes", sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path));
    const int fd = socket_open(AF_UNIX, SOCK_STREAM, 0);
    int status = fd < 0 ? -1 : listen_at(fd, (const struct sockaddr *)&at, sizeof at);
    if (fd >= 0 && status && errno == EADDRINUSE && is_left_over(&at)) {
        unlink(path);
        status = listen_at(fd, (const struct sockaddr *)&at, sizeof at);
    }
    if (!status) return fd;
    err_set(err, path, 0, "%s", strerror(errno));
    return fd < 0 ? -1 : give_up(fd);
}

/* ---- a socket of systemd ---------------------------------------------------------------------------------------- */

static long number_of(const char *variable) {
    const char *value = getenv(variable);
    return value ? strtol(value, NULL, 10) : 0;
}

/* The number of sockets that systemd has passed to this process. */
static long passed_count(void) { return number_of("LISTEN_PID") == getpid() ? number_of("LISTEN_FDS") : 0; }

static int take_passed(Err *err) {
    enum { FIRST_PASSED = 3 };
    int listens = 0, type = 0;
    socklen_t size = sizeof listens, type_size = sizeof type;
    if (passed_count() > 1) return err_set(err, NULL, 0, "systemd has passed %ld sockets, not one", passed_count());
    if (getsockopt(FIRST_PASSED, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens ||
        getsockopt(FIRST_PASSED, SOL_SOCKET, SO_TYPE, &type, &type_size) || type != SOCK_STREAM)
        return err_set(err, NULL, 0, "what systemd has passed is not a socket that listens: use ListenStream=");
    fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC);
    return FIRST_PASSED;
}

/* ----------------------------------------------------------------------------------------------------------------- */

static void write_address(int fd, char address[ADDRESS_SIZE]) {
    struct sockaddr_storage own = {0};
    const struct sockaddr_un *path = (const struct sockaddr_un *)&own;
    socklen_t size = sizeof own;
    char host[INET6_ADDRSTRLEN + 1] = "?", port[8] = "?";
    getsockname(fd, (struct sockaddr *)&own, &size);
    if (own.ss_family == AF_UNIX) {
        snprintf(address, ADDRESS_SIZE, "%s%.107s", unix_scheme, path->sun_path);
        return;
    }
    getnameinfo((struct sockaddr *)&own, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(address, ADDRESS_SIZE, own.ss_family == AF_INET6 ? "http://[%s]:%s" : "http://%s:%s", host, port);
}

int listener_open(Listener *l, const char *listen, Err *err) {
    *l = (Listener){.passed = passed_count() > 0};
    if (!l->passed && starts_with(listen, unix_scheme)) l->path = listen + strlen(unix_scheme);
    l->fd = l->passed ? take_passed(err) : l->path ? open_path(l->path, err) : open_host(listen, err);
    if (l->fd < 0) return -1;
    write_address(l->fd, l->address);
    return 0;
}

bool listener_is_loopback(const Listener *l) {
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    return !getsockname(l->fd, (struct sockaddr *)&own, &size) && own.ss_family != AF_UNIX &&
           !address_group((const struct sockaddr *)&own);
}

void listener_end(Listener *l) {
    if (l->path) unlink(l->path);
    if (!l->passed) shutdown(l->fd, SHUT_RDWR);
}
