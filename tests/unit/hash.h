/* hash.h: a hash of results, to compare their bits. */
#include "translate/session.h"

#include <stdint.h>
#include <string.h>

#define HASH_START 0xcbf29ce484222325u

/* Adds bytes to a hash (FNV-1a). */
static void hash_bytes(uint64_t *hash, const void *bytes, size_t n) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < n; i++) *hash = (*hash ^ byte[i]) * 0x100000001b3u;
}

static void hash_hypothesis(uint64_t *hash, const Hypothesis *h) {
    hash_bytes(hash, h->ids, (size_t)h->length * sizeof *h->ids);
    hash_bytes(hash, &h->score, sizeof h->score);
}

static void hash_alignment(uint64_t *hash, const Alignment *a) {
    for (int i = 0; i < a->n_target; i++) hash_bytes(hash, a->target[i], strlen(a->target[i]));
    hash_bytes(hash, a->weight, (size_t)a->n_source * (size_t)a->n_target * sizeof *a->weight);
}
