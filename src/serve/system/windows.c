/* Winsock. The descriptor of a socket is its number, and no file. There are no Unix sockets and no systemd. */
#include "serve/system/sockets.h"
#include "io/system.h"
#include "serve/socket.h"

int socket_fails(const char *listen, Err *err) {
    const int number = WSAGetLastError();
    return err_set(err, listen, 0, "%s",
                   number == WSAEADDRINUSE      ? "Address already in use"
                   : number == WSAEADDRNOTAVAIL ? "Cannot assign requested address"
                   : number == WSAEACCES        ? "Permission denied"
                                                : "cannot be opened");
}

void socket_close(int fd) { closesocket((SOCKET)fd); }
int socket_at_path(const char *path, Err *err) { return err_set(err, path, 0, "there are no Unix sockets here"); }
long sockets_passed(void) { return 0; }
int socket_take_passed(Err *err) { return err_set(err, NULL, 0, "there is no systemd here"); }

/* ---- io/system.h ------------------------------------------------------------------------------------------------- */

int socket_open(int family, int type, int protocol) {
    const SOCKET fd = WSASocketW(family, type, protocol, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    return fd == INVALID_SOCKET ? -1 : (int)fd;
}

void socket_send(int fd, const void *first, size_t n, const void *second, size_t m) {
    DWORD sent;
    WSABUF parts[] = {{(ULONG)n, (char *)first}, {(ULONG)m, (char *)second}};
    WSASend((SOCKET)fd, parts, 2, &sent, 0, NULL, NULL);
}

/* The bytes that have not been read. */
unsigned long long socket_arrived(int fd) {
    u_long unread = 0;
    return ioctlsocket((SOCKET)fd, FIONREAD, &unread) ? 0 : unread;
}

/* Is not noticed while bytes are unread. The socket is one that does not wait. */
bool socket_is_left(int fd) {
    char byte;
    return recv((SOCKET)fd, &byte, 1, MSG_PEEK) == 0;
}

/* WSAStartup comes before everything else. */
__attribute__((constructor)) static void start(void) {
    WSADATA data;
    WSAStartup(MAKEWORD(2, 2), &data);
}
