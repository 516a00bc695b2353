/* The trace of a beam search: the candidates of a step extend what the step before kept, the best ones are kept, the
   hypotheses are paths of the tree, and the search finds the same bits with and without a trace. */
#include "io/ds.h"
#include "model/constraints.h"
#include "translate/search_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "beam_world.h"

enum { MANY = 1000 };

static void add_step(void *context, int number, const BeamCandidate *list, int kept, int count) {
    SearchTree *trees = context;
    assert_in_range(number, 0, SENTENCES - 1);
    search_tree_add(&trees[number], list, kept, count, MANY);
}

static bool at_least(const BeamCandidate *a, const BeamCandidate *b) {
    return a->log_probability >= b->log_probability;
}

/* Both parts of a step are sorted, and no pruned candidate is better than one that was kept. */
static void check_order(const TreeStep *step, const BeamCandidate *list, bool free) {
    assert_in_range(step->kept, 1, step->count);
    for (int k = 1; k < step->count; k++) {
        if (k == step->kept && !free) continue;
        assert_true(at_least(&list[k - 1], &list[k]));
    }
}

/* Each candidate extends an open hypothesis of the step before by one word, and no two are equal. */
static void check_parents(const SearchTree *tree, ptrdiff_t i) {
    const TreeStep *step = &tree->steps[i];
    const BeamCandidate *list = tree->list + step->first;
    for (int k = 0; k < step->count; k++) {
        for (int l = 0; l < k; l++) assert_true(list[l].parent != list[k].parent || list[l].id != list[k].id);
        if (i == 0) {
            assert_int_equal(list[k].parent, 0);
            assert_true(list[k].log_probability <= 0);
            continue;
        }
        assert_in_range(list[k].parent, 0, tree->steps[i - 1].kept - 1);
        const BeamCandidate *parent = tree->list + tree->steps[i - 1].first + list[k].parent;
        assert_int_not_equal(parent->id, EOS);
        assert_true(at_least(parent, &list[k]));
    }
}

/* A hypothesis is the path that ends at its place in its last step; ln p of its pieces adds up. */
static void check_path(const SearchTree *tree, const Hypothesis *h) {
    assert_in_range(h->length, 1, arrlen(tree->steps));
    double sum = 0;
    for (int i = h->length - 1, k = h->place; i >= 0; i--) {
        assert_in_range(k, 0, tree->steps[i].kept - 1);
        const BeamCandidate *c = tree->list + tree->steps[i].first + k;
        assert_int_equal(c->id, h->ids[i]);
        if (i == h->length - 1) assert_memory_equal(&c->log_probability, &h->log_probability, sizeof(double));
        sum += h->pieces[i];
        k = c->parent;
    }
    assert_true(fabs(sum - h->log_probability) < 1e-9);
}

/* Each hypothesis of a beam ends in </s> or at the length limit: those that stay open have children. */
static void check_ends(const SearchTree *tree, const Nbest *found, bool free) {
    int ended = 0;
    for (ptrdiff_t i = 0; i < arrlen(tree->steps); i++)
        for (int k = 0; k < tree->steps[i].kept; k++) {
            bool extended = false;
            for (int c = 0; i + 1 < arrlen(tree->steps) && c < tree->steps[i + 1].count; c++)
                extended |= tree->list[tree->steps[i + 1].first + c].parent == k;
            ended += !extended;
        }
    if (free) assert_int_equal(ended, found->count);
    else assert_true(ended >= found->count);
}

/* With a limit of two, a step has the same candidates but for the pruned ones after the second. */
static void check_few(const SearchTree *few, const SearchTree *all) {
    assert_int_equal(arrlen(few->steps), arrlen(all->steps));
    for (ptrdiff_t i = 0; i < arrlen(all->steps); i++) {
        const TreeStep *step = &few->steps[i], *whole = &all->steps[i];
        assert_int_equal(step->kept, whole->kept);
        assert_int_equal(step->count, smaller(whole->count, whole->kept + 2));
        for (int k = 0; k < step->count; k++) {
            const BeamCandidate *a = &few->list[step->first + k], *b = &all->list[whole->first + k];
            assert_true(a->parent == b->parent && a->id == b->id && a->log_probability == b->log_probability);
        }
    }
}

static void check_trace(World *w, const BeamOptions *o) {
    SearchTree trees[SENTENCES] = {0}, small[SENTENCES] = {0};
    BeamOptions traced = *o;
    traced.trace = add_step;
    traced.traced = 2;
    traced.context = small;
    search(w, sources, lengths, SENTENCES, &traced);
    traced.traced = MANY;
    traced.context = trees;
    const Nbest *plain = search(w, sources, lengths, SENTENCES, o);
    const Nbest *found = search(w, sources, lengths, SENTENCES, &traced);
    for (int i = 0; i < SENTENCES; i++) {
        const bool free = !o->constraints || !o->constraints[i];
        check_same(&plain[i], &found[i], lengths[i]);
        for (ptrdiff_t t = 0; t < arrlen(trees[i].steps); t++) {
            check_order(&trees[i].steps[t], trees[i].list + trees[i].steps[t].first, free);
            check_parents(&trees[i], t);
        }
        for (int k = 0; k < found[i].count; k++) check_path(&trees[i], &found[i].list[k]);
        check_ends(&trees[i], &found[i], free);
        check_few(&small[i], &trees[i]);
        search_tree_free(&trees[i]);
        search_tree_free(&small[i]);
    }
}

static void the_tree_is_that_of_the_search(void **state) {
    (void)state;
    static const char *const kinds[] = {"additive", "transformer"};
    for (int kind = 0; kind < 2; kind++) {
        World w;
        begin(&w, kinds[kind], false);
        for (int beam = 1; beam <= 4; beam++) {
            const BeamOptions o = options(beam, 0.6);
            check_trace(&w, &o);
        }
        end(&w);
    }
}

/* A prefix has one candidate while it lasts; constraints keep candidates of all banks. */
static void prefixes_and_constraints_have_trees(void **state) {
    (void)state;
    const PrefixArc arcs[] = {{6, 1}, {4, 2}};
    const Prefix prefix = {2, (int[]){0, 1, 2}, arcs}, *prefixes[SENTENCES] = {NULL, &prefix, NULL, &prefix, NULL};
    const bool continues[VOCAB] = {false};
    const Constraint words = {(const int[]){7, 5}, 2, false};
    const Constraints constraints = {&words, 1, continues}, *list[SENTENCES] = {&constraints, NULL, &constraints};
    World w;
    begin(&w, "additive", false);
    BeamOptions o = options(3, 0.6);
    o.prefixes = prefixes;
    check_trace(&w, &o);
    o.constraints = list;
    check_trace(&w, &o);
    end(&w);
}

static void few_pruned_candidates_are_kept_in_a_tree(void **state) {
    (void)state;
    const BeamCandidate list[] = {{0, 5, -1}, {0, 6, -2}, {0, 7, -3}, {0, 8, -4}};
    SearchTree tree = {0};
    search_tree_add(&tree, list, 2, 4, 1);
    search_tree_add(&tree, list, 1, 1, 1);
    assert_int_equal(tree.steps[0].count, 3);
    assert_int_equal(tree.steps[1].first, 3);
    assert_int_equal(tree.steps[1].count, 1);
    search_tree_free(&tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_that_of_the_search),
        cmocka_unit_test(prefixes_and_constraints_have_trees),
        cmocka_unit_test(few_pruned_candidates_are_kept_in_a_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
