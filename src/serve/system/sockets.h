/* sockets.h: the names of sockets on this system, and what socket.c needs of it. */
#ifndef TIDE_SERVE_SOCKETS_H
#define TIDE_SERVE_SOCKETS_H

#include "core/base.h"

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#define IN_LOOPBACKNET 127
#define SO_RESTART     SO_EXCLUSIVEADDRUSE /* there, SO_REUSEADDR lets another program take the address */
#define SHUT_RDWR      SD_BOTH
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#define SO_RESTART SO_REUSEADDR /* a server that is started again gets its address at once */
#endif

/* Sets the error of the last call. Returns -1. */
int socket_fails(const char *listen, Err *err);
/* bind and listen. Returns 0 or -1. */
int socket_listen(int fd, const struct sockaddr *address, socklen_t size);
/* Opens a Unix socket. Returns -1 with *err filled. */
int socket_at_path(const char *path, Err *err);
/* The number of sockets that systemd has passed to this process; takes it. Returns -1 with *err filled. */
long sockets_passed(void);
int socket_take_passed(Err *err);

#endif
