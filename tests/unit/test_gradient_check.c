/* gradient_check.h in single precision: it accepts the ops of tide and finds each kind of wrong gradient.
   tests/unit/double_gradients.c uses it in double precision. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "core/gradient_check.h"
#include "core/ops.h"
#include "core/tape_op.h"

static double error_of(const OpCheck *check) {
    Threads *threads = threads_new(1);
    const double error = gradient_check_op(check, threads);
    threads_free(threads);
    return error;
}

static Var *build_linear(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return linear(tape, in[0], in[1], in[2]);
}

static Var *build_tanh(Tape *tape, Var *const *in, const void *extra) {
    (void)extra;
    return tanh_of(tape, in[0]);
}

static void correct_gradients_pass(void **unused) {
    (void)unused;
    assert_true(error_of(&(OpCheck){build_linear, {{3, 5}, {5, 7}, {1, 7}}, NULL}) < gradient_tolerance());
    assert_true(error_of(&(OpCheck){build_tanh, {{30, 20}}, NULL}) < gradient_tolerance());
}

/* What is wrong in the backward pass of `square`. */
typedef enum { NOTHING, FACTOR, OVERWRITES, NEIGHBOUR, NOT_A_NUMBER } Mistake;

/* y = x²;  dx += 2 x dy */
static Back square_back;
static Var *square(Tape *tape, Var *const *in, const void *extra) {
    Var *y = var_new(tape, in[0]->rows, in[0]->cols);
    for (size_t i = 0; i < var_size(y); i++) y->v[i] = in[0]->v[i] * in[0]->v[i];
    Record *record = tape_record(tape, square_back, y, in[0], NULL, NULL);
    if (record) record->extra = extra;
    return y;
}

static void square_back(Tape *tape, const Record *record) {
    const Mistake mistake = *(const Mistake *)record->extra;
    Var *x = record->in[0];
    real *dx = var_grad(tape, x), *dy = var_grad(tape, record->out);
    for (size_t i = 0; i < var_size(x); i++)
        dx[i] = (mistake == OVERWRITES ? 0 : dx[i]) + (mistake == FACTOR ? (real)2.1 : 2) * x->v[i] * dy[i];
    if (mistake == NEIGHBOUR && x->whole) dx[var_size(x)] += 1; /* the row below the slice */
    if (mistake == NOT_A_NUMBER) dx[0] = (real)NAN;
}

static double error_with(Mistake mistake) { return error_of(&(OpCheck){square, {{3, 4}}, &mistake}); }

static void wrong_gradients_are_found(void **unused) {
    (void)unused;
    assert_true(error_with(NOTHING) < gradient_tolerance());
    assert_true(error_with(FACTOR) > gradient_tolerance());
    assert_true(error_with(OVERWRITES) > gradient_tolerance());
    assert_true(isinf(error_with(NEIGHBOUR)));
    assert_true(isinf(error_with(NOT_A_NUMBER)));
}

static double cube(void *x) { return pow(*(const real *)x, 3); }

static void one_number(void **unused) {
    (void)unused;
    real x = 2;
    assert_true(gradient_check_number(cube, &x, &x, 12) < gradient_tolerance());
    assert_true(gradient_check_number(cube, &x, &x, 12.5) > gradient_tolerance());
    assert_true(x == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(correct_gradients_pass),
                                       cmocka_unit_test(wrong_gradients_are_found), cmocka_unit_test(one_number)};
    return cmocka_run_group_tests_name("gradient check", tests, NULL, NULL);
}
