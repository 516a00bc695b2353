#include "cli/document.h"
#include "cli/cli.h"
#include "cli/messages.h"

#include "io/ds.h"
#include "io/lines.h"
#include "text/unicode.h"

#include <stdio.h>
#include <string.h>

int document_flags(const Args *args, Document *d, Err *err) {
    int format;
    if (args_choice(args, "format", &format, err)) return -1;
    static const PassageFormat formats[] = {PASSAGE_TEXT, PASSAGE_SUBTITLES, PASSAGE_HTML};
    static const char *const others[] = {"n-best", "alignment", "prefix", NULL};
    *d = (Document){.format = formats[format]};
    d->given = d->format != PASSAGE_TEXT || args_has(args, "split-sentences");
    for (const char *const *other = others; *other && d->given; other++)
        if (args_has(args, *other))
            return usage_error(err, "--%s is for lines, not for --format srt or html or --split-sentences", *other);
    return 0;
}

/* The number of the line on which a sentence begins. Exact unless a sentence before it goes over several lines. */
static long line_of(const Passage *p, long sentence) {
    long line = 1;
    for (long i = 0; i <= sentence; i++)
        for (const char *at = p->between[i]; (at = strchr(at, '\n')); at++) line++;
    return line;
}

/* Makes sentences that are too long empty, and prints a message about each. In HTML, such a sentence is an error,
   because its marks have places in its text. */
static int check_lengths(Document *d, const Side *side, int most, const char *path, Err *err) {
    char **sentences = d->passage.sentences;
    Err why;
    for (int i = 0; i < arrlen(sentences); i++) {
        if (!side_check_lengths(side, sentences + i, 1, most, NULL, &why)) continue;
        err_set(err, path, line_of(&d->passage, i), "%s", why.reason);
        if (d->format == PASSAGE_HTML) return -1;
        fail(err);
        sentences[i][0] = '\0';
        d->refused++;
    }
    return 0;
}

int document_read(Document *d, const Translator *translator, int most, Err *err) {
    const char *path = standard_input_name();
    size_t n;
    Err why;
    char *text = text_read(NULL, &n, err);
    if (!text) return -1;
    int status = 0;
    if (memchr(text, '\0', n) || !utf8_valid(text, n))
        status = err_set(err, path, 0, "not valid UTF-8, or has a NUL%s", encoding_hint(text, n));
    if (!status && d->format == PASSAGE_SUBTITLES && subtitles_check(text, &why))
        status = err_set(err, path, why.line, "%s", why.reason);
    if (!status) {
        d->passage = passage_split(text, translator_reads_han(translator), d->format);
        status = check_lengths(d, &translator->source, most, path, err);
    }
    mem_free(text);
    return status;
}

void document_write(const Document *d, bool spaced) {
    char *text = passage_join(&d->passage, (const char *const *)d->translations, spaced);
    fputs(text, results());
    mem_free(text);
}

void document_free(Document *d) {
    passage_free(&d->passage);
    strings_free(d->translations);
    *d = (Document){0};
}
