#include "translate/ensemble.h"

#include <string.h>

/* Whether two texts are equal; frees both. */
static bool same_text(char *a, char *b) {
    const bool same = !strcmp(a, b);
    mem_free(a);
    mem_free(b);
    return same;
}

static bool same_side(const Side *a, const Side *b) {
    const Bpe *left = a->tokenizer.bpe, *right = b->tokenizer.bpe;
    if (a->tokenizer.kind != b->tokenizer.kind || !left != !right || !a->subwords != !b->subwords) return false;
    return same_text(vocab_format(a->vocab), vocab_format(b->vocab)) &&
           (!left || same_text(bpe_format(left), bpe_format(right))) &&
           (!a->subwords || same_side(a->subwords, b->subwords));
}

int ensemble_check(const Translator *first, const Translator *member, const char *path, Err *err) {
    if (!same_side(&first->source, &member->source))
        return err_set(err, path, 0, "its source pieces are not those of the first model");
    if (!same_side(&first->target, &member->target))
        return err_set(err, path, 0, "its target pieces are not those of the first model");
    return 0;
}

bool ensemble_aligns(const Translator *const *members, int count) {
    bool aligns = false;
    for (int i = 0; i < count; i++) aligns |= model_aligns(&members[i]->model);
    return aligns;
}
