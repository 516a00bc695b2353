#include "translate/search_tree.h"
#include "io/ds.h"
#include "io/json.h"

void search_tree_add(SearchTree *tree, const BeamCandidate *list, int kept, int count, int most_pruned) {
    count = smaller(count, kept + most_pruned);
    arrput(tree->steps, ((TreeStep){(int)arrlen(tree->list), count, kept}));
    for (int k = 0; k < count; k++) arrput(tree->list, list[k]);
}

void search_tree_free(SearchTree *tree) {
    arrfree(tree->steps);
    arrfree(tree->list);
}

/* before: the first candidate of the step before; NULL: there is none. */
static void write_step(FILE *out, const BeamCandidate *before, const BeamCandidate *list, const TreeStep *step,
                       const Vocab *vocab) {
    for (int k = 0; k < step->count; k++) {
        const BeamCandidate *c = &list[k];
        json_print(out, k ? ",{\"parent\":%d,\"piece\":%s" : "{\"parent\":%d,\"piece\":%s", c->parent,
                   vocab_piece(vocab, c->id));
        json_print(out, ",\"logProbability\":%.6f,\"total\":%.6f",
                   c->log_probability - (before ? before[c->parent].log_probability : 0), c->log_probability);
        fprintf(out, ",\"kept\":%s}", k < step->kept ? "true" : "false");
    }
}

void search_tree_json(FILE *out, const SearchTree *tree, const Nbest *found, const Vocab *vocab) {
    fputs("{\"steps\":[", out);
    for (ptrdiff_t i = 0; i < arrlen(tree->steps); i++) {
        const BeamCandidate *before = i ? tree->list + tree->steps[i - 1].first : NULL;
        fputs(i ? ",[" : "[", out);
        write_step(out, before, tree->list + tree->steps[i].first, &tree->steps[i], vocab);
        fputc(']', out);
    }
    fputs("],\"hypotheses\":[", out);
    for (const Hypothesis *h = found->list; h < found->list + found->count; h++) {
        if (h > found->list) fputc(',', out);
        json_print(out, "{\"step\":%d,\"place\":%d,\"score\":%.6f}", h->length - 1, h->place, h->score);
    }
    fputs("]}", out);
}
