/* svg_text.h: the text of SVG pictures: its width before it is drawn, and its lines. */
#ifndef TIDE_SVG_TEXT_H
#define TIDE_SVG_TEXT_H

#include <stdint.h>
#include <stdio.h>

#define SVG_FONTS                                                                                                      \
    "'Noto Sans CJK SC','Source Han Sans SC','PingFang SC','Microsoft YaHei','WenQuanYi Micro "                        \
    "Hei',sans-serif"

/* Estimates of widths in common sans-serif fonts, in em; too wide rather than too narrow. */
double char_em(int32_t c);
double text_em(const char *text);

/* Writes a character or a text as XML, each character as char_display gives it. */
void svg_char(FILE *out, int32_t c);
void svg_text(FILE *out, const char *text);

/* A copy of text, truncated to `room` em with an ellipsis; owned by the caller. */
char *text_cut(const char *text, double room);
/* Breaks text into lines of at most `room` em, at spaces or next to Chinese characters; a space stays at the end of its
   line. A word that is wider than `room` is broken inside. Returns a stb_ds array of at least one string; release it
   with strings_free. */
char **text_lines(const char *text, double room);

#endif
