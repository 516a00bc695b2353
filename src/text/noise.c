#include "text/noise.h"

#include "core/base.h"
#include "text/vocab.h"

bool noise_is_none(const Noise *noise) { return noise->drop == 0 && noise->blank == 0 && noise->swap < 2; }

/* Removes each piece with probability `drop`. If none would be left, removes none. */
static int drop(double rate, Rng *rng, int *ids, int n) {
    bool *kept = mem_alloc((size_t)n * sizeof *kept);
    int left = 0, to = 0;
    for (int i = 0; i < n; i++) left += kept[i] = rng_uniform(rng) >= rate;
    for (int i = 0; i < n && left; i++)
        if (kept[i]) ids[to++] = ids[i];
    mem_free(kept);
    return left ? left : n;
}

/* Sorts the pieces by place + u, u uniform in [0, distance): a piece moves by fewer than `distance` places (Lample et
   al. 2018, "Unsupervised Machine Translation Using Monolingual Corpora Only", §2.3). */
static void swap(int distance, Rng *rng, int *ids, int n) {
    double *place = mem_alloc((size_t)n * sizeof *place);
    for (int i = 0; i < n; i++) {
        const double at = i + distance * rng_uniform(rng);
        const int id = ids[i];
        int k = i;
        for (; k > 0 && place[k - 1] > at; k--) {
            place[k] = place[k - 1];
            ids[k] = ids[k - 1];
        }
        place[k] = at;
        ids[k] = id;
    }
    mem_free(place);
}

int noise_add(const UpdateNoise *noise, int index, int *ids, int n) {
    enum { MOST_PAIRS = 1 << 13 }; /* the limit of mini-batch */
    const Noise *o = &noise->noise;
    const int end = ids[n - 1];
    Rng rng = rng_seed(noise->seed, 0x6e6f697365u + (uint64_t)noise->update * MOST_PAIRS + (uint64_t)index);
    int pieces = n - 1;
    if (o->drop > 0) pieces = drop(o->drop, &rng, ids, pieces);
    for (int i = 0; i < pieces && o->blank > 0; i++)
        if (rng_uniform(&rng) < o->blank) ids[i] = ID_UNK;
    if (o->swap > 1) swap(o->swap, &rng, ids, pieces);
    ids[pieces] = end;
    return pieces + 1;
}
