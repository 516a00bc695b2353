/* Translations that begin with a text or with pieces. */
#include "text/unicode.h"
#include "translate/prefix.h"
#include "translate/session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "random_model.h"

enum { MOST = 50 };

/* ---- the automaton ---------------------------------------------------------------------------------------------- */

/* Whether some way through the prefix writes these pieces first. */
static bool accepts(const Prefix *prefix, const Side *side, char *const *pieces, int n) {
    int state = 0;
    for (int i = 0; i < n && state < prefix->states; i++) {
        int next = -1;
        for (int k = prefix->begin[state]; k < prefix->begin[state + 1]; k++)
            if (!strcmp(vocab_piece(side->vocab, prefix->arcs[k].id), pieces[i])) next = prefix->arcs[k].next;
        if (next < 0) return false;
        state = next;
    }
    return state >= prefix->states;
}

/* Checks which piece sequences a text accepts: the pieces are separated by spaces. */
static void check_text(const Side *side, const char *text, const char *pieces, bool expected) {
    Prefix prefix;
    Err err;
    const Tokenizer none = {TOKENIZER_NONE, NULL};
    char **list = tokenizer_split(&none, pieces);
    if (prefix_of_text(&prefix, side, text, MOST, &err)) fail_msg("%s: %s", text, err.reason);
    if (accepts(&prefix, side, list, (int)arrlen(list)) != expected) fail_msg("'%s' as '%s'", text, pieces);
    strings_free(list);
    prefix_free(&prefix);
}

static void check_refused(const Side *side, const char *text, const char *reason) {
    Prefix prefix;
    Err err;
    assert_int_equal(prefix_of_text(&prefix, side, text, MOST, &err), -1);
    assert_string_equal(err.reason, reason);
    prefix_free(&prefix);
}

/* A word whose piece is known to the other language only has the parts of this piece, as in side_encode. */
static void unknown_pieces_are_split(void **state) {
    (void)state;
    char *en[] = {"abc d", "abc", "e"}, *other[] = {"de", "de"};
    Side side, unused;
    WordCounts words[] = {words_of(TOKENIZER_BPE, en, 3), words_of(TOKENIZER_BPE, other, 2)};
    sides_learn_jointly((Side *[]){&side, &unused}, words, 10, (const int[]){0, 0});
    check_text(&side, "de abc", "▁d e ▁abc", true);
    check_text(&side, "de abc", "▁abc", false);
    side_free(&side);
    side_free(&unused);
}

/* A vocabulary with the pieces in `texts` and those that the merges of bpe make. */
static void learn(Side *side, TokenizerKind kind, char *const *texts, int n, int merges) {
    side_learn(side, kind, words_of(kind, texts, n), merges, 0);
}

static void a_text_may_end_within_a_word(void **state) {
    (void)state;
    static char *const en[] = {"the tide the tide", "tides are tidy", "I don't"}, *const zh[] = {"潮水 退了。",
                                                                                                 "tide退"};
    Side side;
    learn(&side, TOKENIZER_BPE, en, 3, 3);
    char **pieces = tokenizer_split(&side.tokenizer, "the tide");
    Prefix prefix;
    Err err;
    assert_int_equal(prefix_of_text(&prefix, &side, "the tide", MOST, &err), 0);
    assert_true(accepts(&prefix, &side, pieces, (int)arrlen(pieces)));
    strings_free(pieces);
    prefix_free(&prefix);
    check_text(&side, "the", "▁ t h e", true); /* the last word: not only the pieces that merges give */
    check_text(&side, "the tide", "▁ t h e", false);
    side_free(&side);

    learn(&side, TOKENIZER_BPE, en, 3, 0);
    check_text(&side, "the ti", "▁ t h e ▁ t i", true);
    check_text(&side, "the ti", "▁ t h e ▁ t h", false);
    check_text(&side, "the ti", "▁ t h e ▁ t", false);
    check_text(&side, "the ", "▁ t h e ▁", true);
    check_text(&side, "the ", "▁ t h e d", false);
    check_text(&side, "the", "▁ t h e d", true);
    check_text(&side, " \tthe", "▁ t h e", true);
    check_text(&side, "", "d", true);
    check_text(&side, " ", "d", true);
    check_text(&side, "I don'", "▁ I ▁ d o n '", true);
    check_refused(&side, "the zoo", "the vocabulary cannot spell '▁zoo'");
    check_refused(&side, "zoo the", "the vocabulary has no piece 'z'");
    side_free(&side);

    learn(&side, TOKENIZER_CHAR, zh, 2, 0);
    check_text(&side, "潮水", "潮 水", true);
    check_text(&side, "潮", "水", false);
    check_text(&side, "ti", "tide", true);
    check_text(&side, "水 ", "水 ▁", true);
    check_text(&side, "水 ", "水 退", false);
    check_refused(&side, "tides", "the vocabulary cannot spell 'tides'");
    check_refused(&side, "海", "the vocabulary cannot spell '海'");
    side_free(&side);

    learn(&side, TOKENIZER_NONE, en, 3, 0);
    check_text(&side, "the ti", "the tide", true);
    check_text(&side, "the ti", "the tidy", true);
    check_text(&side, "the ti", "tide", false);
    check_text(&side, "the tide ", "the tide", true);
    check_text(&side, "the tide ", "the tides", false);
    check_refused(&side, "the ti ", "the vocabulary has no piece 'ti'");
    side_free(&side);
}

static void pieces_are_exact(void **state) {
    (void)state;
    static char *const good[] = {"▁", "t", "h", "</s>"}, *const unknown[] = {"t", "z"}, *const end[] = {"</s>", "t"};
    static char *const special[] = {"<unk>"}, *const en[] = {"the tide"};
    Side side;
    Prefix prefix;
    Err err;
    learn(&side, TOKENIZER_BPE, en, 1, 0);
    assert_int_equal(prefix_of_pieces(&prefix, &side, good, 4, 4, &err), 0);
    assert_int_equal(prefix.states, 4);
    assert_int_equal(prefix.arcs[3].id, ID_EOS);
    assert_true(accepts(&prefix, &side, good, 4));
    prefix_free(&prefix);
    static const struct {
        char *const *pieces;
        int n, most;
        const char *reason;
    } bad[] = {{good, 4, 3, "a prefix of 4 pieces, where 3 are the limit"},
               {unknown, 2, 9, "the vocabulary has no piece 'z'"},
               {special, 1, 9, "the vocabulary has no piece '<unk>'"},
               {end, 2, 9, "a prefix with pieces after </s>"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(prefix_of_pieces(&prefix, &side, bad[i].pieces, bad[i].n, bad[i].most, &err), -1);
        assert_string_equal(err.reason, bad[i].reason);
        prefix_free(&prefix);
    }
    assert_int_equal(prefix_of_pieces(&prefix, &side, NULL, 0, 9, &err), 0);
    assert_int_equal(prefix.states, 0);
    prefix_free(&prefix);
    side_free(&side);
}

/* ---- translations ----------------------------------------------------------------------------------------------- */

/* Checks that a list is the same bit for bit. */
static void check_same(const Translations *a, int i, const Translations *b, int k) {
    const Nbest *x = &a->nbest[i], *y = &b->nbest[k];
    assert_int_equal(x->count, y->count);
    for (int h = 0; h < x->count; h++) {
        const Hypothesis *left = &x->list[h], *right = &y->list[h];
        assert_int_equal(left->length, right->length);
        assert_memory_equal(left->ids, right->ids, (size_t)left->length * sizeof(int));
        assert_memory_equal(&left->score, &right->score, sizeof(double));
        assert_memory_equal(left->alpha, right->alpha,
                            (size_t)left->length * (size_t)x->source_length * sizeof *left->alpha);
    }
}

/* The n-best lists of an ensemble begin with the texts, and are those of each sentence alone. */
static void translations_begin_with_a_text(void **state) {
    (void)state;
    static const char *const texts[][3] = {{"The ti", "", "Who is not wearing "}, {"E", "T", "The tide went out."}};
    Translator models[2];
    const Translator *const members[] = {&models[0], &models[1]};
    for (uint64_t i = 0; i < 2; i++) load_random_model(&models[i], 5 + i);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, members, 2, threads);
    for (int time = 0; time < 2; time++) {
        Prefix prefixes[3];
        const Prefix *list[3];
        Err err;
        BeamOptions options = translator_beam_options(&models[0]);
        options.beam = options.alignments = 4;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(prefix_of_text(&prefixes[i], &models[0].target, texts[time][i], MOST, &err), 0);
            list[i] = &prefixes[i];
        }
        options.prefixes = list;
        Translations found = session_translate(&session, source_texts, 3, &options, 2, NULL, NULL);
        for (int i = 0; i < 3; i++) {
            BeamOptions one = options;
            one.prefixes = &list[i];
            Translations alone = session_translate(&session, &source_texts[i], 1, &one, 1, NULL, NULL);
            check_same(&found, i, &alone, 0);
            translations_free(&alone);
            for (int k = 0; k < found.nbest[i].count; k++) {
                char *text = translation_text(&found, i, k);
                if (!starts_with(text, texts[time][i])) fail_msg("'%s' does not begin with '%s'", text, texts[time][i]);
                mem_free(text);
            }
        }
        translations_free(&found);
        for (int i = 0; i < 3; i++) prefix_free(&prefixes[i]);
    }
    session_free(&session);
    for (int i = 0; i < 2; i++) translator_free(&models[i]);
    threads_free(threads);
}

/* With all pieces given, the log-probability is that of forced decoding. */
static void a_complete_prefix_is_forced_decoding(void **state) {
    (void)state;
    Translator model;
    const Translator *const members[] = {&model};
    load_random_model(&model, 7);
    Threads *threads = threads_new(1);
    Session session;
    session_init(&session, members, 1, threads);
    for (int i = 0; i < 3; i++) {
        Prefix prefix;
        const Prefix *list = &prefix;
        Err err;
        char **pieces = side_spell(&model.target, target_texts[i]);
        BeamOptions options = translator_beam_options(&model);
        assert_int_equal(prefix_of_pieces(&prefix, &model.target, pieces, (int)arrlen(pieces), MOST, &err), 0);
        options.prefixes = &list;
        Translations found = session_translate(&session, &source_texts[i], 1, &options, 1, NULL, NULL);
        const PairScore score = session_score(&session, source_texts[i], target_texts[i], options.attention);
        const Hypothesis *h = &found.nbest[0].list[0];
        char *text = translation_text(&found, 0, 0);
        assert_int_equal(found.nbest[0].count, 1);
        assert_int_equal(h->length, score.pieces);
        assert_string_equal(text, target_texts[i]);
        assert_true(fabs(h->log_probability - score.log_probability) < 1e-4);
        mem_free(text);
        translations_free(&found);
        prefix_free(&prefix);
        strings_free(pieces);
    }
    session_free(&session);
    translator_free(&model);
    threads_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_pieces_are_split),
        cmocka_unit_test(a_text_may_end_within_a_word),
        cmocka_unit_test(pieces_are_exact),
        cmocka_unit_test(translations_begin_with_a_text),
        cmocka_unit_test(a_complete_prefix_is_forced_decoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
