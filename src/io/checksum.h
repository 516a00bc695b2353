/* checksum.h: the checksum of files of format 1. tide still reads such files, but no longer writes them
   (safetensors.c). */
#ifndef TIDE_CHECKSUM_H
#define TIDE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { CHECKSUM_LANES = 8, CHECKSUM_BLOCK = CHECKSUM_LANES * 8 };

/* Bytes are read as little-endian words of 8, counted from the first byte added; word i goes to lane i mod 8. */
typedef struct Checksum {
    uint64_t lane[CHECKSUM_LANES];
    unsigned char rest[CHECKSUM_BLOCK]; /* the first `size` mod 64 bytes belong to an incomplete block */
    uint64_t size;                      /* bytes added so far */
} Checksum;

Checksum checksum_begin(void);
/* Adds n bytes. The result depends only on the bytes, not on how they are divided into calls. */
void checksum_add(Checksum *sum, const void *bytes, size_t n);
/* The checksum of all bytes added; may be called once. Inputs of the same size that differ in one word have
   different checksums. */
uint64_t checksum_end(Checksum *sum);

#endif
