#include "serve/socket.h"

#include <errno.h>
#include <linux/tcp.h> /* its tcp_info has more fields than that of netinet/tcp.h */
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

unsigned long long socket_arrived(int fd) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : info.tcpi_bytes_received;
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

/* Opens a socket for one address. Returns -1 with errno set. */
static int open_at(const struct addrinfo *at) {
    const int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol), on = 1;
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, SOMAXCONN)) return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void write_address(int fd, char address[ADDRESS_SIZE]) {
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    char host[INET6_ADDRSTRLEN + 1] = "?", port[8] = "?";
    getsockname(fd, (struct sockaddr *)&own, &size);
    getnameinfo((struct sockaddr *)&own, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(address, ADDRESS_SIZE, own.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

int socket_listen(const char *listen, char address[ADDRESS_SIZE], Err *err) {
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
    else write_address(fd, address);
    freeaddrinfo(found);
    return fd;
}
