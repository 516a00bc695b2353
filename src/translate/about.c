#include "translate/about.h"

#include "io/json.h"
#include "text/unicode.h"

#include <string.h>

const char *const about_names[ABOUTS] = {"title", "corpora", "licence"};

void about_set(About *about, const char *const text[ABOUTS]) {
    for (int i = 0; i < ABOUTS; i++) {
        if (!text[i]) continue;
        mem_free(about->text[i]);
        about->text[i] = mem_strdup(text[i]);
    }
}

void about_free(About *about) {
    for (int i = 0; i < ABOUTS; i++) mem_free(about->text[i]);
    *about = (About){0};
}

int about_check(const char *name, const char *text, Err *err) {
    enum { MOST = 500 };
    const size_t n = strlen(text);
    bool line = n > 0 && n <= MOST && utf8_valid(text, n);
    for (size_t i = 0; i < n; i++) line &= (unsigned char)text[i] >= ' ' && text[i] != 0x7f;
    return line ? 0 : err_set(err, NULL, 0, "--%s must be one line of UTF-8, of 1 to %d bytes", name, MOST);
}

void about_write(FILE *out, const About *about) {
    for (int i = 0; i < ABOUTS; i++)
        if (about->text[i]) json_print(out, ",%s:%s", about_names[i], about->text[i]);
}
