/* Fuzz target: reads a vocabulary. Checks that it is written as it was read, and that each piece has its own id. */
#include "fuzz.h"
#include "text/vocab.h"

static void check(const Vocab *vocab, const char *text) {
    text_form_check(vocab_format(vocab), text);
    for (int id = 0; id < vocab_size(vocab); id++)
        CHECK(vocab_id(vocab, vocab_piece(vocab, id)) == (id < ID_SPECIALS ? ID_UNK : id), "id %d", id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    char *text = bytes_text(data, size);
    Vocab *vocab = vocab_parse(text, "vocabulary", &err);
    CHECK(vocab || (err.line > 0 && err.reason[0]), "refused without a reason");
    if (vocab) check(vocab, text);
    vocab_free(vocab);
    mem_free(text);
    return 0;
}
