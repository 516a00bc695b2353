#include "corpus/noise.h"

#include "core/base.h"
#include "text/vocab.h"

bool noise_is_none(const Noise *noise) { return noise->drop == 0 && noise->blank == 0 && noise->swap < 2; }

/* Removes each piece with probability `rate`. If none would be left, removes none: then no id has been overwritten. */
static int drop(double rate, Rng *rng, int *ids, int n) {
    int left = 0;
    for (int i = 0; i < n; i++)
        if (rng_uniform(rng) >= rate) ids[left++] = ids[i];
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
    const Noise *o = &noise->noise;
    const int end = ids[n - 1];
    const Rng update = rng_seed(noise->seed, 0x6e6f697365u + (uint64_t)noise->update);
    Rng rng = rng_seed(rng_at(&update, (uint64_t)index), 0); /* each pair has its own random stream */
    int pieces = n - 1;
    if (o->drop > 0) pieces = drop(o->drop, &rng, ids, pieces);
    for (int i = 0; i < pieces && o->blank > 0; i++)
        if (rng_uniform(&rng) < o->blank) ids[i] = ID_UNK;
    if (o->swap > 1) swap(o->swap, &rng, ids, pieces);
    ids[pieces] = end;
    return pieces + 1;
}
