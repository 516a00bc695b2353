/* keys.h: the keys of clients, and how much each may ask for. */
#ifndef TIDE_SERVE_KEYS_H
#define TIDE_SERVE_KEYS_H

#include "core/base.h"

#include <pthread.h>
#include <stdbool.h>

enum { KEY_SIZE = 128, QUOTAS = 2 };

/* The most characters in a period, which begins with the first request after the period before. */
typedef struct Quota {
    long most; /* 0: no quota */
    long used;
    double since; /* the start of the period */
} Quota;

typedef struct Key {
    char text[KEY_SIZE];   /* padded with zeros */
    Quota quotas[QUOTAS];  /* of a minute and of a day */
    pthread_mutex_t mutex; /* of the quotas */
} Key;

/* All zero: no keys, and every client is served. */
typedef struct Keys {
    Key *list; /* [count] */
    int count;
} Keys;

/* Reads a file with one key on each line, and perhaps its quotas, such as "KEY minute=5000 day=100000"; empty lines and
   lines that begin with '#' are skipped. Returns 0, or -1 with *err filled: the file cannot be read or has no key; or a
   key has less than 16 or more than 127 bytes, or occurs twice; or a quota is not valid. Release with keys_free. */
int keys_read(Keys *keys, const char *path, Err *err);
void keys_free(Keys *keys);
/* Returns the key with this text (NULL: none); NULL if there is no such key. The time depends only on the number of
   keys and on the length of the text, so that it does not tell how much of a guess is right. */
Key *keys_find(const Keys *keys, const char *text);
/* Whether a client with this key (NULL: none) is served: it is one of the keys, or there are no keys. */
bool keys_serve(const Keys *keys, const char *text);

typedef struct QuotaLeft {
    const Quota *exceeded; /* NULL: the characters were taken */
    const char *period;    /* of this quota: "minute" or "day" */
    double wait;           /* seconds until its period ends */
} QuotaLeft;
/* Takes characters from all quotas of a key, or from none if one has fewer left. now: seconds of a clock that never
   goes back. May be called by any thread. */
QuotaLeft key_take(Key *key, long characters, double now);

#endif
