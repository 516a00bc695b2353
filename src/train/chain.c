#include "train/chain.h"
#include "io/ds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

RecipeLink chain_link(const Learner *learner, const char *before, long update) {
    char head[LINK_SIZE + 64];
    RecipeLink link = {.update = update};
    Tensor *tensors = learner_tensors(learner);
    XXH3_state_t *state = XXH3_createState();
    if (!state) mem_refused(0);
    XXH3_128bits_reset(state);
    const int n = snprintf(head, sizeof head, "%s\nupdate %ld\n", before, update);
    XXH3_128bits_update(state, head, (size_t)n);
    for (ptrdiff_t i = 0; i < arrlen(tensors); i++) {
        XXH3_128bits_update(state, tensors[i].name, strlen(tensors[i].name));
        XXH3_128bits_update(state, "\n", 1);
        XXH3_128bits_update(state, tensors[i].data, tensor_bytes(&tensors[i]));
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    snprintf(link.hash, sizeof link.hash, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
    XXH3_freeState(state);
    arrfree(tensors);
    return link;
}

int chain_extend(Training *t, Err *err) {
    const TrainState *s = &t->state;
    Recipe *recipe = t->learner.recipe;
    if (!recipe) return 0;
    recipe->update = s->update;
    if (s->update != CHAIN_FIRST && s->batch > 0) return 0;
    Learner whole;
    int status = training_collect(t, &whole, err);
    if (!status && training_writes(t)) {
        const char *before = arrlen(recipe->chain) ? arrlast(recipe->chain).hash : "";
        const RecipeLink link = chain_link(&whole, before, s->update);
        arrput(recipe->chain, link);
        if (t->callbacks->traced) status = t->callbacks->traced(t->callbacks->traced_context, recipe, err);
    }
    training_release_collected(t, &whole);
    return status;
}
