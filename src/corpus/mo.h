/* mo.h: parses GNU gettext message catalogues (.mo; the gettext manual, "The Format of GNU MO Files"). */
#ifndef TIDE_MO_H
#define TIDE_MO_H

#include "core/base.h"

#include <stdbool.h>
#include <stdint.h>

/* A catalogue in memory, of either byte order. */
typedef struct Mo {
    const char *bytes; /* not owned */
    size_t size;
    bool swapped; /* the byte order is not this machine's */
    uint32_t count;
    uint32_t originals, translations; /* offsets of the tables (length and offset of each string) */
} Mo;

/* One message. The strings point into the bytes of the catalogue. They end at a NUL, except `context`. */
typedef struct MoMessage {
    const char *context;  /* NULL: none. Ends at \4, not at a NUL */
    const char *singular; /* the msgid; "" is the catalogue's header */
    const char *plural;   /* NULL: the message has no plural forms */
    const char *first;    /* the msgstr, or its first plural form */
    const char *last;     /* the last plural form; equals `first` if there is only one */
} MoMessage;

/* Checks the header and the tables. `bytes` must outlive *mo. Returns 0, or -1 with *err filled if the bytes are not a
   catalogue or are cut off, or if so many messages share bytes that the time to read all is not linear in the size. */
int mo_open(Mo *mo, const char *bytes, size_t size, const char *path, Err *err);
/* Message i, from 0. Returns 0, or -1 with *err filled (line i + 1) if a string is not within the file. */
int mo_message(const Mo *mo, uint32_t i, const char *path, MoMessage *message, Err *err);

#endif
