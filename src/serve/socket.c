#include "serve/socket.h"

#include "io/system.h"
#include "io/utf8.h"
#include "serve/system/sockets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool address_is(const char *text, bool six) {
    struct in6_addr address;
    return inet_pton(six ? AF_INET6 : AF_INET, text, &address) == 1;
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

int socket_listen(int fd, const struct sockaddr *address, socklen_t size) {
    return bind(fd, address, size) || listen(fd, SOMAXCONN) ? -1 : 0;
}

/* Opens a socket for one address. Returns -1 with *err filled. */
static int open_at(const struct addrinfo *at, const char *listen, Err *err) {
    const int fd = socket_open(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (fd < 0) return socket_fails(listen, err);
    setsockopt(fd, SOL_SOCKET, SO_RESTART, (const void *)&(int){1}, sizeof(int));
    if (!socket_listen(fd, at->ai_addr, at->ai_addrlen)) return fd;
    socket_fails(listen, err);
    socket_close(fd);
    return -1;
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
    const int fd = open_at(found, listen, err);
    freeaddrinfo(found);
    return fd;
}

/* ----------------------------------------------------------------------------------------------------------------- */

static void write_address(int fd, char address[ADDRESS_SIZE]) {
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    char host[INET6_ADDRSTRLEN + 1] = "?", port[8] = "?";
    getsockname(fd, (struct sockaddr *)&own, &size);
    if (own.ss_family == AF_UNIX) {
        snprintf(address, ADDRESS_SIZE, "%s%.107s", unix_scheme,
                 (const char *)&own + offsetof(struct sockaddr, sa_data));
        return;
    }
    getnameinfo((struct sockaddr *)&own, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(address, ADDRESS_SIZE, own.ss_family == AF_INET6 ? "http://[%s]:%s" : "http://%s:%s", host, port);
}

int listener_open(Listener *l, const char *listen, Err *err) {
    *l = (Listener){.passed = sockets_passed() > 0};
    if (!l->passed && starts_with(listen, unix_scheme)) l->path = listen + strlen(unix_scheme);
    l->fd = l->passed ? socket_take_passed(err) : l->path ? socket_at_path(l->path, err) : open_host(listen, err);
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

void socket_shut(int fd) { shutdown(fd, SHUT_RDWR); }

void listener_end(Listener *l) {
    if (l->path) unlink(l->path);
    if (!l->passed) socket_shut(l->fd);
}
