/* What a search tells while it runs, the settled words; and searches whose hypotheses have a given prefix. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "beam_world.h"

static const char *const kinds[] = {"additive", "dot", "general",        "scaled-dot",  "multi-head", "none",
                                    "gru",      "cnn", "self-attention", "transformer", "coverage",   "deep-bigru"};
enum { KINDS = sizeof kinds / sizeof *kinds };

enum { MOST_WORDS = 32 };

/* The settled words of each sentence, as the search reported them. */
typedef struct Heard {
    int ids[SENTENCES][MOST_WORDS], length[SENTENCES], reports[SENTENCES];
    real alpha[SENTENCES][MOST_WORDS * 8];
    bool aligns;
} Heard;

/* Settled words only grow. */
static void hear(void *context, int sentence, const Hypothesis *settled) {
    Heard *heard = context;
    const size_t before = (size_t)heard->length[sentence];
    assert_true(settled->length > heard->length[sentence] && settled->length <= MOST_WORDS);
    assert_true((settled->alpha != NULL) == heard->aligns);
    assert_memory_equal(heard->ids[sentence], settled->ids, before * sizeof(int));
    memcpy(heard->ids[sentence], settled->ids, (size_t)settled->length * sizeof(int));
    if (settled->alpha)
        memcpy(heard->alpha[sentence], settled->alpha, (size_t)(settled->length * lengths[sentence]) * sizeof(real));
    heard->length[sentence] = settled->length;
    heard->reports[sentence]++;
}

/* In the end all words of the best hypothesis are settled, with its alignment. Listening changes no bit. */
static int check_settled(const char *kind, int beam) {
    int early = 0; /* reports before the last one of a sentence */
    World w;
    begin(&w, kind, false);
    BeamOptions o = options(beam, 0.6);
    Nbest *quiet = search(&w, sources, lengths, SENTENCES, &o);
    Heard heard = {.aligns = model_aligns(&w.model)};
    o.settled = hear;
    o.context = &heard;
    Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++) {
        const Hypothesis *best = &found[s].list[0];
        check_same(&quiet[s], &found[s], lengths[s]);
        assert_int_equal(heard.length[s], best->length);
        assert_memory_equal(heard.ids[s], best->ids, (size_t)best->length * sizeof(int));
        if (heard.aligns)
            assert_memory_equal(heard.alpha[s], best->alpha, (size_t)(best->length * lengths[s]) * sizeof(real));
        early += heard.reports[s] - 1;
        assert_true(beam > 1 ? heard.reports[s] <= best->length : heard.reports[s] == best->length);
    }
    /* the same without the other sentences */
    for (int s = 0; s < SENTENCES; s++) {
        Heard alone = {.aligns = heard.aligns};
        o.context = &alone;
        o.numbers = &s;
        search(&w, &sources[s], &lengths[s], 1, &o);
        assert_int_equal(alone.reports[s], heard.reports[s]);
        assert_memory_equal(alone.ids[s], heard.ids[s], sizeof heard.ids[s]);
    }
    end(&w);
    return early;
}

static void settled_words_begin_the_best_hypothesis(void **state) {
    (void)state;
    for (int beam = 1; beam <= 5; beam += 2) {
        int early = 0;
        for (int i = 0; i < KINDS; i++) early += check_settled(kinds[i], beam);
        assert_true(early > KINDS);
    }
}

/* ---- prefixes -------------------------------------------------------------------------------------------------- */

/* A prefix of one or two arcs for each state. */
typedef struct Chain {
    Prefix prefix;
    int begin[MOST_WORDS + 1];
    PrefixArc arcs[2 * MOST_WORDS];
} Chain;

/* The prefix of exactly these words. */
static void chain(Chain *c, const int *ids, int n) {
    c->prefix = (Prefix){n, c->begin, c->arcs};
    for (int i = 0; i <= n; i++) c->begin[i] = i;
    for (int i = 0; i < n; i++) c->arcs[i] = (PrefixArc){ids[i], i + 1};
}

/* Searches sentence s alone with this prefix. */
static Nbest *search_with(World *w, int s, const Prefix *prefix, BeamOptions o) {
    o.prefixes = &prefix;
    return search(w, &sources[s], &lengths[s], 1, &o);
}

/* A prefix of what the free search finds gives this hypothesis again: all of it, or with a beam of one, any part. */
static void check_found_prefix(World *w, int s, int beam) {
    BeamOptions o = options(beam, 0.6);
    Chain c;
    const Nbest *free = search(w, &sources[s], &lengths[s], 1, &o);
    for (int k = 0; k < free->count; k++) {
        const Hypothesis *h = &free->list[k];
        for (int n = beam == 1 ? 1 : h->length; n <= h->length; n++) {
            chain(&c, h->ids, n);
            const Nbest *found = search_with(w, s, &c.prefix, o);
            if (h->ids[n - 1] == EOS) assert_int_equal(found->count, 1);
            check_same(&(Nbest){.list = (Hypothesis *)h, .count = 1}, &(Nbest){.list = found->list, .count = 1},
                       lengths[s]);
        }
    }
}

/* Any words, also banned ones, may be a prefix; the rest has no banned words. All sentences at once, each with another
   prefix, give the same bits as each alone. */
static void check_any_prefix(World *w, int beam) {
    static const int any[SENTENCES][6] = {{8, 8}, {UNK, 5, 7, 7, 4, 4}, {0}, {6, 4, 5, EOS}, {BOS}};
    static const int n[SENTENCES] = {2, 6, 0, 4, 1};
    static Chain chains[SENTENCES];
    const Prefix *prefixes[SENTENCES];
    BeamOptions o = options(beam, 0.6), with = o;
    for (int s = 0; s < SENTENCES; s++) {
        chain(&chains[s], any[s], n[s]);
        prefixes[s] = n[s] ? &chains[s].prefix : NULL;
    }
    with.prefixes = prefixes;
    const Nbest *together = search(w, sources, lengths, SENTENCES, &with);
    for (int s = 0; s < SENTENCES; s++) {
        check_same(search_with(w, s, prefixes[s], o), &together[s], lengths[s]);
        assert_int_equal(together[s].count, s == 3 ? 1 : beam);
        for (int k = 0; k < together[s].count; k++) {
            const Hypothesis *h = &together[s].list[k];
            assert_memory_equal(h->ids, any[s], (size_t)n[s] * sizeof(int));
            for (int i = n[s]; i < h->length; i++) assert_true(h->ids[i] >= EOS);
            check_forced(w, s, h);
        }
    }
}

/* A prefix with a choice: 4 5, or 6, or 4 7 8. The search takes the best of them, and each can be found. */
static void check_choice(World *w) {
    static const int begin[] = {0, 2, 4, 5};
    static const PrefixArc arcs[] = {{4, 1}, {6, 3}, {5, 3}, {7, 2}, {8, 3}};
    static const int ways[3][3] = {{4, 5}, {6}, {4, 7, 8}}, n[3] = {2, 1, 3};
    const Prefix prefix = {3, begin, arcs};
    for (int s = 0; s < SENTENCES; s++) {
        BeamOptions o = options(200, 0);
        double best = -INFINITY;
        bool seen[3] = {false};
        const Nbest *found = search_with(w, s, &prefix, o);
        for (int k = 0; k < found->count; k++)
            for (int way = 0; way < 3; way++)
                seen[way] |= !memcmp(found->list[k].ids, ways[way], (size_t)n[way] * sizeof(int));
        for (int way = 0; way < 3; way++) {
            Chain c;
            chain(&c, ways[way], n[way]);
            best = fmax(best, search_with(w, s, &c.prefix, o)->list[0].score);
            assert_true(seen[way]);
        }
        assert_true(found->list[0].score == best);
    }
}

static void hypotheses_begin_with_their_prefix(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        World w;
        begin(&w, kinds[i], false);
        for (int s = 0; s < SENTENCES; s++)
            for (int beam = 1; beam <= 4; beam += 3) check_found_prefix(&w, s, beam);
        check_any_prefix(&w, 1);
        check_any_prefix(&w, 4);
        end(&w);
    }
}

static void an_ensemble_keeps_a_prefix(void **state) {
    (void)state;
    World w;
    Model other;
    begin(&w, "additive", false);
    check_choice(&w);
    draw_model(&other, "none", true, 9, 8);
    w.models[w.count++] = &other;
    check_found_prefix(&w, 2, 4);
    check_any_prefix(&w, 3);
    end(&w);
    model_free(&other);
}

/* A prefix that is longer than the limit is kept whole. */
static void a_prefix_may_be_longer_than_the_limit(void **state) {
    (void)state;
    static const int ids[14] = {4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5};
    World w;
    Chain c;
    begin(&w, "additive", false);
    chain(&c, ids, 14);
    const Nbest *found = search_with(&w, 1, &c.prefix, options(2, 0.6));
    assert_int_equal(found->count, 1);
    assert_int_equal(found->list[0].length, 14);
    assert_memory_equal(found->list[0].ids, ids, sizeof ids);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_words_begin_the_best_hypothesis),
        cmocka_unit_test(hypotheses_begin_with_their_prefix),
        cmocka_unit_test(an_ensemble_keeps_a_prefix),
        cmocka_unit_test(a_prefix_may_be_longer_than_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
