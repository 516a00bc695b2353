#include "translate/explain.h"
#include "io/ds.h"
#include "io/json.h"
#include "translate/candidates.h"

#include <math.h>
#include <string.h>

/* A note as numbers: a matrix if it is h or v, or e or alpha, which have a row for each head; else a vector. */
static StepNumbers numbers_of(const Note *note, int heads) {
    const bool by_piece = !strcmp(note->name, "h") || !strcmp(note->name, "v");
    const bool by_head = !strcmp(note->name, "e") || !strcmp(note->name, "alpha");
    const int rows = by_head ? heads : note->rows;
    return (StepNumbers){.of = note->of,
                         .name = note->name,
                         .rows = rows,
                         .cols = note->rows * note->cols / rows,
                         .vector = !by_piece && !by_head,
                         .values = note->values};
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
    const double log_sum = logits_log_sum(V, logits), logit = (double)logits[next];
    x->next = (StepWord){vocab_piece(vocab, next), isfinite(logit - log_sum) ? word_probability(logit, log_sum) : NAN};
    if (top) words_best(logits, V, log_sum, NULL, 0, top, best);
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
    OutputLayer output = model_output(tape, model, &forced);
    output.x = slice(tape, output.x, step, 1);
    tape_note(tape, "output", "t", output.x);
    tape->notes = NULL;
    const Var *logits = output_logits(tape, output, NULL, NULL);
    add_words(&x, translator->target.vocab, var_values(logits), logits->cols, target[step], top);
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
