#include "translate/explain.h"
#include "core/exact.h"
#include "io/ds.h"
#include "io/json.h"
#include "translate/candidates.h"

#include <math.h>
#include <string.h>

int *pieces_ids(const Side *side, char *const *pieces, int n, Err *err) {
    const int words = pieces_text_count(pieces, n);
    int *ids = NULL, status = 0;
    for (int i = 0; i < words && !status; i++) {
        if (piece_is_end(pieces[i])) status = err_set(err, NULL, 0, "a translation with pieces after </s>");
        else if (vocab_has(side->vocab, pieces[i]) || !strcmp(pieces[i], vocab_piece(side->vocab, ID_UNK)))
            arrput(ids, vocab_id(side->vocab, pieces[i]));
        else status = err_set(err, NULL, 0, "the vocabulary has no piece '%.100s'", pieces[i]);
    }
    if (!status) arrput(ids, ID_EOS);
    else arrfree(ids);
    return ids;
}

/* A note as numbers of its last row, which is the step; h_j and v_j have all their rows. */
static StepNumbers numbers_of(const Note *note, int heads) {
    const bool matrix = !strcmp(note->name, "h") || !strcmp(note->name, "v");
    const bool by_head = !strcmp(note->name, "e") || !strcmp(note->name, "alpha");
    StepNumbers numbers = {.of = note->of, .name = note->name, .rows = note->rows, .cols = note->cols};
    numbers.values = note->values;
    if (matrix) return numbers;
    numbers.values += (ptrdiff_t)(note->rows - 1) * note->cols;
    numbers.vector = !by_head;
    numbers.rows = by_head ? heads : 1;
    numbers.cols = note->cols / numbers.rows;
    return numbers;
}

/* Adds the notes to the explanation, the first one first. */
static void add_numbers(Explanation *x, int heads) {
    for (const Note *note = x->notes.last; note; note = note->before)
        if (strncmp(note->of, "encoder.", strlen("encoder.")) != 0) arrput(x->numbers, numbers_of(note, heads));
    for (ptrdiff_t i = 0, n = arrlen(x->numbers); i < n / 2; i++) {
        const StepNumbers swap = x->numbers[i];
        x->numbers[i] = x->numbers[n - 1 - i];
        x->numbers[n - 1 - i] = swap;
    }
}

/* Sets the probabilities from the logits of the step. */
static void add_words(Explanation *x, const Vocab *vocab, const real *logits, int V, int next, int top) {
    if (top > V) top = V;
    WordCandidate *best = mem_alloc((size_t)(top + 1) * sizeof *best);
    x->next = (StepWord){vocab_piece(vocab, next), exact_exp((double)logits[next] - logits_log_sum(V, logits))};
    if (top) words_best(logits, V, NULL, 0, top, best);
    for (int k = 0; k < top && best[k].id >= 0; k++)
        arrput(x->best, ((StepWord){vocab_piece(vocab, best[k].id), best[k].probability}));
    mem_free(best);
}

/* The pass ends with the step: its rows are the last ones of all values. */
Explanation session_explain(Session *session, char *source, const int *target, int step, int top,
                            AttentionOptions attention) {
    const Translator *translator = session->members[0];
    const Model *model = &translator->model;
    Tape *tape = &session->tape;
    Explanation x = {.step = step, .source = side_spell(&translator->source, source)};
    int **ids = session_encode(session, &source, 1);
    const int length = (int)arrlen(ids[0]), read = step + 1;
    session_begin(session);
    const TapeMark mark = tape_mark(tape);
    const Batch pair = batch_fold(&tape->arena, (const int *const *)ids, &length, &target, &read, 1, NULL, ID_BOS);
    tape->notes = &x.notes;
    const Forced forced = model_force(tape, model, &pair, &(PassOptions){.attention = attention});
    const OutputLayer output = model_output(tape, model, &forced);
    tape_note(tape, "output", "t", output.x);
    tape->notes = NULL;
    const Var *logits = output_logits(tape, output, NULL, NULL);
    add_words(&x, translator->target.vocab, var_row_values(logits, step), logits->cols, target[step], top);
    add_numbers(&x, model_alignments(model).heads);
    x.target = side_pieces(&translator->target, pair.previous, read);
    tape_rewind(tape, mark);
    side_ids_free(ids, 1);
    return x;
}

void explanation_free(Explanation *x) {
    strings_free(x->source);
    arrfree(x->target);
    arrfree(x->numbers);
    arrfree(x->best);
    notes_free(&x->notes);
    *x = (Explanation){0};
}

int explanation_check(const Explanation *x, Err *err) {
    if (isfinite(x->next.probability)) return 0;
    return err_set(err, NULL, 0, "a probability is not finite: the numbers of the model overflow");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void write_row(FILE *out, const real *values, int n) {
    fputc('[', out);
    for (int k = 0; k < n; k++) {
        const double value = (double)values[k];
        fprintf(out, isfinite(value) ? "%s%.6g" : "%snull", k ? "," : "", value);
    }
    fputc(']', out);
}

static void write_numbers(FILE *out, const StepNumbers *numbers) {
    json_print(out, "%s:", numbers->name);
    if (!numbers->vector) fputc('[', out);
    for (int row = 0; row < numbers->rows; row++) {
        if (row) fputc(',', out);
        write_row(out, numbers->values + (ptrdiff_t)row * numbers->cols, numbers->cols);
    }
    if (!numbers->vector) fputc(']', out);
}

static void write_word(FILE *out, const StepWord *word) {
    json_print(out, "{\"piece\":%s,\"probability\":%.6f}", word->piece, word->probability);
}

void explanation_json(FILE *out, const Explanation *x) {
    fprintf(out, "{\"step\":%d,\"source\":", x->step);
    json_strings(out, x->source, (int)arrlen(x->source), ",");
    fputs(",\"target\":", out);
    json_strings(out, x->target, (int)arrlen(x->target), ",");
    fputs(",\"numbers\":{", out);
    const char *of = NULL;
    for (ptrdiff_t i = 0; i < arrlen(x->numbers); i++) {
        const StepNumbers *numbers = &x->numbers[i];
        const bool begins = !of || strcmp(numbers->of, of) != 0;
        if (of) fputs(begins ? "}," : ",", out);
        if (begins) json_print(out, "%s:{", numbers->of);
        of = numbers->of;
        write_numbers(out, numbers);
    }
    fputs("}},\"next\":", out);
    write_word(out, &x->next);
    fputs(",\"best\":[", out);
    for (ptrdiff_t k = 0; k < arrlen(x->best); k++) {
        if (k) fputc(',', out);
        write_word(out, &x->best[k]);
    }
    fputs("]}", out);
}
