#include "cli/unfamiliar.h"

#include "cli/messages.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/lines.h"
#include "translate/reading.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES_COUNTED = 10000, SHOWN = 20 };

static void count(Unfamiliar *u, const char *piece) {
    const size_t n = strlen(piece);
    int number = string_table_find(&u->pieces, piece, n);
    if (number < 0 && string_table_count(&u->pieces) == MOST_PIECES_COUNTED) return;
    if (number < 0) {
        number = string_table_add(&u->pieces, piece, n);
        arrput(u->counts, 0);
    }
    u->counts[number]++;
}

static void see(LinesSeen *lines, long number) {
    if (!lines->count++) lines->first = number;
}

void unfamiliar_add(Unfamiliar *u, const char *line, bool copied) {
    const size_t mark = strlen(SPACE_MARK);
    Reading reading = reading_of(u->translator, line);
    bool unknown = false;
    for (ptrdiff_t i = 0; i < arrlen(reading.pieces); i++) {
        const char *piece = reading.pieces[i] + (piece_is_spaced(reading.pieces[i]) ? mark : 0);
        if (!reading.unknown[i] || !*piece) continue;
        count(u, piece);
        unknown = true;
    }
    u->lines++;
    u->unknown += unknown;
    u->traditional += reading.traditional;
    if (copied) see(&u->copied, u->lines);
    else if (reading.foreign) see(&u->foreign, u->lines);
    reading_free(&reading);
}

typedef struct Counted {
    const char *piece;
    long count;
} Counted;

/* The most frequent first; of equal ones the first in the alphabet. */
static int by_count(const void *a, const void *b) {
    const Counted *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->piece, y->piece);
}

static void report_pieces(const Unfamiliar *u, const char *unit) {
    const int n = string_table_count(&u->pieces);
    Counted *all = mem_alloc((size_t)n * sizeof *all);
    for (int i = 0; i < n; i++) all[i] = (Counted){u->pieces.strings[i], u->counts[i]};
    qsort(all, (size_t)n, sizeof *all, by_count);
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (int i = 0; i < n && i < SHOWN; i++) fprintf(out, " %s", all[i].piece);
    if (n > SHOWN) fprintf(out, " and %s%d others", n == MOST_PIECES_COUNTED ? "at least " : "", n - SHOWN);
    char *list = memory_close(&memory, NULL);
    message("%s: in %ld of %ld %ss there is text that the model does not know:%s", standard_input_name(), u->unknown,
            u->lines, unit, list);
    mem_free(list);
    mem_free(all);
}

void unfamiliar_report(const Unfamiliar *u, const char *unit) {
    if (u->unknown) report_pieces(u, unit);
    if (u->traditional)
        message("%s: %ld of %ld %ss have traditional characters that the model does not know: convert "
                "them, as with `opencc -c t2s`",
                standard_input_name(), u->traditional, u->lines, unit);
    if (u->copied.count)
        message("%s: in %ld of %ld %ss there is nothing that the model knows, except punctuation, first in %s %ld: "
                "they are copied",
                standard_input_name(), u->copied.count, u->lines, unit, unit, u->copied.first);
    if (u->foreign.count)
        message("%s: in %ld of %ld %ss there are no words that the model knows in its language, '%s', "
                "first in %s %ld: such translations are inventions",
                standard_input_name(), u->foreign.count, u->lines, unit, u->translator->options.langs[0], unit,
                u->foreign.first);
}

void unfamiliar_free(Unfamiliar *u) {
    string_table_free(&u->pieces);
    arrfree(u->counts);
    *u = (Unfamiliar){0};
}
