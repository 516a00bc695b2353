/* mo.h: GNU gettext message catalogues (.mo; the gettext manual, "The Format of GNU MO Files"). */
#ifndef TIDE_MO_H
#define TIDE_MO_H

#include "core/base.h"

#include <stdbool.h>
#include <stdint.h>

/* A catalogue in memory. Either byte order. */
typedef struct Mo {
    const char *bytes; /* not owned */
    size_t size;
    bool swapped; /* written by a machine of the other byte order */
    uint32_t count;
    uint32_t originals, translations; /* where the tables of lengths and offsets begin */
} Mo;

/* One message. Strings hold no NUL but the one behind them. */
typedef struct MoMessage {
    const char *context;  /* NULL: none. Ends at \4, not at a NUL */
    const char *singular; /* the msgid; "" is the catalogue's header */
    const char *plural;   /* NULL where the message has no plural forms */
    const char *first;    /* the msgstr, or its first form */
    const char *last;     /* its last form; the first where there is one only */
} MoMessage;

/* Checks header and tables. Returns -1 with *err filled where the bytes are no catalogue, are cut off, or are shared by
   so many messages that reading them takes more than time linear in the size. */
int mo_open(Mo *mo, const char *bytes, size_t size, const char *path, Err *err);
/* Message i from 0; -1 with *err filled, at line i + 1, where its strings do not lie in the file. */
int mo_message(const Mo *mo, uint32_t i, const char *path, MoMessage *message, Err *err);

#endif
