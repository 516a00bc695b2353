#include "translate/alignment.h"

#include "io/ds.h"
#include "io/json.h"
#include "text/tokenizer.h"
#include "text/vocab.h"

#include <math.h>
#include <string.h>

static const float *row(const Alignment *a, int i) { return a->weight + (size_t)i * (size_t)a->n_source; }

/* ---- making and changing -------------------------------------------------------------------------------------- */

static char **copy_strings(char *const *strings, int n) {
    char **copy = mem_alloc((size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++) copy[i] = mem_strdup(strings[i]);
    return copy;
}

Alignment alignment_new(char *const *source, int n_source, char *const *target, int n_target, const float *weight) {
    const size_t size = (size_t)n_source * (size_t)n_target * sizeof *weight;
    return (Alignment){copy_strings(source, n_source), n_source, copy_strings(target, n_target), n_target,
                       weight ? memcpy(mem_alloc(size), weight, size) : NULL};
}

void alignment_free(Alignment *a) {
    for (int j = 0; j < a->n_source; j++) mem_free(a->source[j]);
    for (int i = 0; i < a->n_target; i++) mem_free(a->target[i]);
    mem_free((char **)a->source);
    mem_free((char **)a->target);
    mem_free((float *)a->weight);
    *a = (Alignment){0};
}

int alignment_check(const Alignment *a, long number, Err *err) {
    for (int i = 0; i < a->n_target; i++)
        for (int j = 0; j < a->n_source; j++)
            if (!isfinite(row(a, i)[j]))
                return err_set(err, NULL, 0, "pair %ld: its alignment is not finite: the numbers of the model overflow",
                               number + 1);
    return 0;
}

double alignment_weight(const Alignment *a, int i, int j) {
    const float weight = row(a, i)[j];
    return weight > 0 ? fminf(weight, 1) : 0;
}

void alignment_shift(Alignment *a) {
    memmove((float *)a->weight, row(a, 1), (size_t)(a->n_target - 1) * (size_t)a->n_source * sizeof *a->weight);
}

void alignment_merge_words(Alignment *a) {
    int n_source, n_target;
    char **source, **target;
    int *source_word = pieces_words(a->source, a->n_source, &n_source, &source);
    int *target_word = pieces_words(a->target, a->n_target, &n_target, &target);
    const size_t columns = (size_t)n_source, size = (size_t)n_target * columns;
    int *pieces = mem_zalloc((size_t)n_target * sizeof *pieces);
    double *sum = mem_zalloc(size * sizeof *sum);
    float *weight = mem_alloc(size * sizeof *weight);
    for (int i = 0; i < a->n_target; i++) {
        pieces[target_word[i]]++;
        for (int j = 0; j < a->n_source; j++)
            sum[(size_t)target_word[i] * columns + (size_t)source_word[j]] += (double)row(a, i)[j];
    }
    for (size_t k = 0; k < size; k++) {
        const int count = pieces[k / columns];
        weight[k] = (float)(sum[k] / count);
    }
    mem_free(source_word);
    mem_free(target_word);
    mem_free(pieces);
    mem_free(sum);
    alignment_free(a);
    *a = (Alignment){source, n_source, target, n_target, weight};
}

/* ---- formats -------------------------------------------------------------------------------------------------- */

/* Appends the links between target piece i and the first n source pieces. */
static void add_links(const Alignment *a, int i, int n, double threshold, Link **links) {
    int best = 0;
    for (int j = 0; j < a->n_source; j++) {
        if (row(a, i)[j] > row(a, i)[best]) best = j;
        if (threshold > 0 && j < n && (double)row(a, i)[j] >= threshold) arrput(*links, ((Link){j, i, false}));
    }
    if (threshold <= 0 && best < n) arrput(*links, ((Link){best, i, false}));
}

Link *alignment_links(const Alignment *a, double threshold, bool end) {
    Link *links = NULL;
    const int rows = end ? a->n_target : pieces_text_count(a->target, a->n_target);
    for (int i = 0; i < rows; i++) add_links(a, i, a->n_source - !end, threshold, &links);
    return links;
}

static void write_words(FILE *out, char *const *words, int n) {
    for (int i = 0; i < n; i++) fprintf(out, "%s%s", i ? " " : "", words[i]);
}

void alignment_matrix(FILE *out, const Alignment *a, int number) {
    fprintf(out, "%d ||| ", number);
    write_words(out, a->target, pieces_text_count(a->target, a->n_target));
    fputs(" ||| 0 ||| ", out);
    write_words(out, a->source, pieces_text_count(a->source, a->n_source));
    fprintf(out, " ||| %d %d\n", a->n_source, a->n_target);
    for (int i = 0; i < a->n_target; i++)
        for (int j = 0; j < a->n_source; j++)
            fprintf(out, "%.6g%c", printable((double)row(a, i)[j]), j + 1 < a->n_source ? ' ' : '\n');
}

void alignment_soft(FILE *out, const Alignment *a) {
    for (int i = 0; i < a->n_target; i++)
        for (int j = 0; j < a->n_source; j++)
            fprintf(out, "%s%.6g", j ? "," : i ? " " : "", printable((double)row(a, i)[j]));
}

void alignment_json_rows(FILE *out, const float *weight, int rows, int columns) {
    fputc('[', out);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            fputs(j ? ", " : i ? ", [" : "[", out);
            json_number(out, (double)weight[(ptrdiff_t)i * columns + j], 4);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

void alignment_json(FILE *out, const Alignment *a) {
    fputs("{\"source\": ", out);
    json_strings(out, a->source, a->n_source, ", ");
    fputs(", \"target\": ", out);
    json_strings(out, a->target, a->n_target, ", ");
    fputs(", \"matrix\": ", out);
    alignment_json_rows(out, a->weight, a->n_target, a->n_source);
    fputc('}', out);
}
