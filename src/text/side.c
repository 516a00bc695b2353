#include "text/side.h"
#include "text/ds.h"

static void count_pieces(Side *side, char *const *sentences, int n, int size) {
    struct {
        char *key;
        long value;
    } *counts = NULL;
    sh_new_arena(counts);
    for (int i = 0; i < n; i++) {
        char **pieces = tokenizer_split(&side->tokenizer, sentences[i]);
        for (ptrdiff_t k = 0; k < arrlen(pieces); k++) {
            ptrdiff_t at = shgeti(counts, pieces[k]);
            if (at >= 0) counts[at].value++;
            else shput(counts, pieces[k], 1);
        }
        pieces_free(pieces);
    }
    char **names = NULL;
    long *numbers = NULL;
    for (ptrdiff_t i = 0; i < shlen(counts); i++) {
        arrput(names, counts[i].key);
        arrput(numbers, counts[i].value);
    }
    side->vocab = vocab_build(names, numbers, (int)arrlen(names), size);
    arrfree(names);
    arrfree(numbers);
    shfree(counts);
}

void side_learn(Side *side, TokenizerKind kind, char *const *sentences, int n, int merges, int size) {
    *side = (Side){.tokenizer = {.kind = kind}};
    if (kind == TOKENIZER_BPE) side->tokenizer.bpe = tokenizer_learn(sentences, n, merges);
    count_pieces(side, sentences, n, size);
}

void side_free(Side *side) {
    bpe_free(side->tokenizer.bpe);
    vocab_free(side->vocab);
    *side = (Side){0};
}

int *side_encode(const Side *side, const char *sentence) {
    char **pieces = tokenizer_split(&side->tokenizer, sentence);
    int *ids = NULL;
    for (ptrdiff_t k = 0; k < arrlen(pieces); k++) arrput(ids, vocab_id(side->vocab, pieces[k]));
    arrput(ids, ID_EOS);
    pieces_free(pieces);
    return ids;
}

char **side_pieces(const Side *side, const int *ids, int n) {
    char **pieces = NULL;
    for (int i = 0; i < n; i++) arrput(pieces, (char *)vocab_piece(side->vocab, ids[i]));
    return pieces;
}

char *side_decode(const Side *side, const int *ids, int n) {
    char **pieces = NULL;
    for (int i = 0; i < n; i++)
        if (ids[i] == ID_UNK || ids[i] >= ID_SPECIALS) arrput(pieces, (char *)vocab_piece(side->vocab, ids[i]));
    char *text = tokenizer_join(side->tokenizer.kind, pieces, (int)arrlen(pieces));
    arrfree(pieces);
    return text;
}
