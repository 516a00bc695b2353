/* socket.h: sockets of the system, which has its own file in system/. */
#ifndef TIDE_SERVE_SOCKET_H
#define TIDE_SERVE_SOCKET_H

#include "core/base.h"

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

enum { ADDRESS_SIZE = 128 };

/* A socket that listens. */
typedef struct Listener {
    int fd;
    bool passed;      /* by systemd, which keeps it: connections that nobody accepts wait for the next server */
    const char *path; /* of a Unix socket that was made here; NULL: none */
    char address[ADDRESS_SIZE]; /* http://HOST:PORT with numbers, or unix:PATH */
} Listener;

/* Takes the socket that systemd has passed to this process (LISTEN_PID and LISTEN_FDS, as sd_listen_fds(3) describes).
   If there is none, opens one on `listen`: "HOST:PORT", "[ADDRESS]:PORT", "PORT" (of 127.0.0.1), or "unix:PATH". Port 0
   lets the system choose. A Unix socket on which nobody listens is replaced. Returns 0, or -1 with *err filled: it
   cannot be opened, or what was passed is not one socket that listens. The path must live longer. */
int listener_open(Listener *listener, const char *listen, Err *err);
/* Whether only programs of this machine reach the socket, by its loopback address. A Unix socket counts as one that
   others may reach, because a proxy may stand before it. */
bool listener_is_loopback(const Listener *listener);
/* Refuses new connections, or leaves them to systemd, and removes a Unix socket that was made. The descriptor stays
   open. */
void listener_end(Listener *listener);
/* Ends a connection, or the wait for connections; the descriptor stays open. socket_close closes it. */
void socket_shut(int fd);
void socket_close(int fd);

enum { CLIENT_SIZE = 48 };
/* Writes the address of a socket's client, without its port; "unix:" for a Unix socket. Returns its group. */
uint64_t socket_client(int fd, char client[CLIENT_SIZE]);
/* The group of an address: an IPv4 address, or 64 bits of an IPv6 address, which mostly belong to one client. 0: this
   machine. */
uint64_t address_group(const struct sockaddr *address);
/* Whether a text is the number of an IPv4 address; six: of an IPv6 address, without brackets. */
bool address_is(const char *text, bool six);

#endif
