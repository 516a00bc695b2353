#include "score/bleu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/exact.h"
#include "io/ds.h"
#include "io/string_table.h"
#include "score/ngrams.h"

enum { ORDERS = 4 };

/* ---- the 13a tokeniser ----
   Like mteval-v13a.pl, a sequence of regular-expression substitutions. Each substitution reads the whole result of the
   one before it, from left to right, and matches do not overlap. All patterns name ASCII characters only, so a byte of
   any other UTF-8 character matches only as "not a digit". */

/* Replaces every `from` in line by `to`, in place. `to` must not be longer than `from`. */
static void substitute(char *line, const char *from, const char *to) {
    size_t from_length = strlen(from), to_length = strlen(to);
    char *write = line;
    const char *read = line, *found;
    while ((found = strstr(read, from))) {
        size_t kept = (size_t)(found - read);
        memmove(write, read, kept);
        memcpy(write + kept, to, to_length);
        write += kept + to_length;
        read = found + from_length;
    }
    memmove(write, read, strlen(read) + 1);
}

static bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
static bool not_ascii_digit(char c) { return !is_ascii_digit(c); }
static bool is_stop(char c) { return c == '.' || c == ','; }
static bool is_dash(char c) { return c == '-'; }
/* ASCII punctuation and symbols except ' , - . */
static bool is_symbol(int32_t c) { return c > 0 && c < 0x80 && strchr("!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", c); }

/* Puts a space before and after each character for which `is` is true. Releases the line and returns a new one. */
static char *space_around(char *line, bool (*is)(int32_t)) {
    char *spaced = mem_alloc(3 * strlen(line) + 1), *write = spaced;
    size_t length;
    for (const char *read = line; *read; read += length) {
        const bool found = is(segment_char(read, &length));
        if (found) *write++ = ' ';
        memcpy(write, read, length);
        write += length;
        if (found) *write++ = ' ';
    }
    *write = '\0';
    mem_free(line);
    return spaced;
}

/* Replaces /(first)(second)/ by "\1 \2 " or, with `before`, by " \1 \2". Releases the line and returns a new one. */
static char *space_pairs(char *line, bool (*first)(char), bool (*second)(char), bool before) {
    char *spaced = mem_alloc(2 * strlen(line) + 1), *write = spaced;
    const char *c = line;
    while (*c) {
        if (!c[1] || !first(c[0]) || !second(c[1])) {
            *write++ = *c++;
            continue;
        }
        if (before) *write++ = ' ';
        *write++ = *c++;
        *write++ = ' ';
        *write++ = *c++;
        if (!before) *write++ = ' ';
    }
    *write = '\0';
    mem_free(line);
    return spaced;
}

/* Replaces each run of white space by one space and removes white space at both ends, in place. */
static void squeeze(char *line) {
    char *write = line;
    size_t length;
    bool gap = false;
    for (const char *read = line; *read; read += length) {
        if (segment_space(segment_char(read, &length))) {
            gap = write != line;
            continue;
        }
        if (gap) *write++ = ' ';
        gap = false;
        memmove(write, read, length);
        write += length;
    }
    *write = '\0';
}

/* The last substitutions of both tokenisers. Releases the line and returns a new one. */
static char *space_marks(char *line) {
    line = space_around(line, is_symbol);
    line = space_pairs(line, not_ascii_digit, is_stop, false); /* spaces around . and , after a non-digit */
    line = space_pairs(line, is_stop, not_ascii_digit, true);  /* spaces around . and , before a non-digit */
    line = space_pairs(line, is_ascii_digit, is_dash, false);  /* spaces around - after a digit */
    squeeze(line);
    return line;
}

char *tokenize_13a(const char *line) {
    char *tokens = mem_alloc(strlen(line) + 3);
    char *end = stpcpy(tokens, " ");
    end = stpcpy(end, line);
    strcpy(end, " ");
    substitute(tokens, "<skipped>", "");
    substitute(tokens, "-\n", "");
    substitute(tokens, "\n", " ");
    substitute(tokens, "&quot;", "\"");
    substitute(tokens, "&amp;", "&");
    substitute(tokens, "&lt;", "<");
    substitute(tokens, "&gt;", ">");
    return space_marks(tokens);
}

/* ---- the zh tokeniser ---- */

/* The ranges of sacreBLEU. It writes the limits of extension B, U+20000 to U+2A6D6, as "\u20000" and "\u2a6d6", but
   "\u" takes four digits, so these limits are the strings U+2000 "0" and U+2A6D "6". The characters between these
   strings are U+2001 to U+2A6D. tide keeps this error, because its scores must be equal to those of sacreBLEU. */
static bool is_chinese(int32_t c) {
    static const int32_t ranges[][2] = {
        {0x2001, 0x2a6d}, {0x2e80, 0x2fdf}, {0x2ff0, 0x303f}, {0x3100, 0x312f}, {0x31a0, 0x31bf},
        {0x31c0, 0x31ef}, {0x3200, 0x33ff}, {0x3400, 0x4db5}, {0x4e00, 0x9fbb}, {0xf900, 0xfa2d},
        {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f}, {0xfe30, 0xfe4f}, {0xff00, 0xffef},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
    return false;
}

char *tokenize_zh(const char *line) { return space_marks(space_around(mem_strdup(line), is_chinese)); }

/* ---- counting ---- */

/* Tokenises a line. Returns the ids of its tokens, a stb_ds array that the caller owns. Adds new tokens to `words`. */
static int *token_ids(const char *line, BleuOptions options, StringTable *words) {
    char *text = segment_copy(line, options.lowercase);
    char *tokens = options.chinese ? tokenize_zh(text) : tokenize_13a(text), *rest;
    int *ids = NULL;
    for (char *token = strtok_r(tokens, " ", &rest); token; token = strtok_r(NULL, " ", &rest))
        arrput(ids, string_table_add(words, token, strlen(token)));
    mem_free(tokens);
    mem_free(text);
    return ids;
}

/* The length that is closest to that of the hypothesis; of two such lengths, the shorter one. */
static long closest_length(const int *hypothesis, int *const *references, int count) {
    const long own = arrlen(hypothesis);
    long closest = arrlen(references[0]);
    for (int r = 1; r < count; r++) {
        const long length = arrlen(references[r]), change = labs(length - own) - labs(closest - own);
        if (change < 0 || (change == 0 && length < closest)) closest = length;
    }
    return closest;
}

/* Adds the n-grams and lengths of one hypothesis and its references, which are stb_ds arrays of ids. */
static void count_sentence(Bleu *bleu, const int *hypothesis, int *const *references, int count) {
    ngrams_match(hypothesis, references, count, ORDERS, bleu->correct);
    for (int order = 1; order <= ORDERS; order++) bleu->total[order - 1] += ngrams_count(arrlen(hypothesis), order);
    bleu->hypothesis_length += arrlen(hypothesis);
    bleu->reference_length += closest_length(hypothesis, references, count);
}

/* Computes BLEU = BP · exp(Σ_n log p_n / 4), BP = min(1, exp(1 − ref_len / hyp_len)), from the counts. The first order
   without a match counts as 1/2 match, the next one as 1/4, and so on (Chen & Cherry 2014, method 3). BLEU is 0 if no
   token matches or if an order has no n-grams. */
double bleu_compute(Bleu *bleu) {
    double hyp = (double)bleu->hypothesis_length, ref = (double)bleu->reference_length;
    bleu->brevity_penalty = hyp >= ref ? 1 : hyp > 0 ? exact_exp(fmax(1 - ref / hyp, -700)) : 0;
    if (bleu->correct[0] == 0) return 0;
    double smooth = 1, log_sum = 0;
    for (int n = 0; n < ORDERS; n++) {
        double correct = (double)bleu->correct[n], total = (double)bleu->total[n];
        if (total == 0) return 0;
        if (correct == 0) smooth *= 2;
        bleu->precision[n] = correct > 0 ? 100 * correct / total : 100 / (smooth * total);
        log_sum += exact_log(bleu->precision[n]);
    }
    return bleu->score = bleu->brevity_penalty * exact_exp(log_sum / ORDERS);
}

void bleu_add(Bleu *sum, const Bleu *counts) {
    for (int n = 0; n < ORDERS; n++) {
        sum->correct[n] += counts->correct[n];
        sum->total[n] += counts->total[n];
    }
    sum->hypothesis_length += counts->hypothesis_length;
    sum->reference_length += counts->reference_length;
}

Bleu *bleu_sentences(char *const *hypotheses, References references, int n, BleuOptions options, Bleu *all) {
    Bleu *sentences = mem_zalloc((size_t)n * sizeof *sentences), sum = {0};
    int **ids = mem_alloc((size_t)references.count * sizeof *ids);
    StringTable words = {0};
    for (int i = 0; i < n; i++) {
        int *hypothesis = token_ids(hypotheses[i], options, &words);
        for (int r = 0; r < references.count; r++) ids[r] = token_ids(references.sets[r][i], options, &words);
        count_sentence(&sentences[i], hypothesis, ids, references.count);
        bleu_add(&sum, &sentences[i]);
        for (int r = 0; r < references.count; r++) arrfree(ids[r]);
        arrfree(hypothesis);
    }
    string_table_free(&words);
    mem_free(ids);
    bleu_compute(&sum);
    if (all) *all = sum;
    return sentences;
}

Bleu bleu_references(char *const *hypotheses, References references, int n, BleuOptions options) {
    Bleu bleu;
    mem_free(bleu_sentences(hypotheses, references, n, options, &bleu));
    return bleu;
}

Bleu bleu_corpus(char *const *hypotheses, char *const *references, int n, BleuOptions options) {
    return bleu_references(hypotheses, (References){&references, 1}, n, options);
}

void bleu_details(const Bleu *bleu, char *buffer, int size) {
    const double *p = bleu->precision;
    long hyp = bleu->hypothesis_length, ref = bleu->reference_length;
    snprintf(buffer, (size_t)size, "%.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %ld ref_len = %ld)", p[0],
             p[1], p[2], p[3], bleu->brevity_penalty, ref ? (double)hyp / (double)ref : 0.0, hyp, ref);
}

void bleu_format(const Bleu *bleu, char *buffer, int size) {
    char details[160];
    bleu_details(bleu, details, sizeof details);
    snprintf(buffer, (size_t)size, "BLEU = %.2f %s", bleu->score, details);
}
