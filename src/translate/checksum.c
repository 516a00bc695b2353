/* checksum.c: eight chains side by side, since one alone would wait for its multiplication at every word. Each step is
   a bijection of the chain's state, and of the word for a given state: one word that changes always changes its lane,
   and what comes after cannot undo it. */
#include "translate/checksum.h"

#include <string.h>

enum {
    PREFETCH_BYTES = 4096 /* bytes to ask for early: memory is half again as fast when the page to come is known */
};

static uint64_t mix(uint64_t state, uint64_t word) {
    state = (state ^ word) * 0x9e3779b97f4a7c15u; /* odd, hence invertible; carries bits upwards */
    return state << 29 | state >> 35;             /* and brings the upper ones down */
}

Checksum checksum_begin(void) {
    Checksum sum = {.size = 0};
    for (int i = 0; i < CHECKSUM_LANES; i++)
        sum.lane[i] = mix(0, (uint64_t)i + 1); /* so that lanes cannot change places */
    return sum;
}

static void add_blocks(uint64_t lane[CHECKSUM_LANES], const unsigned char *bytes, size_t blocks) {
    uint64_t state[CHECKSUM_LANES]; /* a copy that the compiler keeps in registers */
    for (int i = 0; i < CHECKSUM_LANES; i++) state[i] = lane[i];
    for (; blocks > 0; blocks--, bytes += CHECKSUM_BLOCK) {
        __builtin_prefetch((const void *)((uintptr_t)bytes + PREFETCH_BYTES));
        for (int i = 0; i < CHECKSUM_LANES; i++) {
            uint64_t word;
            memcpy(&word, bytes + 8L * i, sizeof word);
            state[i] = mix(state[i], word);
        }
    }
    for (int i = 0; i < CHECKSUM_LANES; i++) lane[i] = state[i];
}

void checksum_add(Checksum *sum, const void *bytes, size_t n) {
    const unsigned char *from = bytes;
    size_t waiting = sum->size % CHECKSUM_BLOCK;
    sum->size += n;
    if (waiting) {
        size_t take = n < CHECKSUM_BLOCK - waiting ? n : CHECKSUM_BLOCK - waiting;
        memcpy(sum->rest + waiting, from, take);
        if (waiting + take < CHECKSUM_BLOCK) return;
        add_blocks(sum->lane, sum->rest, 1);
        from += take;
        n -= take;
    }
    add_blocks(sum->lane, from, n / CHECKSUM_BLOCK);
    memcpy(sum->rest, from + n - n % CHECKSUM_BLOCK, n % CHECKSUM_BLOCK);
}

uint64_t checksum_end(Checksum *sum) {
    size_t waiting = sum->size % CHECKSUM_BLOCK;
    memset(sum->rest + waiting, 0, CHECKSUM_BLOCK - waiting);
    if (waiting) add_blocks(sum->lane, sum->rest, 1);
    uint64_t result = mix(0, sum->size); /* which tells zeros at the end from the padding */
    for (int i = 0; i < CHECKSUM_LANES; i++) result = mix(result, sum->lane[i]);
    return result;
}
