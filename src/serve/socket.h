/* socket.h: sockets of the system. */
#ifndef TIDE_SERVE_SOCKET_H
#define TIDE_SERVE_SOCKET_H

#include "core/base.h"

/* Opens a socket that listens on "HOST:PORT", "[ADDRESS]:PORT" or "PORT" (of 127.0.0.1). Port 0 lets the system choose.
   Writes the address in this form, with numbers, to `address`. Returns the descriptor, or -1 with *err filled. */
enum { ADDRESS_SIZE = 80 };
int socket_listen(const char *listen, char address[ADDRESS_SIZE], Err *err);
/* The number of bytes that have arrived at a TCP socket, read or not; 0 if the system does not tell. */
unsigned long long socket_arrived(int fd);

#endif
