/* pair_links.h: a file with the links of each pair, which `tide align` draws on its page. */
#ifndef TIDE_PAIR_LINKS_H
#define TIDE_PAIR_LINKS_H

#include "aligner/links.h"

typedef struct PairLinks {
    const char *path; /* NULL: no file was given */
    Link **of;        /* a stb_ds array of the links of each pair, which are stb_ds arrays */
} PairLinks;

/* Reads a file with a line for each of `pairs` pairs, in the formats of links_parse. path NULL: *links becomes empty.
   Release with pair_links_free, after an error too. Returns 0, or -1 with *err filled. */
int pair_links_read(PairLinks *links, const char *path, int pairs, Err *err);
void pair_links_free(PairLinks *links);

#endif
