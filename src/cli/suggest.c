#include "cli/suggest.h"
#include "core/choice.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 /* bytes of a name */ };

/* Names of other toolkits (see core/choice.h), and the flag of tide. A name may be in several entries. */
static const struct {
    const char *theirs, *ours;
} synonyms[] = {{"lr", "learn-rate"},
                {"batch-size", "mini-batch"},
                {"steps|max-steps|updates", "after-batches"},
                {"patience", "early-stopping"},
                {"dev", "valid-sets"},
                {"port|bind", "listen"},
                {"ref|reference", "tgt"},
                {"tgt|reference|target", "ref"},
                {"hidden-size", "dim-rnn"},
                {"csv", "tsv"},
                {"out", "output"},
                {"model", "models"},
                {"beams|num-beams", "beam-size"},
                {"cpu|cpus|cpu-threads", "threads"}};

/* The Levenshtein distance of two words; UNLIKE if b has more than LONGEST bytes. */
static int levenshtein(const char *a, const char *b) {
    int row[LONGEST + 1], n = (int)strlen(b);
    if (n > LONGEST) return UNLIKE;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

/* Whether a word is a synonym of a name. */
static int is_synonym(const char *word, const char *name) {
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (choice_find(synonyms[i].theirs, word) >= 0 && !strcmp(synonyms[i].ours, name)) return 1;
    return 0;
}

/* Whether a word is one or more whole parts of a name, as `epochs` of after-epochs. */
static int is_part(const char *word, const char *name) {
    const size_t n = strlen(word);
    for (const char *at = name; n && (at = strstr(at, word)); at++)
        if ((at == name || at[-1] == '-') && (at[n] == '-' || !at[n])) return 1;
    return 0;
}

/* The distance of a name from a word. */
static int name_distance(const char *word, const char *name) {
    enum { SYNONYM, LETTER, BEGINNING, PART = 10, SHORTEST = 3 /* letters of a beginning */ };
    const int n = (int)strlen(word), half = n / 2, d = levenshtein(word, name);
    if (is_synonym(word, name)) return SYNONYM;
    if (d == 1 && n > 1) return LETTER;
    if (n >= SHORTEST && !strncmp(word, name, (size_t)n)) return BEGINNING;
    if (d < (half < 4 ? half + 1 : 4) && d < n) return BEGINNING + d;
    return is_part(word, name) ? PART : UNLIKE;
}

void suggest_nearest(Nearest *nearest, const char *name) {
    const int distance = name_distance(nearest->word, name);
    if (distance < nearest->distance) *nearest = (Nearest){nearest->word, name, distance};
}

const char *suggest_instead(const char *word, const char *usage) {
    static const char input[] = "the text comes from standard input, or from --input FILE";
    static const char vocabularies[] = "a model contains its vocabularies, which `tide train` learns";
    static const char devices[] = "tide computes on the processor, not on a GPU; --threads N uses N threads";
    /* flags: names as in core/choice.h; applies: a part of the usage lines of the commands that a row is for */
    static const struct {
        const char *flags, *applies, *text;
    } rows[] = {{"--file", "<", input},
                {"--src|--source", "< source", input},
                {"--src", "< text", input},
                {"--hyp", "< hypotheses", input},
                {"-v|--vocabs", "MODEL", vocabularies},
                {"--vocabs", "--model", vocabularies},
                {"-d|--devices|--device|--gpu|--gpus|--use-gpu|--cuda", "MODEL", devices},
                {"--devices|--device|--gpu|--gpus|--use-gpu|--cuda", "--model", devices}};
    char flag[LONGEST + 1];
    snprintf(flag, sizeof flag, "%.*s", (int)strcspn(word, "="), word);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (choice_find(rows[i].flags, flag) >= 0 && strstr(usage, rows[i].applies)) return rows[i].text;
    return NULL;
}
