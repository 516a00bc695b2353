/* Fuzz target: reads BPE merges and, after a NUL, a word. Checks that the merges are written as they were read, and
   that the pieces of the word, joined, are the word. */
#include "fuzz.h"
#include "text/bpe.h"
#include "text/unicode.h"

static void check_apply(const Bpe *bpe, const char *word) {
    char **pieces = NULL;
    bpe_apply(bpe, word, &pieces);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        size_t n = strlen(pieces[i]);
        CHECK(n > 0 && !strncmp(word, pieces[i], n), "piece '%s' at '%s'", pieces[i], word);
        word += n;
        mem_free(pieces[i]);
    }
    CHECK(!*word, "'%s' is left over", word);
    arrfree(pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    char *text = bytes_text(data, size);
    const char *word = second_text(text, size);
    Bpe *bpe = bpe_parse(text, "merges", &err);
    CHECK(bpe || (err.line > 0 && err.reason[0]), "refused without a reason");
    if (bpe) text_form_check(bpe_format(bpe), text);
    if (bpe && strlen(word) <= 400 && utf8_valid(word, strlen(word))) check_apply(bpe, word);
    bpe_free(bpe);
    mem_free(text);
    return 0;
}
