/* checksum.h: the checksum of files of format 1, which are read but no longer written (see safetensors.c). */
#ifndef TIDE_CHECKSUM_H
#define TIDE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { CHECKSUM_LANES = 8, CHECKSUM_BLOCK = CHECKSUM_LANES * 8 };

/* Bytes are read as little-endian words of 8, counted from the first byte added; word i goes to lane i mod 8. */
typedef struct Checksum {
    uint64_t lane[CHECKSUM_LANES];
    unsigned char rest[CHECKSUM_BLOCK]; /* the first size mod 64 of these bytes wait for their block to fill */
    uint64_t size;                      /* bytes added so far */
} Checksum;

Checksum checksum_begin(void);
/* The result depends on the bytes alone, not on how they are cut into parts. */
void checksum_add(Checksum *sum, const void *bytes, size_t n);
/* Two runs of bytes that differ in one word never have the same result. May be called once. */
uint64_t checksum_end(Checksum *sum);

#endif
