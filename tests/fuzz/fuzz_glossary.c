/* Fuzz target: a glossary, then after the first NUL a sentence. Each constraint is the translation of a text that the
   sentence contains. */
#include "fuzz.h"
#include "translate/glossary.h"
#include "words.h"

static char *const texts[] = {"The tide went out, and I don't know who's wearing \\ or ▁ 12 shoes.",
                              "A b c d e f g h i j k l m n o p q r s t u v w x y z"};

/* Whether a term of the sentence has this translation. */
static bool is_given(const Glossary *g, const char *sentence, const char *translation) {
    const char *source, *target;
    for (int i = 0; lexicon_entry(g->terms, i, &source, &target); i++)
        if (!strcmp(target, translation) && strstr(sentence, source)) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Side side;
    if (!side.vocab) side_learn(&side, TOKENIZER_BPE, words_of(TOKENIZER_BPE, texts, 2), 30, 0);
    if (size > 4000) return 0;
    char *text = bytes_text(data, size), *sentence = NULL;
    const char *second = second_text(text, size);
    Glossary g = {0};
    Err err;
    if (utf8_valid(text, strlen(text))) sentence = text_normalise(second, strlen(second), NULL);
    if (sentence && !glossary_init(&g, lexicon_parse(text, &err), &side)) {
        Constraints *c = glossary_constraints(&g, sentence);
        for (int i = 0; c && i < c->count; i++) {
            char *translation = side_decode(&side, c->list[i].ids, c->list[i].length);
            CHECK(is_given(&g, sentence, translation), "'%s' is given for no text of '%s'", translation, sentence);
            mem_free(translation);
        }
        constraints_free(c);
    }
    glossary_free(&g);
    mem_free(sentence);
    mem_free(text);
    return 0;
}
