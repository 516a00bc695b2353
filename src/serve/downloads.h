/* downloads.h: translated files in memory. Each can be downloaded for half an hour, at an address that nobody can
   guess. */
#ifndef TIDE_SERVE_DOWNLOADS_H
#define TIDE_SERVE_DOWNLOADS_H

#include "serve/reply.h"

#include <pthread.h>

enum { DOWNLOADS = 64, DOWNLOAD_NAME = 256, DOWNLOAD_SECONDS = 1800 };
enum { DOWNLOAD_BYTES = 64 << 20 }; /* of all files together */

typedef struct Download {
    char id[NONCE_SIZE];      /* of make_nonce */
    char name[DOWNLOAD_NAME]; /* of the file, with escapes as in a URL */
    const char *type;         /* the Content-Type; static */
    char *text;               /* owned; NULL: this place is free */
    size_t size;
    double until; /* in seconds of seconds_now; set by downloads_add */
} Download;

typedef struct Downloads {
    Download list[DOWNLOADS];
    size_t size; /* of all texts */
    pthread_mutex_t mutex;
} Downloads;

void downloads_init(Downloads *downloads);
void downloads_free(Downloads *downloads);
/* Writes the name of the translation of a file, with escapes: the last part of its path, with the code of the language
   before the ending ("a/tide.txt" becomes "tide_zh.txt"). A long name is cut. */
void download_name(char name[DOWNLOAD_NAME], const char *path, const char *language);
/* Adds a file and takes its text, which must be from mem_alloc or mem_realloc. Allocates nothing. Removes the oldest
   files if there are too many, or if they are too large together. now: seconds_now. */
void downloads_add(Downloads *downloads, Download file, double now);
/* Finds a file by `asked`, what follows the path of the endpoint: its id, '.', and any text. Returns a copy, whose text
   the caller owns; the text is NULL if there is no such file, or if memory is refused. */
Download downloads_find(Downloads *downloads, const char *asked, double now);

#endif
