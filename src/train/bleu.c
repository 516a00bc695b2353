#include "train/bleu.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "core/base.h"
#include "text/ds.h"

enum { ORDERS = 4 };

/* ---- the 13a tokeniser ----
   mteval-v13a.pl is a chain of substitutions, and so is this: each works on the whole line that the one
   before it left, from left to right, and what a match took is not looked at again. All marks are ASCII, so
   that the bytes of longer UTF-8 characters only ever count as "anything else". */

/* Replaces every `from` by `to`, which is not longer, in place. */
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
/* ASCII punctuation and symbols but for ' , - . */
static bool is_symbol(char c) { return c && strchr("!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", c); }

/* /(symbol)/ -> " \1 ". Takes the line and returns a new one, as all the substitutions below do. */
static char *space_symbols(char *line) {
    char *spaced = mem_alloc(3 * strlen(line) + 1), *write = spaced;
    for (const char *c = line; *c; c++) {
        if (is_symbol(*c)) *write++ = ' ';
        *write++ = *c;
        if (is_symbol(*c)) *write++ = ' ';
    }
    *write = '\0';
    mem_free(line);
    return spaced;
}

/* /(first)(second)/ -> "\1 \2 " or, with `before`, " \1 \2". */
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

/* What Python's str.split() splits at: Unicode white space and the four ASCII separators. */
static bool is_space(int32_t c) {
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* The character at text and its length; a byte that is not UTF-8 is a character of its own, -1. */
static int32_t next_char(const char *text, size_t *length) {
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &c);
    *length = n > 0 ? (size_t)n : 1;
    return n > 0 ? c : -1;
}

/* One space for each run of white space, none at the ends; in place. */
static void squeeze(char *line) {
    char *write = line;
    size_t length;
    bool gap = false;
    for (const char *read = line; *read; read += length) {
        if (is_space(next_char(read, &length))) {
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

char *tokenize_13a(const char *line) {
    size_t size = strlen(line) + 3;
    char *tokens = mem_alloc(size);
    snprintf(tokens, size, " %s ", line);
    substitute(tokens, "<skipped>", "");
    substitute(tokens, "-\n", "");
    substitute(tokens, "\n", " ");
    substitute(tokens, "&quot;", "\"");
    substitute(tokens, "&amp;", "&");
    substitute(tokens, "&lt;", "<");
    substitute(tokens, "&gt;", ">");
    tokens = space_symbols(tokens);
    tokens = space_pairs(tokens, not_ascii_digit, is_stop, false); /* . and , unless a digit is before them */
    tokens = space_pairs(tokens, is_stop, not_ascii_digit, true);  /* . and , unless a digit is behind them */
    tokens = space_pairs(tokens, is_ascii_digit, is_dash, false);  /* - where a digit is before it */
    squeeze(tokens);
    return tokens;
}

/* Lower case, character by character, which is Python's str.lower() but for Greek final sigma and Turkish
   İ. */
static char *lower(const char *line) {
    char *lowered = mem_alloc(4 * strlen(line) + 1), *write = lowered;
    size_t length;
    for (const char *read = line; *read; read += length) {
        int32_t c = next_char(read, &length);
        if (c < 0) *write++ = *read;
        else write += utf8proc_encode_char(utf8proc_tolower(c), (utf8proc_uint8_t *)write);
    }
    *write = '\0';
    return lowered;
}

/* ---- counting ---- */

typedef struct Word { /* stb_ds string map: a token and its id */
    char *key;
    int value;
} Word;

typedef struct Ngram {
    int id[ORDERS]; /* from 1; 0 behind the end of a shorter one */
} Ngram;

typedef struct NgramCount { /* stb_ds map */
    Ngram key;
    long value;
} NgramCount;

/* The ids of a line's 13a tokens: a stb_ds array; new tokens are added to *words. */
static int *token_ids(const char *line, bool lowercase, Word **words) {
    char *text = lowercase ? lower(line) : mem_strdup(line);
    char *tokens = tokenize_13a(text), *rest;
    int *ids = NULL;
    for (char *token = strtok_r(tokens, " ", &rest); token; token = strtok_r(NULL, " ", &rest)) {
        int fresh = (int)shlen(*words) + 1;
        if (shgeti(*words, token) < 0) shput(*words, token, fresh);
        arrput(ids, shget(*words, token));
    }
    mem_free(tokens);
    mem_free(text);
    return ids;
}

static Ngram ngram_at(const int *ids, long start, int order) {
    Ngram ngram = {{0}};
    for (int k = 0; k < order; k++) ngram.id[k] = ids[start + k];
    return ngram;
}

/* Adds one pair's n-grams. Each of the reference's is matched once at most, which is what clipping means. */
static void count_pair(Bleu *bleu, const int *hypothesis, const int *reference) {
    NgramCount *unmatched = NULL;
    for (int order = 1; order <= ORDERS; order++) {
        for (long start = 0; start + order <= arrlen(reference); start++) {
            Ngram ngram = ngram_at(reference, start, order);
            long at = hmgeti(unmatched, ngram);
            if (at >= 0) unmatched[at].value++;
            else hmput(unmatched, ngram, 1);
        }
        for (long start = 0; start + order <= arrlen(hypothesis); start++) {
            Ngram ngram = ngram_at(hypothesis, start, order);
            long at = hmgeti(unmatched, ngram);
            bleu->total[order - 1]++;
            if (at < 0 || unmatched[at].value == 0) continue;
            unmatched[at].value--;
            bleu->correct[order - 1]++;
        }
    }
    hmfree(unmatched);
    bleu->hypothesis_length += arrlen(hypothesis);
    bleu->reference_length += arrlen(reference);
}

/* BLEU = BP · exp(Σ_n log p_n / 4), BP = min(1, exp(1 − ref_len / hyp_len)), from the counts. An order
   without a match counts as 1/2, 1/4, 1/8 … of one (Chen & Cherry 2014, method 3), but without any match at
   all, or with an order that has no n-grams, BLEU is 0. */
static void compute_score(Bleu *bleu) {
    double hyp = (double)bleu->hypothesis_length, ref = (double)bleu->reference_length;
    bleu->brevity_penalty = hyp >= ref ? 1 : hyp > 0 ? exp(1 - ref / hyp) : 0;
    if (bleu->correct[0] == 0) return;
    double smooth = 1, log_sum = 0;
    for (int n = 0; n < ORDERS; n++) {
        double correct = (double)bleu->correct[n], total = (double)bleu->total[n];
        if (total == 0) return;
        if (correct == 0) smooth *= 2;
        bleu->precision[n] = correct > 0 ? 100 * correct / total : 100 / (smooth * total);
        log_sum += log(bleu->precision[n]);
    }
    bleu->score = bleu->brevity_penalty * exp(log_sum / ORDERS);
}

Bleu bleu_corpus(char *const *hypotheses, char *const *references, int n, int lowercase) {
    Bleu bleu = {0};
    Word *words = NULL;
    sh_new_arena(words);
    for (int i = 0; i < n; i++) {
        int *hypothesis = token_ids(hypotheses[i], lowercase, &words);
        int *reference = token_ids(references[i], lowercase, &words);
        count_pair(&bleu, hypothesis, reference);
        arrfree(hypothesis);
        arrfree(reference);
    }
    shfree(words);
    compute_score(&bleu);
    return bleu;
}

void bleu_format(const Bleu *bleu, char *buffer, int size) {
    const double *p = bleu->precision;
    long hyp = bleu->hypothesis_length, ref = bleu->reference_length;
    snprintf(buffer, (size_t)size,
             "BLEU = %.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %ld ref_len = %ld)", bleu->score, p[0],
             p[1], p[2], p[3], bleu->brevity_penalty, ref ? (double)hyp / (double)ref : 0.0, hyp, ref);
}
