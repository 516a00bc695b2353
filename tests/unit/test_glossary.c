/* Words that a translation must contain: what a hypothesis has met, the allocation of the beam, searches, and the terms
   of a glossary. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "words.h"

#include "beam_world.h"
#include "io/ds.h"
#include "translate/glossary.h"

/* ---- what a hypothesis has met --------------------------------------------------------------------------------- */

enum { NEW = 4, YORK = 5, CAR = 6, S = 7 }; /* S continues a word */
static const bool continues[VOCAB] = {[S] = true};
static const Constraint phrases[] = {
    {(const int[]){NEW}, 1, true}, {(const int[]){NEW, YORK}, 2, true}, {(const int[]){NEW, YORK, CAR}, 3, false}};

static void check_met(const Constraints *c, const int *ids, int n, uint64_t met, int count) {
    ConstraintState state = {0};
    for (int i = 0; i < n; i++) state = constraints_next(c, state, ids[i]);
    assert_int_equal(state.met, met);
    assert_int_equal(constraints_words(c, &state), count);
    assert_int_equal(constraints_met(c, &state), count == constraints_words_total(c));
}

static void hypotheses_meet_phrases(void **state) {
    (void)state;
    const Constraints c = {phrases, 2, continues}, all = {phrases, 3, continues};
    check_met(&c, (const int[]){NEW}, 1, 0, 1);
    check_met(&c, (const int[]){NEW, YORK}, 2, 2, 2);
    check_met(&c, (const int[]){NEW, CAR}, 2, 1, 1);
    check_met(&c, (const int[]){NEW, S}, 2, 0, 0);
    check_met(&c, (const int[]){NEW, NEW, YORK}, 3, 3, 3);
    check_met(&c, (const int[]){NEW, YORK, NEW}, 3, 3, 3);
    check_met(&all, (const int[]){NEW, YORK, EOS}, 3, 2, 2);
    check_met(&all, (const int[]){NEW, YORK, CAR, NEW}, 4, 4, 4);
    const Constraint twice[] = {phrases[0], phrases[0]};
    check_met(&(Constraints){twice, 2, continues}, (const int[]){NEW, CAR, NEW}, 3, 3, 2);
    check_met(&(Constraints){twice, 2, continues}, (const int[]){NEW, CAR}, 2, 1, 1);
}

static void the_words_that_are_expected(void **state) {
    (void)state;
    const Constraint list[] = {phrases[1], {(const int[]){CAR}, 1, false}};
    const Constraints c = {list, 2, continues};
    int ids[MOST_CONSTRAINTS];
    ConstraintState now = {0};
    assert_int_equal(constraints_expected(&c, &now, false, ids), 2);
    assert_true(ids[0] == NEW && ids[1] == CAR);
    now = constraints_next(&c, now, NEW);
    assert_int_equal(constraints_expected(&c, &now, false, ids), 3);
    assert_int_equal(constraints_expected(&c, &now, true, ids), 1);
    assert_int_equal(ids[0], YORK);
    now = constraints_next(&c, now, YORK);
    assert_true(now.ended);
    now = constraints_next(&c, now, CAR);
    assert_true(!now.ended && !constraints_expected(&c, &now, false, ids));
}

static void banks_share_the_beam(void **state) {
    (void)state;
    const int bank[] = {0, 0, 0, 1, 0, 2, 2};
    bool chosen[7];
    assert_int_equal(constraints_allocate(bank, 7, 3, 4, chosen), 4);
    assert_memory_equal(chosen, ((bool[]){true, false, false, true, false, true, true}), sizeof chosen);
    assert_int_equal(constraints_allocate(bank, 7, 3, 1, chosen), 1);
    assert_true(chosen[5]);
    assert_int_equal(constraints_allocate(bank, 7, 3, 100, chosen), 7);
    assert_int_equal(constraints_allocate(bank, 0, 3, 4, chosen), 0);
}

/* ---- searches -------------------------------------------------------------------------------------------------- */

/* The times that a phrase occurs in a hypothesis, without overlaps. */
static int occurrences(const Hypothesis *h, const Constraint *c) {
    int count = 0;
    for (int i = 0; i + c->length <= h->length; i++)
        if (!memcmp(h->ids + i, c->ids, (size_t)c->length * sizeof(int))) {
            count++;
            i += c->length - 1;
        }
    return count;
}

/* Phrases for each sentence: none for the last; one that occurs twice; one longer than the length limit; a banned id.
 */
static const int long_phrase[40] = {4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5,
                                    4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 6};
static const Constraint of_first[] = {{(const int[]){8, 4}, 2, true}, {(const int[]){8, 4}, 2, true}},
                        of_second[] = {{long_phrase, 40, false}},
                        of_third[] = {{(const int[]){UNK, 7}, 2, false},
                                      {(const int[]){5}, 1, true},
                                      {(const int[]){6, 6}, 2, false}},
                        of_fourth[] = {{(const int[]){7}, 1, true}};
static const Constraints given[] = {
    {of_first, 2, continues}, {of_second, 1, continues}, {of_third, 3, continues}, {of_fourth, 1, continues}};

static void check_hypothesis(const Hypothesis *h, const Constraints *c) {
    for (int i = 0; i < c->count; i++) {
        int expected = 0;
        for (int k = 0; k < c->count; k++)
            expected += c->list[k].length == c->list[i].length &&
                        !memcmp(c->list[k].ids, c->list[i].ids, (size_t)c->list[i].length * sizeof(int));
        assert_true(occurrences(h, &c->list[i]) >= expected);
    }
}

static void check_constrained(World *w, int beam) {
    const Constraints *list[SENTENCES] = {&given[0], &given[1], &given[2], &given[3], NULL};
    const BeamOptions plain = options(beam, 0.6);
    BeamOptions with = plain;
    with.constraints = list;
    const Nbest *found = search(w, sources, lengths, SENTENCES, &with),
                *free = search(w, &sources[4], &lengths[4], 1, &plain);
    check_same(&found[4], free, lengths[4]);
    for (int s = 0; s < SENTENCES - 1; s++) {
        assert_in_range(found[s].count, 1, beam);
        /* beyond the length limit, a hypothesis has only words that its phrases still need */
        const int longest = (int)(plain.length_limit * lengths[s]) + 10 + constraints_words_total(list[s]);
        for (int k = 0; k < found[s].count; k++) {
            check_hypothesis(&found[s].list[k], list[s]);
            assert_in_range(found[s].list[k].length, 1, longest);
        }
        check_forced(w, s, &found[s].list[0]);
        BeamOptions alone = with;
        alone.constraints = &list[s];
        check_same(search(w, &sources[s], &lengths[s], 1, &alone), &found[s], lengths[s]);
    }
}

static void translations_contain_all_phrases(void **state) {
    (void)state;
    static const char *const kinds[] = {"additive", "none", "transformer"};
    for (int i = 0; i < 3; i++) {
        World w;
        begin(&w, kinds[i], false);
        check_constrained(&w, 1);
        check_constrained(&w, 4);
        end(&w);
    }
    World w;
    Model second;
    begin(&w, "additive", false);
    draw_model(&second, "dot", false, 6, 8);
    w.models[w.count++] = &second;
    check_constrained(&w, 3);
    end(&w);
    model_free(&second);
}

/* If every other word continues the phrase, the hypothesis ends with it. */
static void phrases_are_whole_words(void **state) {
    (void)state;
    World w;
    begin(&w, "additive", false);
    for (int id = UNK + 3; id < VOCAB; id++) {
        const Constraint phrase = {&id, 1, true};
        bool all[VOCAB];
        for (int i = 0; i < VOCAB; i++) all[i] = i != EOS;
        const Constraints c = {&phrase, 1, all}, *list = &c;
        BeamOptions o = options(3, 0.6);
        o.constraints = &list;
        const Nbest *found = search(&w, &sources[2], &lengths[2], 1, &o);
        for (int k = 0; k < found->count; k++) {
            const Hypothesis *h = &found->list[k];
            const bool ends = h->ids[h->length - 1] == EOS; /* or the length limit ends it */
            assert_true(ends || h->length == lengths[2] + 10);
            assert_int_equal(h->ids[h->length - 1 - ends], id);
        }
    }
    end(&w);
}

/* A prefix and constraints together: the prefix comes first. */
static void a_prefix_comes_first(void **state) {
    (void)state;
    World w;
    begin(&w, "additive", false);
    const PrefixArc arcs[] = {{6, 1}, {5, 2}, {EOS, 3}};
    const Prefix open = {2, (const int[]){0, 1, 2, 3}, arcs}, closed = {3, (const int[]){0, 1, 2, 3}, arcs};
    const Prefix *prefix = &open;
    const Constraints *list = &given[2];
    BeamOptions o = options(3, 0.6);
    o.prefixes = &prefix;
    o.constraints = &list;
    const Nbest *found = search(&w, &sources[2], &lengths[2], 1, &o);
    for (int k = 0; k < found->count; k++) {
        assert_true(found->list[k].ids[0] == 6 && found->list[k].ids[1] == 5);
        check_hypothesis(&found->list[k], list);
    }
    prefix = &closed;
    assert_int_equal(search(&w, &sources[2], &lengths[2], 1, &o)->list[0].length, 3);
    end(&w);
}

/* ---- glossaries ------------------------------------------------------------------------------------------------ */

static char *const english[] = {"the spring tide", "New York's shoes, shoe and tide", "a b c"};

/* The translations of the terms in a sentence, joined by '|'. */
static void check_terms(const Glossary *g, const char *sentence, const char *expected) {
    Constraints *c = glossary_constraints(g, sentence);
    char text[200] = "";
    for (int i = 0; c && i < c->count; i++) {
        char *term = side_decode(g->target, c->list[i].ids, c->list[i].length);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "|" : "", term);
        mem_free(term);
    }
    assert_string_equal(text, expected);
    constraints_free(c);
}

static void terms_are_found(void **state) {
    (void)state;
    Side side;
    Glossary g;
    Err err;
    side_learn(&side, TOKENIZER_BPE, words_of(TOKENIZER_BPE, english, 3), 20, 0);
    assert_int_equal(
        glossary_init(
            &g, lexicon_parse("潮水\tspring tide\n\n潮\ttide\r\n水退\ta b\n鞋\tshoe\nArt\tthe\nB 2\tc\n海\t海\n", &err),
            &side),
        0);
    assert_int_equal(g.unwritable, 1);
    assert_string_equal(g.example, "海");
    check_terms(&g, "潮水退了。", "spring tide"); /* the first term, and the longest one */
    check_terms(&g, "潮 水退潮潮水", "tide|a b|tide|spring tide");
    check_terms(&g, "谁没穿海", "");
    check_terms(&g, "", "");
    check_terms(&g, "Artist art Art, Art5 MArt 5Art", "the|the|the");
    check_terms(&g, "B 2, B 23, AB 2", "c");
    char many[400] = "";
    for (int i = 0; i < 70; i++) strcat(many, "鞋");
    Constraints *c = glossary_constraints(&g, many);
    assert_int_equal(c->count, MOST_CONSTRAINTS);
    assert_true(c->list[0].whole);
    bool continuing = false;
    for (int id = 0; id < vocab_size(side.vocab); id++)
        if (!strcmp(vocab_piece(side.vocab, id), "s")) continuing = c->continues[id];
    assert_true(continuing);
    constraints_free(c);

    Glossary more; /* of two glossaries, the longest term counts, and of equal ones that of `more` */
    assert_int_equal(glossary_init(&more, lexicon_parse("潮\tc\n水退了\tb\n", &err), &side), 0);
    more.base = &g;
    check_terms(&more, "潮水退", "spring tide");
    check_terms(&more, "潮退水退了水退", "c|b|a b");
    glossary_free(&more);
    glossary_free(&g);

    static const char *const bad[][2] = {{"a\tb\nc\n", "a line must be"},
                                         {"a\t\n", "the translation is empty"},
                                         {"\tb\n", "the source is empty"},
                                         {"a\tb\na\tc\n", "\"a\" has an entry"}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(glossary_init(&g, lexicon_parse(bad[i][0], &err), &side), -1);
        assert_true(!strncmp(err.reason, bad[i][1], strlen(bad[i][1])));
        assert_int_equal(err.line, i % 3 ? 1 : 2);
        glossary_free(&g);
    }
    side_free(&side);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hypotheses_meet_phrases), cmocka_unit_test(the_words_that_are_expected),
        cmocka_unit_test(banks_share_the_beam),    cmocka_unit_test(translations_contain_all_phrases),
        cmocka_unit_test(phrases_are_whole_words), cmocka_unit_test(a_prefix_comes_first),
        cmocka_unit_test(terms_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
