#include "serve/language.h"

#include "text/codes.h"
#include "text/unicode.h"

#include <math.h>
#include <strings.h>

typedef struct Language {
    const char *name;
    const char *codes[5];
} Language;

static const Language languages[] = {
    {"Chinese", {"zh", "zho", "chi", "cmn"}},
    {"English", {"en", "eng"}},
    {"Japanese", {"ja", "jpn"}},
    {"Korean", {"ko", "kor"}},
    {"Cantonese", {"yue"}},
    {"German", {"de", "deu", "ger"}},
    {"French", {"fr", "fra", "fre"}},
    {"Spanish", {"es", "spa"}},
    {"Russian", {"ru", "rus"}},
    {"Italian", {"it", "ita"}},
    {"Portuguese", {"pt", "por"}},
    {"Dutch", {"nl", "nld", "dut"}},
    {"Polish", {"pl", "pol"}},
    {"Ukrainian", {"uk", "ukr"}},
    {"Turkish", {"tr", "tur"}},
    {"Vietnamese", {"vi", "vie"}},
    {"Indonesian", {"id", "ind"}},
    {"Arabic", {"ar", "ara"}},
    {"Classical Chinese", {"lzh"}},
    {"Wu Chinese", {"wuu"}},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

/* The language of a code by the part before '-' or '_'; NULL if it is not in the table. */
static const Language *language_of(const char *code) {
    for (int i = 0; i < LANGUAGES; i++)
        if (language_is(code, languages[i].codes)) return &languages[i];
    return NULL;
}

/* Whether the code says that the text is in traditional characters. */
static bool is_traditional(const char *code) {
    const char *rest = code + strcspn(code, "-_");
    return *rest && (!strncasecmp(rest + 1, "Hant", 4) || !strcasecmp(rest + 1, "TW") || !strcasecmp(rest + 1, "HK"));
}

bool language_matches(const char *code, const char *own) {
    if (strlen(code) == strlen(own) && language_starts(code, own)) return true;
    const Language *language = language_of(code);
    return language && language == language_of(own) && is_traditional(code) == is_traditional(own);
}

const char *language_name(const char *code) {
    const Language *language = language_of(code);
    return language ? language->name : code;
}

/* The first language whose texts have mostly Han characters, or mostly other letters; -1: there is none. */
static int first_with(bool han, const char *const *codes, int count) {
    for (int i = 0; i < count; i++)
        if (unspaced_language(codes[i]) == han) return i;
    return -1;
}

Detected language_detect(char *const *texts, int n, const char *const *codes, int count) {
    enum { LETTERS_OF_A_WORD = 4 }; /* a Han character is about as much text as so many letters */
    double han = 0, other = 0;
    for (int i = 0; i < n; i++)
        for (const char *at = texts[i]; *at;) {
            const int32_t c = utf8_next(&at);
            if (is_han(c)) han += LETTERS_OF_A_WORD;
            else if (is_letter(c)) other++;
        }
    const int language = first_with(han > other, codes, count);
    if (language < 0 || han + other == 0) return (Detected){0, 0};
    return (Detected){language, round(100 * fmax(han, other) / (han + other))};
}
