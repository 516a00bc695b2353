/* Fuzz target: computes BLEU of one file of lines against another. */
#include "fuzz.h"
#include "score/bleu.h"

static void check_score(char *const *hypotheses, char *const *references, int n, BleuOptions options) {
    Bleu bleu = bleu_corpus(hypotheses, references, n, options), self = bleu_corpus(references, references, n, options);
    CHECK(bleu.score >= 0 && bleu.score <= 100 + 1e-9, "a score of %.17g", bleu.score); /* rounding of exp and log */
    for (int i = 0; i < 4; i++) {
        CHECK(bleu.correct[i] >= 0 && bleu.correct[i] <= bleu.total[i], "%ld of %ld", bleu.correct[i], bleu.total[i]);
        CHECK(self.correct[i] == self.total[i], "%ld of %ld of the same", self.correct[i], self.total[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char **lines[2];
    memory_lines(lines, data, size);
    if (lines[0] && lines[1] && arrlen(lines[0]) == arrlen(lines[1]) && arrlen(lines[0]) > 0)
        for (int kind = 0; kind < 4; kind++)
            check_score(lines[0], lines[1], (int)arrlen(lines[0]),
                        (BleuOptions){.lowercase = kind & 1, .chinese = kind & 2});
    for (int i = 0; i < 2; i++) strings_free(lines[i]);
    return 0;
}
