#include "view/spelling.h"

#include "core/base.h"
#include "io/ds.h"
#include "text/tokenizer.h"
#include "text/vocab.h"

#include <string.h>
#include <utf8proc.h>

/* ---- characters ---- */

int32_t char_display(const char **text) {
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)*text, -1, &c);
    *text += n > 0 ? n : 1;
    if (n > 0 && (c == '\t' || c == '\n' || c == '\r')) return ' ';
    bool allowed = n > 0 && c >= ' ' && !(c >= 0x7f && c < 0xa0) && c != 0xfffe && c != 0xffff;
    return allowed ? c : 0xfffd;
}

int32_t char_peek(const char *text) { return char_display(&text); }

char *text_display(const char *text) {
    enum { MOST = 3 }; /* output bytes for one input byte: an invalid byte becomes U+FFFD */
    char *shown = mem_alloc(MOST * strlen(text) + 1), *end = shown;
    while (*text) end += utf8proc_encode_char(char_display(&text), (utf8proc_uint8_t *)end);
    *end = '\0';
    return shown;
}

void text_ends(const char *text, int32_t *first, int32_t *last) {
    *first = *last = ' ';
    if (*text) *first = *last = char_display(&text);
    while (*text) *last = char_display(&text);
}

bool char_is_wide(int32_t c) { return utf8proc_charwidth(c) == 2; }

bool text_has_wide(const char *text) {
    while (*text)
        if (char_is_wide(char_display(&text))) return true;
    return false;
}

/* Whether c is not wide, and its category is not after `last` in the order of letters, marks, numbers. */
static bool is_narrow(int32_t c, utf8proc_category_t last) {
    utf8proc_category_t category = utf8proc_category(c);
    return !char_is_wide(c) && category >= UTF8PROC_CATEGORY_LU && category <= last;
}

static bool is_narrow_letter(int32_t c) { return is_narrow(c, UTF8PROC_CATEGORY_ME); }
bool char_in_word(int32_t c) { return is_narrow(c, UTF8PROC_CATEGORY_NO); }

bool char_closes(int32_t c) {
    utf8proc_category_t category = utf8proc_category(c);
    return category == UTF8PROC_CATEGORY_PE || category == UTF8PROC_CATEGORY_PF || category == UTF8PROC_CATEGORY_PO;
}

/* ---- pieces ---- */

/* Guesses whether a space separates two pieces without space marks. In Chinese text only two pieces of letters are
   separated; in other text all pieces are, except before closing punctuation. */
static bool guess_space(const char *left, const char *right, bool chinese) {
    int32_t first, last, unused;
    text_ends(left, &unused, &last);
    text_ends(right, &first, &unused);
    return chinese ? is_narrow_letter(last) && is_narrow_letter(first) : !char_closes(first);
}

bool *pieces_spaced(char *const *pieces, int n) {
    bool *spaced = mem_zalloc((size_t)n * sizeof *spaced), marked = false, chinese = false;
    int text = pieces_text_count(pieces, n);
    for (int i = 0; i < text; i++) {
        marked = marked || strstr(pieces[i], SPACE_MARK);
        chinese = chinese || text_has_wide(pieces[i]);
    }
    for (int i = 1; i < text; i++)
        spaced[i] = marked ? piece_is_spaced(pieces[i]) : guess_space(pieces[i - 1], pieces[i], chinese);
    return spaced;
}

char *pieces_sentence(char *const *pieces, int n) {
    bool *spaced = pieces_spaced(pieces, n);
    char *spelled = NULL;
    for (int i = 0; i < pieces_text_count(pieces, n); i++) {
        if (spaced[i] && !piece_is_spaced(pieces[i])) arrput(spelled, ' ');
        for (const char *c = pieces[i]; *c; c++) arrput(spelled, *c);
    }
    arrput(spelled, '\0');
    char *text = pieces_unmark(spelled, false);
    arrfree(spelled);
    mem_free(spaced);
    return text;
}
