/* Fuzz target: splits an English paragraph and, after a NUL, a Chinese one into sentences, and applies the corpus
   filter to the pair. Checks that no text is lost and that an accepted pair is not too long. */
#include "fuzz.h"
#include "corpus/clean.h"
#include "io/lines.h"
#include "text/sentences.h"

/* Checks that the sentences, one after the other, are the text; spaces between them may be missing. */
static void sentences_check(char **sentences, const char *text) {
    for (ptrdiff_t i = 0; i < arrlen(sentences); i++) {
        CHECK(*sentences[i], "an empty sentence in '%s'", text);
        for (const char *c = sentences[i]; *c; c++) {
            text += *text == ' ' && *c != ' ';
            CHECK(*text == *c, "sentence '%s' is not at '%s'", sentences[i], text);
            text++;
        }
    }
    CHECK(text[strspn(text, " ")] == '\0', "'%s' is left", text);
    strings_free(sentences);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = bytes_text(data, size);
    const char *second = second_text(bytes, size);
    char *english = text_normalise(bytes, strlen(bytes), NULL), *chinese = text_normalise(second, strlen(second), NULL);
    if (english && chinese) {
        sentences_check(sentences_split(english, false), english);
        sentences_check(sentences_split(chinese, true), chinese);
        const Reason reason = clean_judge(english, chinese, &(CleanLimits){10, 2, false});
        const Reason kept = clean_judge(english, chinese, &(CleanLimits){10, 2, true});
        CHECK(kept == reason || reason == MARKUP, "'%s' is dropped if placeholders are kept", english);
        CHECK(reason != KEPT || (count_words(english) <= 10 && count_words(chinese) <= 10), "'%s' is too long",
              english);
    }
    mem_free(english);
    mem_free(chinese);
    mem_free(bytes);
    return 0;
}
