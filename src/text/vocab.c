#include "text/vocab.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/string_table.h"
#include "text/unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SPECIALS[ID_SPECIALS] = {"<pad>", "<unk>", "<s>", "</s>"};

struct Vocab {
    StringTable pieces; /* the number of a piece is its id */
};

void vocab_free(Vocab *vocab) {
    if (!vocab) return;
    string_table_free(&vocab->pieces);
    mem_free(vocab);
}

int vocab_size(const Vocab *vocab) { return string_table_count(&vocab->pieces); }

/* The id of any piece, specials included; -1 if there is none. */
static int find(const Vocab *vocab, const char *piece) {
    return string_table_find(&vocab->pieces, piece, strlen(piece));
}

int vocab_id(const Vocab *vocab, const char *piece) {
    int id = find(vocab, piece);
    return id < ID_SPECIALS ? ID_UNK : id;
}

bool vocab_has(const Vocab *vocab, const char *piece) { return vocab_id(vocab, piece) != ID_UNK; }

const char *vocab_piece(const Vocab *vocab, int id) {
    CHECK(id >= 0 && id < vocab_size(vocab), "id %d in a vocabulary of %d", id, vocab_size(vocab));
    return vocab->pieces.strings[id];
}

static void add(Vocab *vocab, const char *text) { string_table_add(&vocab->pieces, text, strlen(text)); }

bool piece_is_end(const char *piece) { return !strcmp(piece, SPECIALS[ID_EOS]); }

int pieces_text_count(char *const *pieces, int n) { return n - (n > 0 && piece_is_end(pieces[n - 1])); }

/* ---- building ---- */

typedef struct Counted {
    const char *piece;
    long count;
    bool first; /* before all pieces that are not `first` */
} Counted;

static int by_count_then_text(const void *left, const void *right) {
    const Counted *a = left, *b = right;
    if (a->first != b->first) return a->first ? -1 : 1;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return strcmp(a->piece, b->piece);
}

Vocab *vocab_build(char *const *pieces, const long *counts, int n, int size, bool characters) {
    CHECK(size == 0 || size >= ID_SPECIALS, "a vocabulary of %d cannot hold the specials", size);
    Counted *order = mem_alloc((size_t)n * sizeof *order);
    for (int i = 0; i < n; i++) order[i] = (Counted){pieces[i], counts[i], characters && utf8_count(pieces[i]) == 1};
    qsort(order, (size_t)n, sizeof *order, by_count_then_text);
    Vocab *vocab = mem_zalloc(sizeof *vocab);
    for (int i = 0; i < ID_SPECIALS; i++) add(vocab, SPECIALS[i]);
    for (int i = 0; i < n && (size == 0 || vocab_size(vocab) < size); i++) add(vocab, order[i].piece);
    mem_free(order);
    return vocab;
}

/* ---- tags ---- */

enum { TAG_BYTES = 100, TAG_SIZE = TAG_BYTES + 2 };

static void tag_piece(const char *name, char piece[TAG_SIZE]) { snprintf(piece, TAG_SIZE, " %s", name); }

int tag_check(const char *name, Err *err) {
    const size_t n = strlen(name);
    if (n == 0 || n > TAG_BYTES || strpbrk(name, " \t\r\n") || !utf8_valid(name, n))
        return err_set(err, NULL, 0, "'%.100s' cannot be a tag: 1 to %d bytes without white space", name, TAG_BYTES);
    return 0;
}

void vocab_add_tag(Vocab *vocab, const char *name) {
    char piece[TAG_SIZE];
    tag_piece(name, piece);
    add(vocab, piece);
}

int vocab_tag(const Vocab *vocab, const char *name) {
    char piece[TAG_SIZE];
    Err err;
    if (tag_check(name, &err)) return -1;
    tag_piece(name, piece);
    return find(vocab, piece);
}

const char **vocab_tags(const Vocab *vocab) {
    const char **names = NULL;
    for (int id = ID_SPECIALS; id < vocab_size(vocab); id++)
        if (vocab_piece(vocab, id)[0] == ' ') arrput(names, vocab_piece(vocab, id) + 1);
    return names;
}

/* ---- the text form ---- */

/* Adds the piece of one line, which has n bytes. */
static int parse_piece(Vocab *vocab, const char *piece, size_t n, const char *path, Err *err) {
    const int id = vocab_size(vocab);
    if (id < ID_SPECIALS && (strncmp(piece, SPECIALS[id], n) != 0 || SPECIALS[id][n]))
        return err_set(err, path, id + 1L, "expected %s: a vocabulary starts with its specials", SPECIALS[id]);
    if (n == 0) return err_set(err, path, id + 1L, "empty line in a vocabulary");
    if (!utf8_valid(piece, n)) return err_set(err, path, id + 1L, "piece is not valid UTF-8");
    const int same = string_table_add(&vocab->pieces, piece, n);
    if (same < id)
        return err_set(err, path, id + 1L, "piece \"%.100s\" is on line %d already", vocab_piece(vocab, same),
                       same + 1);
    return 0;
}

Vocab *vocab_parse(const char *text, const char *path, Err *err) {
    Vocab *vocab = mem_zalloc(sizeof *vocab);
    string_table_reserve_lines(&vocab->pieces, text);
    while (*text || vocab_size(vocab) < ID_SPECIALS) {
        const size_t n = strcspn(text, "\n");
        if (parse_piece(vocab, text, n, path, err)) {
            vocab_free(vocab);
            return NULL;
        }
        text += n + (text[n] == '\n');
    }
    return vocab;
}

char *vocab_format(const Vocab *vocab) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (int id = 0; id < vocab_size(vocab); id++) fprintf(out, "%s\n", vocab_piece(vocab, id));
    return memory_close(&memory, NULL);
}
