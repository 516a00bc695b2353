/* test_word_aligner.c: the word aligner of `tide lexicon`: units, counts, samplers, priors, links and lexicon entries.
 */
#include "core/scope.h"
#include "aligner/entries.h"
#include "aligner/sampler.h"
#include "aligner/word_links.h"
#include "io/ds.h"
#include "io/files.h"
#include "readers.h"
#include "scratch.h"
#include "text/lexicon.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- units and counts ----------------------------------------------------------------------------------------- */

/* Formats tokens as "unit/word", with ~ before a unit that a space precedes. */
static void assert_tokens(Units *units, const char *sentence, const char *expected) {
    char text[256] = "";
    Token *tokens = units_encode(units, sentence);
    for (ptrdiff_t i = 0; i < arrlen(tokens); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s/%d ", tokens[i].spaced ? "~" : "",
                 units_text(units, tokens[i].unit), tokens[i].word);
    assert_string_equal(text, expected);
    arrfree(tokens);
}

static void units_are_in_words(void **state) {
    (void)state;
    Units *chars = units_new(UNIT_CHAR), *words = units_new(UNIT_WORD), *given = units_new(UNIT_GIVEN);
    assert_tokens(chars, "潮水退了。", "潮/0 水/1 退/2 了/3 。/4 ");
    assert_tokens(chars, "潮水 退了", "潮/0 水/0 ~退/1 了/1 ");
    assert_tokens(words, "The tide's OUT.", "~the/0 ~tide/1 's/1 ~out/2 ./2 ");
    assert_tokens(given, "潮水 The", "~潮水/0 ~the/1 ");
    assert_tokens(given, "a▁ \\_", "~a▁/0 ~\\_/1 ");
    units_free(chars);
    units_free(words);
    units_free(given);
}

static void pieces_are_learned(void **state) {
    (void)state;
    Units *units = units_new(UNIT_PIECE);
    Err err;
    units->merges = bpe_parse("▁ t\n▁t i\n", NULL, &err);
    assert_tokens(units, "tide tip", "~ti/0 d/0 e/0 ~ti/1 p/1 ");
    assert_tokens(units, "a.", "~a/0 ./0 "); /* ▁ alone is no unit */
    units_free(units);
}

static void the_most_frequent_spelling_counts(void **state) {
    (void)state;
    Units *units = units_new(UNIT_WORD);
    Token *tokens = units_encode(units, "may May May MAY");
    const int unit = tokens[0].unit;
    assert_int_equal(tokens[3].unit, unit);
    assert_string_equal(units_text(units, unit), "may");
    assert_string_equal(units_spelling(units, unit), "May");
    assert_string_equal(units_spelling(units, units_add(units, "only")), "only");
    arrfree(tokens);
    units_free(units);
}

/* Forms of a word are one unit, also in scripts whose letters have several bytes. */
static void prefixes_are_units(void **state) {
    (void)state;
    Units *units = units_new(UNIT_PREFIX);
    assert_tokens(units, "Translations translate, trans.", "~trans/0 ~trans/1 ,/1 ~trans/2 ./2 ");
    assert_tokens(units, "ПЕРЕВОД tide's tides", "~перев/0 ~tide/1 's/1 ~tides/2 ");
    Token *tokens = units_encode(units, "translate");
    assert_string_equal(units_spelling(units, tokens[0].unit), "translate"); /* twice; the others once */
    arrfree(tokens);
    units_free(units);
}

static float count_of(const PairTable *counts, uint32_t source, uint32_t target) {
    return pair_table_count(counts, pair_table_find(counts, source, target), source, target);
}

/* Compares the table with an array, over many additions and removals. */
static void pair_table_equals_an_array(void **state) {
    (void)state;
    enum { N = 61 };
    static float expected[N][N];
    PairTable counts = pair_table_new();
    Rng rng = rng_seed(1, 2);
    for (int k = 0; k < 200000; k++) {
        const uint32_t source = rng_below(&rng, N), target = rng_below(&rng, N);
        const float by = expected[source][target] > 0 && rng_below(&rng, 2) ? -1 : 1;
        expected[source][target] += by;
        pair_table_add(&counts, source, target)->count += by;
    }
    PairTable copy = pair_table_copy(&counts);
    pair_table_free(&counts);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) assert_true(count_of(&copy, i, j) == expected[i][j]);
    assert_true(count_of(&copy, N, 0) == 0);
    pair_table_free(&copy);
}

/* ---- bitexts --------------------------------------------------------------------------------------------------- */

/* Reads a bitext from two texts of lines. */
static int read_bitext(Bitext *bitext, const char *source, const char *target, int longest, Err *err) {
    char paths[2][SCRATCH_SIZE];
    DiskCorpus corpus;
    scratch_text(paths[0], source);
    scratch_text(paths[1], target);
    assert_int_equal(disk_corpus_open(&corpus, scratch_folder(), false, err), 0);
    assert_int_equal(disk_corpus_read(&corpus, open_line_corpus(paths[0], paths[1], err), "pairs", NULL, NULL, err), 0);
    const int status = bitext_read(bitext, &corpus, (const int[2]){50, 50}, longest, NULL, NULL, err);
    disk_corpus_close(&corpus);
    for (int i = 0; i < 2; i++) unlink(paths[i]);
    return status;
}

static Bitext bitext_of(UnitKind kind, const char *source, const char *target) {
    Err err;
    Bitext bitext = bitext_new(units_new(kind), units_new(kind));
    assert_int_equal(read_bitext(&bitext, source, target, MOST_UNITS, &err), 0);
    return bitext;
}

static void long_and_empty_pairs_are_counted(void **state) {
    (void)state;
    Err err;
    Bitext b = bitext_new(units_new(UNIT_GIVEN), units_new(UNIT_GIVEN));
    assert_int_equal(read_bitext(&b, "a b\n\na b c\na b\na\n", "x\ny\nx\nx y z\nx y\n", 2, &err), 0);
    assert_int_equal(bitext_pairs(&b), 2);
    assert_int_equal(b.number[0], 1);
    assert_int_equal(b.number[1], 5);
    assert_true(b.read == 5 && b.dropped_empty == 1 && b.dropped_long == 2);
    assert_int_equal(bitext_cells(&b, 0), 2);
    assert_int_equal(bitext_length(&b.side[TARGET], 1), 2);
    bitext_free(&b);
    b = bitext_new(units_new(UNIT_GIVEN), units_new(UNIT_GIVEN));
    assert_int_equal(read_bitext(&b, "a b c\n", "x\n", 2, &err), -1);
    assert_non_null(strstr(err.reason, "at most 2 units"));
    bitext_free(&b);
}

/* ---- the sampler against enumeration ---------------------------------------------------------------------------- */

/* Three pairs with few units, and counts of other text. */
static const char small_source[] = "a b\nb a c\nc\n", small_target[] = "x y\ny x\nz x\n";
enum { TOKENS = 6, STATES_OF_TOKEN = 4 /* at most three source tokens and the null unit */ };

static LinkCounts small_prior(Bitext *b) {
    Units *s = b->side[SOURCE].units, *t = b->side[TARGET].units;
    LinkCounts prior = link_counts_new(units_count(s));
    link_counts_add(&prior, units_add(s, "a"), units_add(t, "x"), 40);
    link_counts_add(&prior, units_add(s, "a"), units_add(t, "y"), 10);
    link_counts_add(&prior, units_add(s, "b"), units_add(t, "y"), 7.5F);
    link_counts_add(&prior, NULL_UNIT, units_add(t, "z"), 3);
    const double jumps[] = {1, 2, 12, 4, 1}; /* -2..2 */
    for (int k = 0; k < 5; k++) prior.jump[LONGEST_JUMP - 2 + k] = jumps[k];
    for (int unit = 1; unit < units_count(s); unit++)
        for (int k = 0; k < 3; k++) prior.fertility[unit][k] = (float)((unit + k) % 3 * 4 + 1);
    return prior;
}

/* The joint weight of all links of the bitext, up to a factor. link[k] is the source position of target token k, or -1.
   Dirichlet-multinomial: the tokens are added one by one. */
static double joint_weight(const Bitext *b, const LinkCounts *prior, Stage stage, const int *link) {
    const double alpha = 30.0 / units_count(b->side[TARGET].units);
    LinkCounts counts = link_counts_copy(prior);
    double weight = 1, all_jumps = 0;
    for (int i = 0; i < JUMPS; i++) all_jumps += prior->jump[i] + 0.5;
    for (long pair = 0, k = 0; pair < bitext_pairs(b); pair++) {
        const int n = bitext_length(&b->side[SOURCE], pair), m = bitext_length(&b->side[TARGET], pair);
        const int *source = b->side[SOURCE].unit + bitext_begin(&b->side[SOURCE], pair);
        int fertility[3] = {0}, previous = -1;
        for (int j = 0; j < m; j++, k++) {
            const int unit = link[k] < 0 ? NULL_UNIT : source[link[k]], target = b->side[TARGET].unit[k];
            const double count = (double)count_of(&counts.pairs, (uint32_t)unit, (uint32_t)target);
            weight *= (count + alpha) / (counts.total[unit] + 30.0);
            link_counts_add(&counts, unit, target, 1);
            weight *= link[k] < 0 ? 0.2 : stage == STAGE_WORDS ? 0.8 / n : 0.8;
            if (link[k] < 0) continue;
            if (stage != STAGE_WORDS) weight *= (prior->jump[jump_index(previous, link[k])] + 0.5) / all_jumps;
            previous = link[k];
            fertility[link[k]]++;
        }
        if (stage != STAGE_WORDS) weight *= (prior->jump[jump_index(previous, n)] + 0.5) / all_jumps;
        for (int i = 0; i < n && stage == STAGE_FERTILITY; i++)
            weight *= (double)prior->fertility[source[i]][fertility[i]] + 0.5;
    }
    link_counts_free(&counts);
    return weight;
}

/* Fills expected [TOKENS][3] with the exact probabilities of the source positions. */
static void enumerate(const Bitext *b, const LinkCounts *prior, Stage stage, double expected[TOKENS][3]) {
    int link[TOKENS], length[TOKENS];
    double all = 0;
    memset(expected, 0, sizeof(double[TOKENS][3]));
    for (int k = 0; k < TOKENS; k++) length[k] = bitext_length(&b->side[SOURCE], k / 2);
    for (int code = 0; code < 1 << (2 * TOKENS); code++) {
        bool valid = true;
        for (int k = 0; k < TOKENS; k++) {
            link[k] = (code >> (2 * k)) % STATES_OF_TOKEN - 1;
            valid = valid && link[k] < length[k];
        }
        if (!valid) continue;
        const double weight = joint_weight(b, prior, stage, link);
        all += weight;
        for (int k = 0; k < TOKENS; k++)
            if (link[k] >= 0) expected[k][link[k]] += weight;
    }
    for (int k = 0; k < TOKENS; k++)
        for (int i = 0; i < 3; i++) expected[k][i] /= all;
}

/* The mean probabilities of the sampler over many sweeps are those of the enumeration. The distributions of jumps and
   fertilities stay those of the prior, because no further sweep is started. */
static void the_sampler_draws_from_the_posterior(void **state) {
    (void)state;
    Bitext b = bitext_of(UNIT_GIVEN, small_source, small_target);
    LinkCounts prior = small_prior(&b);
    for (Stage stage = 0; stage < STAGES; stage++) {
        enum { RUNS = 4000 };
        double expected[TOKENS][3], sum[TOKENS * 3] = {0};
        float posterior[2 * (2 + 3 + 1)];
        enumerate(&b, &prior, stage, expected);
        Sampler *sampler = sampler_new(&b, SOURCE, &prior, rng_seed(3, (uint64_t)stage));
        sampler_start_sweep(sampler, stage);
        sampler_run(sampler, 0, 3, 20, NULL);
        for (int run = 0; run < RUNS; run++) {
            sampler_run(sampler, 0, 3, 1, posterior);
            for (size_t i = 0; i < COUNT(posterior); i++) sum[i] += (double)posterior[i] / RUNS;
        }
        sampler_free(sampler);
        const double *cell = sum;
        for (int k = 0; k < TOKENS; k++)
            for (int i = 0, n = bitext_length(&b.side[SOURCE], k / 2); i < n; i++, cell++)
                if (fabs(*cell - expected[k][i]) > 0.01)
                    fail_msg("stage %d, token %d, source %d: %g, exactly %g", (int)stage, k, i, *cell, expected[k][i]);
    }
    link_counts_free(&prior);
    bitext_free(&b);
}

/* After a sweep, the counts are those of the links: each target token has one link, each sentence one jump more than
   it has links to source tokens, and each source token one fertility. */
static void counts_are_those_of_the_links(void **state) {
    (void)state;
    Bitext b = bitext_of(UNIT_GIVEN, small_source, small_target);
    Sampler *sampler = sampler_new(&b, TARGET, NULL, rng_seed(5, 0));
    for (Stage stage = 0; stage < STAGES; stage++) {
        sampler_start_sweep(sampler, stage);
        sampler_run(sampler, 0, 3, 2, NULL);
        const LinkCounts *counts = sampler_counts(sampler);
        double links = 0, linked = 0, jumps = 0, fertilities = 0, by_fertility = 0;
        for (size_t i = 0; i <= counts->pairs.mask; i++) links += (double)counts->pairs.slots[i].count;
        for (int unit = 1; unit < counts->n_source; unit++) linked += counts->total[unit];
        for (int i = 0; i < JUMPS; i++) jumps += counts->jump[i];
        for (int unit = 0; unit < counts->n_source; unit++)
            for (int k = 0; k < FERTILITIES; k++) {
                fertilities += (double)counts->fertility[unit][k];
                by_fertility += k * (double)counts->fertility[unit][k];
            }
        assert_true(links == TOKENS && fertilities == TOKENS && jumps == linked + 3 && by_fertility == linked);
    }
    sampler_free(sampler);
    bitext_free(&b);
}

/* ---- the aligner ------------------------------------------------------------------------------------------------ */

/* A corpus of n pairs in which word k is translated by word k; the order of the target is reversed in pairs of words.
 */
static Bitext dictionary_bitext(int n) {
    MemoryFile memory[2];
    FILE *out[2] = {memory_open(&memory[SOURCE]), memory_open(&memory[TARGET])};
    Rng rng = rng_seed(7, 7);
    for (int pair = 0; pair < n; pair++) {
        const int length = 2 + 2 * (int)rng_below(&rng, 3);
        unsigned word[8] = {0};
        for (int i = 0; i < length; i++) word[i] = rng_below(&rng, 40);
        for (int i = 0; i < length; i++) {
            fprintf(out[0], "s%u ", word[i]);
            fprintf(out[1], "t%u ", word[i ^ 1]);
        }
        for (int i = 0; i < 2; i++) fputc('\n', out[i]);
    }
    char *source = memory_close(&memory[SOURCE], NULL), *target = memory_close(&memory[TARGET], NULL);
    Bitext b = bitext_of(UNIT_GIVEN, source, target);
    mem_free(source);
    mem_free(target);
    return b;
}

/* What an alignment of a corpus gave. */
typedef struct Found {
    float *weights; /* stb_ds array: all matrices */
    long wrong, links, calls;
    LinkOptions options;
} Found;

static int collect(void *context, const PairAlignment *a, Err *err) {
    Found *found = context;
    const size_t cells = (size_t)a->n[0] * (size_t)a->n[1];
    assert_int_equal(a->pair, found->calls++);
    memcpy(arraddnptr(found->weights, cells), a->forward, cells * sizeof *a->forward);
    memcpy(arraddnptr(found->weights, cells), a->reverse, cells * sizeof *a->reverse);
    Link *links = word_links(a, found->options);
    const int *unit[2];
    for (int i = 0; i < 2; i++) unit[i] = a->bitext->side[i].unit + bitext_begin(&a->bitext->side[i], a->pair);
    for (ptrdiff_t k = 0; k < arrlen(links); k++) /* the units of word k have the same name but for the first letter */
        found->wrong += strcmp(units_text(a->bitext->side[0].units, unit[0][links[k].source]) + 1,
                               units_text(a->bitext->side[1].units, unit[1][links[k].target]) + 1) != 0;
    found->links += arrlen(links);
    arrfree(links);
    (void)err;
    return 0;
}

static Found align(const Bitext *b, const LinkCounts *prior, Symmetrization kind, int threads, LinkCounts learned[2]) {
    Err err;
    Found found = {.options = {kind, 0.35}};
    Threads *pool = threads_new(threads);
    const AlignerOptions options = {.samplers = 3, .sweeps = 10, .seed = 1};
    assert_int_equal(aligner_run(b, prior, &options, pool, NULL, collect, &found, learned, &err), 0);
    threads_free(pool);
    assert_int_equal(found.calls, bitext_pairs(b));
    return found;
}

static void a_dictionary_is_found(void **state) {
    (void)state;
    Bitext b = dictionary_bitext(300);
    const long tokens = (long)bitext_begin(&b.side[SOURCE], bitext_pairs(&b));
    for (Symmetrization kind = INTERSECTION; kind <= MEAN_LINKS; kind++) {
        Found found = align(&b, NULL, kind, 2, NULL);
        if (found.wrong * 100 > found.links || found.links * 100 < 97 * tokens)
            fail_msg("kind %d: %ld of %ld links are wrong; there are %ld tokens", (int)kind, found.wrong, found.links,
                     tokens);
        arrfree(found.weights);
    }
    bitext_free(&b);
}

static void threads_do_not_change_the_result(void **state) {
    (void)state;
    Bitext b = dictionary_bitext(200);
    LinkCounts learned[2][2];
    Found one = align(&b, NULL, MEAN_LINKS, 1, learned[0]), four = align(&b, NULL, MEAN_LINKS, 4, learned[1]);
    assert_int_equal(arrlen(one.weights), arrlen(four.weights));
    assert_memory_equal(one.weights, four.weights, arrlenu(one.weights) * sizeof *one.weights);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(learned[0][i].jump, learned[1][i].jump, sizeof learned[0][i].jump);
        assert_int_equal(learned[0][i].pairs.mask, learned[1][i].pairs.mask);
        assert_memory_equal(learned[0][i].pairs.slots, learned[1][i].pairs.slots,
                            (learned[0][i].pairs.mask + 1) * sizeof *learned[0][i].pairs.slots);
        for (int k = 0; k < 2; k++) link_counts_free(&learned[k][i]);
    }
    arrfree(one.weights);
    arrfree(four.weights);
    bitext_free(&b);
}

/* Ends after the first pair. */
static int refuse_pair(void *context, const PairAlignment *a, Err *err) {
    (void)context;
    return err_set(err, NULL, a->pair + 1, "enough");
}

static int cancel(void *context, long done, long all) {
    (void)context;
    assert_true(done > 0 && done <= all && all == 50L * 4);
    return 1;
}

static void the_caller_can_end_it(void **state) {
    (void)state;
    Err err;
    LinkCounts learned[2];
    Bitext b = dictionary_bitext(50);
    Threads *pool = threads_new(1);
    const AlignerOptions options = {.samplers = 1, .sweeps = 4, .seed = 1};
    assert_int_equal(aligner_run(&b, NULL, &options, pool, NULL, refuse_pair, NULL, learned, &err), -1);
    assert_string_equal(err.reason, "enough");
    assert_int_equal(aligner_run(&b, NULL, &options, pool, cancel, refuse_pair, NULL, learned, &err), -1);
    assert_string_equal(err.reason, "stopped in sweep 1");
    for (int i = 0; i < 2; i++) link_counts_free(&learned[i]);
    threads_free(pool);
    bitext_free(&b);
}

/* ---- priors ----------------------------------------------------------------------------------------------------- */

static char *priors_text(const Priors *priors) {
    MemoryFile memory;
    priors_write(priors, memory_open(&memory));
    return memory_close(&memory, NULL);
}

static int read_priors(Priors *priors, const char *text, Err *err) {
    char path[SCRATCH_SIZE];
    scratch_text(path, text);
    const int status = priors_read(priors, path, err);
    if (status) assert_string_equal(err->path, path);
    unlink(path);
    return status;
}

static const char valid_priors[] = "# units char piece\n# source merges\n# target merges\n▁ t\n▁t i\n"
                                   "# forward links\n\tthe\t3\n潮\tthe\t0.001\n潮\ttide\t2.333\n# reverse links\n"
                                   "tide\t潮\t2\n# forward jumps\n-128\t1\n0\t0.500\n128\t7\n# reverse jumps\n1\t1\n"
                                   "# forward fertilities\n潮\t0\t1\n潮\t12\t0.250\n# reverse fertilities\n";

static void priors_survive_a_file(void **state) {
    (void)state;
    Err err;
    Priors priors;
    assert_int_equal(read_priors(&priors, valid_priors, &err), 0);
    const LinkCounts *forward = &priors.counts[0];
    const int tide = units_add(priors.units[0], "潮");
    assert_true(count_of(&forward->pairs, (uint32_t)tide, (uint32_t)units_add(priors.units[1], "tide")) == 2.333F);
    assert_true(forward->jump[0] == 1 && forward->jump[LONGEST_JUMP] == 0.5 && forward->jump[JUMPS - 1] == 7);
    assert_true(forward->fertility[tide][12] == 0.25F);
    assert_true(fabs(forward->total[tide] - 2.334) < 1e-6 && forward->total[NULL_UNIT] == 3);
    assert_tokens(priors.units[1], "tim", "~ti/0 m/0 ");
    priors_free(&priors);
    assert_int_equal(read_priors(&priors, valid_priors, &err), 0);
    char *text = priors_text(&priors);
    assert_string_equal(text, valid_priors);
    mem_free(text);
    priors_free(&priors);
    char windows[2 * sizeof valid_priors], *end = windows;
    for (const char *at = valid_priors; *at; *end++ = *at++)
        if (*at == '\n') *end++ = '\r';
    *end = '\0';
    assert_int_equal(read_priors(&priors, windows, &err), 0);
    text = priors_text(&priors);
    assert_string_equal(text, valid_priors);
    mem_free(text);
    priors_free(&priors);
}

/* Whatever the order in which they were counted, units are written in the order of their texts. */
static void priors_are_sorted(void **state) {
    (void)state;
    enum { UNITS = 7, LINKS = UNITS * UNITS };
    char given[1024] = "# units word word\n# forward links\n", sorted[1024] = "";
    Err err;
    Priors priors;
    for (int i = 0; i < LINKS; i++) {
        const int mixed = 24 * i % LINKS; /* all of them once: 24 and 49 have no common factor */
        snprintf(given + strlen(given), sizeof given - strlen(given), "%c\t%c\t%d\n", 'a' + mixed / UNITS,
                 'p' + mixed % UNITS, mixed + 1);
        snprintf(sorted + strlen(sorted), sizeof sorted - strlen(sorted), "%c\t%c\t%d\n", 'a' + i / UNITS,
                 'p' + i % UNITS, i + 1);
    }
    strcat(given, "# forward fertilities\nc\t2\t1\na\t1\t2\nb\t0\t3\nc\t0\t4\n");
    assert_int_equal(read_priors(&priors, given, &err), 0);
    char *text = priors_text(&priors);
    if (!strstr(text, sorted)) fail_msg("%s", text);
    assert_non_null(strstr(text, "# forward fertilities\na\t1\t2\nb\t0\t3\nc\t0\t4\nc\t2\t1\n"));
    mem_free(text);
    priors_free(&priors);
}

/* A link is added and written, in whatever slot of the table it is. */
static void no_link_is_left_out(void **state) {
    (void)state;
    enum { UNITS = 40 };
    for (int i = 0; i < UNITS * UNITS; i++) {
        Err err;
        Priors priors;
        assert_int_equal(read_priors(&priors, "# units word word\n", &err), 0);
        LinkCounts sum = link_counts_new(1), one = link_counts_new(UNITS + 1);
        link_counts_add(&one, i / UNITS, i % UNITS, 4);
        link_counts_add_all(&sum, &one, 0.5F);
        assert_true(sum.total[i / UNITS] == 2 && count_of(&sum.pairs, (uint32_t)i / UNITS, (uint32_t)i % UNITS) == 2);
        link_counts_free(&priors.counts[0]);
        priors.counts[0] = sum;
        for (int side = 0; side < 2; side++)
            for (int unit = 0; unit <= UNITS; unit++) {
                char name[8];
                snprintf(name, sizeof name, "w%d", unit);
                units_add(priors.units[side], name);
            }
        char *written = priors_text(&priors);
        assert_non_null(strstr(written, "\t2\n"));
        mem_free(written);
        link_counts_free(&one);
        priors_free(&priors);
    }
}

/* A count has at most 13 digits and three decimals, and is at most 2^40. */
static void counts_have_limits(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double count; /* negative: refused */
    } cases[] = {{"0", 0},
                 {"0.1", 0.1},
                 {"7.25", 7.25},
                 {"2.333", 2.333},
                 {"0000000000001", 1},
                 {"00000000000001", -1},
                 {"1099511627776", 1099511627776},
                 {"1099511627776.000", 1099511627776},
                 {"1099511627776.001", -1},
                 {"1099511627777", -1},
                 {"1.", -1},
                 {".5", -1},
                 {"1.5x", -1},
                 {"1,5", -1},
                 {"", -1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[96];
        Err err = {0};
        Priors priors;
        snprintf(text, sizeof text, "# units char word\n# forward jumps\n1\t%s\n", cases[i].text);
        assert_int_equal(read_priors(&priors, text, &err), cases[i].count < 0 ? -1 : 0);
        if (cases[i].count < 0) continue;
        assert_true(fabs(priors.counts[0].jump[LONGEST_JUMP + 1] - cases[i].count) < 1e-9);
        priors_free(&priors);
    }
}

static void all_kinds_of_counts_are_added(void **state) {
    (void)state;
    LinkCounts sum = link_counts_new(1), more = link_counts_new(3);
    link_counts_add(&sum, 0, 4, 1);
    link_counts_add(&more, 0, 4, 10);
    link_counts_add(&more, 2, 7, 6);
    more.jump[0] = 4;
    more.jump[JUMPS - 1] = 8;
    more.fertility[0][0] = 2;
    more.fertility[2][FERTILITIES - 1] = 12;
    link_counts_add_all(&sum, &more, 0.5F);
    assert_true(count_of(&sum.pairs, 0, 4) == 6 && count_of(&sum.pairs, 2, 7) == 3);
    assert_true(sum.total[0] == 6 && sum.total[1] == 0 && sum.total[2] == 3);
    assert_true(sum.jump[0] == 2 && sum.jump[1] == 0 && sum.jump[JUMPS - 1] == 4);
    assert_true(sum.fertility[0][0] == 1 && sum.fertility[2][FERTILITIES - 1] == 6 && sum.fertility[1][0] == 0);
    link_counts_free(&sum);
    link_counts_free(&more);
}

static void broken_priors_are_refused_with_their_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
        long line;
    } broken[] = {
        {"", "empty", 0},
        {"潮\ttide\n", "not a file of priors", 1},
        {"# units char\n", "not a file of priors", 1},
        {"# units char letter\n", "not a file of priors", 1},
        {"# units char word given\n", "not a file of priors", 1},
        {"# units char word\n\n", "before any section", 2},
        {"# units char word\n# forward steps\n", "no section", 2},
        {"# units char word\n# forward links\na\tb\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward links\na\t\t1\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward links\na\tb\t1\t2\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward links\na\tb\t1\t2\t3\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward links\na\tb\t-1\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward links\na\tb\t1.2345\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward links\na\tb\t1e3\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward links\na\tb\t1099511627777\n", "unit, tab, unit, tab, count", 3},
        {"# units char word\n# forward jumps\n129\t1\n", "length of a jump", 3},
        {"# units char word\n# forward jumps\n1\n", "length of a jump", 3},
        {"# units char word\n# reverse fertilities\na\t13\t1\n", "number of links", 3},
        {"# units char word\n# reverse fertilities\na\t-1\t1\n", "number of links", 3},
        {"# units char word\n# source merges\na b\n", "not pieces", 3},
        {"# units char piece\n# target merges\na b\nab\n# forward links\n", "", 4},
        {"# units char word\n# forward links\na\tb\xff\t1\n", "UTF-8", 3},
    };
    for (size_t i = 0; i < COUNT(broken); i++) {
        Err err = {0};
        Priors priors;
        assert_int_equal(read_priors(&priors, broken[i].text, &err), -1);
        if (err.line != broken[i].line || !strstr(err.reason, broken[i].reason))
            fail_msg("case %zu: line %ld, '%s'", i, err.line, err.reason);
    }
    Err err;
    Priors priors;
    assert_int_equal(priors_read(&priors, "/nowhere/priors", &err), -1);
    assert_string_equal(err.path, "/nowhere/priors");
}

/* One pair of words that no corpus has together is aligned by what was learned from many pairs. */
static void priors_align_new_text(void **state) {
    (void)state;
    Bitext b = dictionary_bitext(300);
    LinkCounts learned[2];
    Found found = align(&b, NULL, MEAN_LINKS, 2, learned);
    arrfree(found.weights);
    const Priors priors = {{b.side[0].units, b.side[1].units}, {learned[0], learned[1]}};
    char *text = priors_text(&priors);
    Priors again;
    Err err;
    assert_int_equal(read_priors(&again, text, &err), 0);
    mem_free(text);
    Bitext b2 = bitext_new(again.units[0], again.units[1]);
    again.units[0] = again.units[1] = NULL;
    assert_int_equal(read_bitext(&b2, "s1 s2 s3 s4 s5 s6 new\n", "t2 t1 t4 t3 t6 t5\n", 99, &err), 0);
    found = align(&b2, again.counts, MEAN_LINKS, 2, NULL);
    if (found.links != 6 || found.wrong) fail_msg("%ld links, %ld of them wrong", found.links, found.wrong);
    arrfree(found.weights);
    priors_free(&again);
    for (int i = 0; i < 2; i++) link_counts_free(&learned[i]);
    bitext_free(&b);
    bitext_free(&b2);
}

/* ---- links ------------------------------------------------------------------------------------------------------ */

static void assert_links(Link *links, const char *expected) {
    char text[256] = "";
    for (ptrdiff_t k = 0; k < arrlen(links); k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d-%d ", links[k].source, links[k].target);
    assert_string_equal(text, expected);
    arrfree(links);
}

/* Source "ab c" is two words of characters a, b and c; target "x y" is two words. */
static void words_are_linked_by_their_tokens(void **state) {
    (void)state;
    Bitext b = bitext_of(UNIT_CHAR, "潮水 退\n", "x y\n");
    static const float forward[] = {0.4F, 0.3F, 0.1F,  /* x: 0.2 null */
                                    0.0F, 0.1F, 0.2F}; /* y: 0.7 null */
    static const float reverse[] = {0.9F, 0.0F, 0.1F, 0.4F, 0.1F, 0.8F};
    const PairAlignment a = {&b, 0, {3, 2}, forward, reverse};
    /* words: forward x {0.7, 0.1}, y {0.1, 0.2}; reverse 潮水 {0.5, 0.2}, 退 {0.1, 0.8} */
    assert_links(word_links(&a, (LinkOptions){MEAN_LINKS, 0.45}), "0-0 1-1 ");
    assert_links(word_links(&a, (LinkOptions){MEAN_LINKS, 0.55}), "0-0 ");
    assert_links(word_links(&a, (LinkOptions){SOFT_LINKS, 0.31}), "0-0 1-1 ");
    assert_links(word_links(&a, (LinkOptions){SOFT_LINKS, 0.33}), "0-0 ");
    assert_links(word_links(&a, (LinkOptions){INTERSECTION, 0}), "0-0 ");
    assert_links(word_links(&a, (LinkOptions){UNION, 0}), "0-0 1-1 ");
    /* tokens: forward x takes 潮, y the null unit; reverse 潮 takes x, 水 the null unit, 退 takes y */
    assert_links(token_links(&a, (LinkOptions){INTERSECTION, 0}), "0-0 ");
    assert_links(token_links(&a, (LinkOptions){UNION, 0}), "0-0 2-1 ");
    assert_links(token_links(&a, (LinkOptions){MEAN_LINKS, 0.5}), "0-0 2-1 ");
    assert_links(token_links(&a, (LinkOptions){SOFT_LINKS, 0.6}), "");
    bitext_free(&b);
}

static char *entries_text(const Entries *entries) {
    MemoryFile memory;
    entries_write(entries, memory_open(&memory));
    return memory_close(&memory, NULL);
}

static void entries_are_groups_of_linked_tokens(void **state) {
    (void)state;
    Bitext b =
        bitext_of(UNIT_WORD, "New York , a\nnew York\nNew York\nx\n", "Big Apple , b c\nYork City\nYork City\nb\n");
    static const Link links[][4] = {{{0, 0, false}, {1, 1, false}, {1, 0, false}, {3, 4, false}},
                                    {{0, 0, false}, {1, 1, false}, {0, 1, false}, {0, 0, false}}};
    Entries entries = {0};
    const PairAlignment a = {&b, 0, {4, 5}, NULL, NULL}, c = {&b, 1, {2, 2}, NULL, NULL},
                        d = {&b, 2, {2, 2}, NULL, NULL};
    entries_count(&entries, &a, links[0], 4);
    entries_count(&entries, &c, links[1], 3);
    entries_count(&entries, &d, links[1], 3);
    char *text = entries_text(&entries);
    assert_string_equal(text, "New York\tYork City\t0.6667\nNew York\tBig Apple\t0.3333\na\tc\t1.0000\n");
    mem_free(text);
    entries_free(&entries);
    /* the group of a and z has a gap: no entry */
    static const Link gap[] = {{0, 0, false}, {3, 0, false}, {1, 1, false}};
    entries_count(&entries, &a, gap, 3);
    text = entries_text(&entries);
    assert_string_equal(text, "York\tApple\t1.0000\n");
    mem_free(text);
    entries_free(&entries);
    /* four tokens are an entry, five are none */
    static const Link wide[] = {{0, 0, false}, {1, 0, false}, {2, 0, false}, {3, 0, false}},
                      wider[] = {{0, 0, false}, {0, 1, false}, {0, 2, false}, {0, 3, false}, {0, 4, false}};
    entries_count(&entries, &a, wide, 4);
    entries_count(&entries, &a, wider, 5);
    text = entries_text(&entries);
    assert_string_equal(text, "New York , a\tBig\t1.0000\n");
    mem_free(text);
    entries_free(&entries);
    bitext_free(&b);
}

/* No entry has a longer source text than a lexicon may have. */
static void entries_can_be_read(void **state) {
    (void)state;
    char source[2 * LEXICON_SOURCE_BYTES + 4], expected[LEXICON_SOURCE_BYTES + 20];
    snprintf(source, sizeof source, "%0*d\n%0*d\n", LEXICON_SOURCE_BYTES, 0, LEXICON_SOURCE_BYTES + 1, 0);
    Bitext b = bitext_of(UNIT_GIVEN, source, "x\ny\n");
    static const Link link = {0, 0, false};
    Entries entries = {0};
    for (int i = 0; i < 2; i++) entries_count(&entries, &(PairAlignment){&b, i, {1, 1}, NULL, NULL}, &link, 1);
    char *text = entries_text(&entries);
    snprintf(expected, sizeof expected, "%0*d\tx\t1.0000\n", LEXICON_SOURCE_BYTES, 0);
    assert_string_equal(text, expected);
    mem_free(text);
    entries_free(&entries);
    bitext_free(&b);
}

static void align_nothing(void *options) {
    const Bitext none = {0};
    Err err;
    aligner_run(&none, NULL, options, NULL, NULL, NULL, NULL, NULL, &err);
}

static void a_run_has_samplers_and_sweeps(void **state) {
    (void)state;
    AlignerOptions wrong[] = {{.sweeps = 1}, {.samplers = 1}};
    static const char *const reasons[] = {"0 samplers, 1 sweeps", "1 samplers, 0 sweeps"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char reason[512] = "";
        Scope scope = {0};
        assert_int_equal(scope_run(&scope, align_nothing, &wrong[i], reason, sizeof reason), SCOPE_FAILED);
        scope_release(&scope);
        assert_non_null(strstr(reason, reasons[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_in_words),
        cmocka_unit_test(pieces_are_learned),
        cmocka_unit_test(the_most_frequent_spelling_counts),
        cmocka_unit_test(prefixes_are_units),
        cmocka_unit_test(pair_table_equals_an_array),
        cmocka_unit_test(long_and_empty_pairs_are_counted),
        cmocka_unit_test(the_sampler_draws_from_the_posterior),
        cmocka_unit_test(counts_are_those_of_the_links),
        cmocka_unit_test(a_dictionary_is_found),
        cmocka_unit_test(threads_do_not_change_the_result),
        cmocka_unit_test(the_caller_can_end_it),
        cmocka_unit_test(a_run_has_samplers_and_sweeps),
        cmocka_unit_test(priors_survive_a_file),
        cmocka_unit_test(priors_are_sorted),
        cmocka_unit_test(no_link_is_left_out),
        cmocka_unit_test(counts_have_limits),
        cmocka_unit_test(all_kinds_of_counts_are_added),
        cmocka_unit_test(broken_priors_are_refused_with_their_line),
        cmocka_unit_test(priors_align_new_text),
        cmocka_unit_test(words_are_linked_by_their_tokens),
        cmocka_unit_test(entries_are_groups_of_linked_tokens),
        cmocka_unit_test(entries_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
