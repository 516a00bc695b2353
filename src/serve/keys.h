/* keys.h: the keys of clients. */
#ifndef TIDE_SERVE_KEYS_H
#define TIDE_SERVE_KEYS_H

#include "core/base.h"

#include <stdbool.h>

enum { KEY_SIZE = 128 };

/* All zero: no keys, and every client is served. */
typedef struct Keys {
    char (*list)[KEY_SIZE]; /* [count], padded with zeros */
    int count;
} Keys;

/* Reads a file with one key on each line; empty lines and lines that begin with '#' are skipped. Returns 0, or -1 with
   *err filled: the file cannot be read or has no key, or a key has less than 16 or more than 127 bytes. Release with
   keys_free. */
int keys_read(Keys *keys, const char *path, Err *err);
void keys_free(Keys *keys);
/* Whether a client with `key` (NULL: none) is served: it is one of the keys, or there are no keys. The time depends
   only on the number of keys and on the length of `key`, so that it does not tell how much of a guess is right. */
bool keys_serve(const Keys *keys, const char *key);

#endif
