/* reply.h: the answer to a request. */
#ifndef TIDE_SERVE_REPLY_H
#define TIDE_SERVE_REPLY_H

#include "io/files.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { REPLY_ERROR_SIZE = 512, EVENT_ERROR_SIZE = 32, NONCE_SIZE = 33 };

/* A body that several replies have. */
typedef struct SharedBody {
    atomic_int holds;
    char *text; /* owned */
} SharedBody;

typedef struct Reply {
    int status;             /* of HTTP */
    const char *type;       /* a literal: the Content-Type */
    const char *fixed;      /* a literal: the body; NULL: `body` */
    SharedBody *shared;     /* held; NULL: `body` */
    char *body;             /* owned; NULL: `error` */
    size_t size;            /* bytes of the body */
    const char *allow;      /* a literal: the header Allow of status 405; NULL: none */
    const char *policy;     /* a literal: the header Content-Security-Policy; NULL: one that allows only `nonce` */
    bool close;             /* the connection ends with the answer */
    int retry_after;        /* seconds; 0: no such header */
    char *file;             /* owned: the name of the file that the body is, as in a URL; NULL: it is none */
    char nonce[NONCE_SIZE]; /* of the style and the scripts of a page; "": there are none */
    char error[REPLY_ERROR_SIZE + EVENT_ERROR_SIZE];
} Reply;

/* Makes the reply an error with the body {"error": "..."} as LibreTranslate writes it. Allocates nothing. The text must
   be valid UTF-8; a long text is cut. Returns -1. */
int reply_error(Reply *reply, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Makes an error the last event of a stream that has begun. */
void reply_error_event(Reply *reply);
/* Makes the reply one whose body is the text of a stream in memory, which is closed. */
void reply_memory(Reply *reply, const char *type, MemoryFile *memory);
/* Makes the body of a reply one that other replies can share. */
void reply_share(Reply *reply);
/* Returns another reply with the same body, which reply_share has prepared. */
Reply reply_again(const Reply *reply);
void reply_fixed(Reply *reply, const char *type, const char *text);
/* The bytes of the body. */
const char *reply_bytes(const Reply *reply);
/* Writes a number that nobody can guess, in hexadecimal digits. Returns 0, or -1 if the system has none. */
int make_nonce(char nonce[NONCE_SIZE]);
/* Releases the body. */
void reply_free(Reply *reply);

#endif
