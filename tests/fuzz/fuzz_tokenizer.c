/* Fuzz target: normalises and tokenises any bytes. Checks that a second normalisation changes nothing, and that every
   tokeniser joins its pieces to the same text. */
#include "fuzz.h"
#include "text/tokenizer.h"
#include "words.h"

static void round_trip(TokenizerKind kind, Bpe *bpe, const char *text) {
    const Tokenizer tokenizer = {kind, bpe};
    char **pieces = tokenizer_split(&tokenizer, text);
    char *joined = tokenizer_join(kind, pieces, (int)arrlen(pieces));
    CHECK(!strcmp(joined, text), "tokenizer %d makes '%s' of '%s'", kind, joined, text);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++)
        CHECK(*pieces[i] && !strchr(pieces[i], ' '), "piece '%s'", pieces[i]);
    mem_free(joined);
    strings_free(pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t bad = size;
    char *text = text_normalise((const char *)data, size, &bad);
    CHECK(text ? bad == size : bad < size, "refused at byte %zu of %zu", bad, size);
    if (!text) text = text_normalise((const char *)data, bad, NULL);
    char *again = text_normalise(text, strlen(text), NULL);
    CHECK(again && !strcmp(again, text), "'%s' became '%s'", text, again);
    Bpe *bpe = merges_of(&text, 1, 20);
    round_trip(TOKENIZER_CHAR, NULL, text);
    round_trip(TOKENIZER_BPE, bpe, text);
    round_trip(TOKENIZER_NONE, NULL, text);
    bpe_free(bpe);
    mem_free(again);
    mem_free(text);
    return 0;
}
