/* The numbers of a step: softmax rows add up to 1, c is Σ α h, and the alignment and the probabilities are those of
   other calls; a note is a copy. tests/e2e/weights.sh compares them with another program. */
#include "core/choice.h"
#include "translate/explain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "random_model.h"

static char *const source = "潮水退了?", *const target = "The tide went out.";
enum { TOP = 5, STEP = 2 };

typedef struct Kind {
    const char *attention, *arch, *encoder;
    bool conditional;
    int heads;
} Kind;

static void load_kind(Translator *model, const Kind *kind) {
    char path[SCRATCH_SIZE];
    Translator made;
    Err err;
    ModelOptions options = small_options("en");
    options.attention = choice_find(attention_names, kind->attention);
    options.arch = choice_find(arch_names, kind->arch);
    options.encoder = choice_find(encoder_names, kind->encoder);
    options.conditional = kind->conditional;
    options.heads = kind->heads;
    options.enc_depth = options.dec_depth = 2;
    options.dim_ffn = 7;
    scratch_file(path);
    write_random_model(&made, &options, target_texts, 11, path);
    translator_free(&made);
    assert_int_equal(model_load(model, path, &err), 0);
    unlink(path);
}

/* The numbers of this name; NULL: there are none. */
static const StepNumbers *find(const Explanation *x, const char *of, const char *name) {
    for (ptrdiff_t i = 0; i < arrlen(x->numbers); i++)
        if (!strcmp(x->numbers[i].of, of) && !strcmp(x->numbers[i].name, name)) return &x->numbers[i];
    return NULL;
}

static double at(const StepNumbers *numbers, int row, int col) {
    return (double)numbers->values[(ptrdiff_t)row * numbers->cols + col];
}

/* α = softmax(e), its rows sum to 1, and the sum of `values`, weighted by α, is the vector `sum`. */
static void check_read(const Explanation *x, const char *of, const StepNumbers *values, const char *sum) {
    const StepNumbers *e = find(x, of, "e"), *alpha = find(x, of, "alpha"), *c = find(x, of, sum);
    const int width = c->cols / alpha->rows;
    assert_int_equal(alpha->cols, values->rows);
    assert_true(c->vector && c->cols == values->cols);
    for (int head = 0; head < alpha->rows; head++) {
        double total = 0, exps = 0;
        for (int j = 0; j < alpha->cols; j++) total += at(alpha, head, j), exps += exp(at(e, head, j));
        assert_true(fabs(total - 1) < 1e-5);
        for (int j = 0; j < alpha->cols; j++) assert_true(fabs(at(alpha, head, j) - exp(at(e, head, j)) / exps) < 1e-5);
        for (int k = head * width; k < (head + 1) * width; k++) {
            double expected = 0;
            for (int j = 0; j < alpha->cols; j++) expected += at(alpha, head, j) * at(values, j, k);
            assert_true(fabs(at(c, 0, k) - expected) < 1e-5 * (1 + fabs(expected)));
        }
    }
}

/* The mean of the heads is the row of the alignment. */
static void check_alignment(Session *session, const StepNumbers *alpha) {
    Alignment alignment;
    session_align(session, &source, &target, 1, (AttentionOptions){0}, &alignment);
    for (int j = 0; j < alignment.n_source; j++) {
        double mean = 0;
        for (int head = 0; head < alpha->rows; head++) mean += at(alpha, head, j) / alpha->rows;
        assert_true(fabs(mean - (double)alignment.weight[STEP * alignment.n_source + j]) < 1e-6);
    }
    alignment_free(&alignment);
}

static void check_words(Session *session, const Explanation *x, const int *ids) {
    PairScore score;
    double *pieces;
    session_scores(session, &source, &target, 1, (AttentionOptions){0}, &score, &pieces);
    assert_true(fabs(log(x->next.probability) - pieces[STEP]) < 1e-5);
    mem_free(pieces);
    assert_string_equal(x->next.piece, vocab_piece(session->members[0]->target.vocab, ids[STEP]));
    assert_int_equal(arrlen(x->best), TOP);
    for (int k = 1; k < TOP; k++) assert_true(x->best[k].probability <= x->best[k - 1].probability);
    assert_true(x->next.probability <= x->best[0].probability);
}

static void check_kind(const Kind *kind) {
    Translator model;
    const Translator *const member = &model;
    Threads *threads = threads_new(1);
    Session session;
    load_kind(&model, kind);
    session_init(&session, &member, 1, threads);
    int *ids = side_encode(&model.target, target);
    Explanation x = session_explain(&session, source, ids, STEP, TOP, (AttentionOptions){0});
    Err err;
    assert_int_equal(explanation_check(&x, &err), 0);
    assert_null(session.tape.notes);
    const bool transformer = !strcmp(kind->arch, "transformer"), many = kind->heads > 1;
    const StepNumbers *h = find(&x, "encoder", "h"), *alpha = find(&x, "attention", "alpha");
    assert_int_equal(h->rows, arrlen(x.source));
    assert_int_equal(arrlen(x.target), STEP + 1);
    assert_string_equal(x.target[0], "<s>");
    assert_int_equal(find(&x, "output", "t")->rows, 1);
    assert_int_equal(!find(&x, "state", "s"), transformer);
    for (int layer = 1; transformer && layer <= 2; layer++) {
        char name[32];
        snprintf(name, sizeof name, "decoder.%d.self", layer);
        check_read(&x, name, find(&x, name, "v"), "c_heads");
        assert_int_equal(find(&x, name, "v")->rows, STEP + 1);
        snprintf(name, sizeof name, "decoder.%d.cross", layer);
        check_read(&x, name, find(&x, name, "v"), "c_heads");
        alpha = find(&x, name, "alpha");
    }
    if (!transformer && alpha)
        check_read(&x, "attention", many ? find(&x, "attention", "v") : h, many ? "c_heads" : "c");
    assert_int_equal(!alpha, !strcmp(kind->attention, "none"));
    assert_int_equal(!find(&x, "attention", "beta"), strcmp(kind->attention, "coverage") != 0);
    if (alpha) check_alignment(&session, alpha);
    check_words(&session, &x, ids);
    explanation_free(&x);
    arrfree(ids);
    session_free(&session);
    translator_free(&model);
    threads_free(threads);
}

static void the_numbers_agree_with_each_other(void **state) {
    (void)state;
    static const Kind list[] = {
        {"additive", "rnnsearch", "bigru", false, 1},      {"coverage", "rnnsearch", "bigru", true, 1},
        {"dot", "rnnsearch", "deep-bigru", false, 1},      {"general", "rnnsearch", "gru", true, 1},
        {"scaled-dot", "rnnsearch", "cnn", false, 1},      {"multi-head", "rnnsearch", "bigru", false, 2},
        {"none", "rnnsearch", "self-attention", false, 2}, {"additive", "transformer", "self-attention", false, 2},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) check_kind(&list[i]);
}

static void a_note_is_a_copy_and_the_last_one_counts(void **state) {
    (void)state;
    const real first[] = {1, 2, 3, 4}, second[] = {5, 6};
    Threads *threads = threads_new(1);
    Notes notes = {0};
    Tape tape;
    tape_init(&tape, threads, rng_seed(0, 0));
    Var *x = var_new(&tape, 2, 2), *y = var_new(&tape, 1, 2);
    memcpy(x->v, first, sizeof first);
    memcpy(y->v, second, sizeof second);
    tape_note(&tape, "state", "s", x); /* without a reader: does nothing */
    tape.notes = &notes;
    tape_note_rows(&tape, "state", "s", x);
    x->v[0] = 9;
    assert_int_equal(notes.last->rows, 2);
    assert_memory_equal(notes.last->values, first, sizeof first);
    tape_note(&tape, "attention", "s", x); /* the last row */
    tape_note(&tape, "state", "s", y);
    assert_string_equal(notes.last->of, "attention");
    assert_int_equal(notes.last->rows, 1);
    assert_memory_equal(notes.last->values, first + 2, 2 * sizeof *first);
    assert_null(notes.last->before->before);
    assert_int_equal(notes.last->before->rows, 1);
    assert_memory_equal(notes.last->before->values, second, sizeof second);
    notes_free(&notes);
    tape_free(&tape);
    threads_free(threads);
}

static void pieces_of_a_translation_have_ids(void **state) {
    (void)state;
    Translator model;
    Err err;
    load_random_model(&model, 3);
    int *whole = side_encode(&model.target, target);
    char **pieces = side_pieces(&model.target, whole, (int)arrlen(whole));
    for (int cut = 0; cut <= 1; cut++) { /* with </s>, and without */
        int *ids = side_piece_ids(&model.target, pieces, (int)arrlen(pieces) - cut, &err);
        assert_int_equal(arrlen(ids), arrlen(whole));
        assert_memory_equal(ids, whole, (size_t)arrlen(ids) * sizeof *ids);
        arrfree(ids);
    }
    int *unknown = side_piece_ids(&model.target, (char *[]){"<unk>"}, 1, &err);
    assert_int_equal(unknown[0], ID_UNK);
    arrfree(unknown);
    assert_null(side_piece_ids(&model.target, (char *[]){"<s>"}, 1, &err));
    assert_non_null(strstr(err.reason, "'<s>'"));
    assert_null(side_piece_ids(&model.target, (char *[]){"</s>", pieces[0]}, 2, &err));
    assert_non_null(strstr(err.reason, "after </s>"));
    arrfree(pieces);
    arrfree(whole);
    translator_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_agree_with_each_other),
        cmocka_unit_test(a_note_is_a_copy_and_the_last_one_counts),
        cmocka_unit_test(pieces_of_a_translation_have_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
