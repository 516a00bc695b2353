#include "corpus/tmx_write.h"

#include "io/utf8.h"
#include "tide.h"

void tmx_write_start(FILE *out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n"
          "<header creationtool=\"tide\" creationtoolversion=\"" TIDE_VERSION "\" segtype=\"sentence\" o-tmf=\"tide\" "
          "adminlang=\"en\" srclang=\"*all*\" datatype=\"plaintext\"/>\n<body>\n",
          out);
}

void tmx_write_end(FILE *out) { fputs("</body>\n</tmx>\n", out); }

/* Whether XML can have a character (XML 1.0, section 2.2). */
static bool is_xml(int32_t c) { return c >= ' ' ? c != 0xFFFE && c != 0xFFFF : c == '\t' || c == '\n' || c == '\r'; }

void tmx_write_text(FILE *out, const char *text) {
    while (*text) {
        const char *at = text;
        const int32_t c = utf8_next(&text);
        if (strchr("&<>\"\r", *at)) fprintf(out, "&#%d;", c);
        else if (is_xml(c)) fwrite(at, 1, (size_t)(text - at), out);
        else fputs("\uFFFD", out);
    }
}

void tmx_write_segment(FILE *out, const char *lang, const char *text) {
    fputs("<tuv xml:lang=\"", out);
    tmx_write_text(out, lang);
    fputs("\"><seg>", out);
    tmx_write_text(out, text);
    fputs("</seg></tuv>\n", out);
}
