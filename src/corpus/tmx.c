#include "corpus/tmx.h"

#include "core/choice.h"
#include "io/ds.h"
#include "io/string_table.h"
#include "text/codes.h"

#include <string.h>

#ifndef TIDE_XML

bool tmx_is_built(void) { return false; }

Tmx *tmx_open(LineReader *lines, const char *const langs[2], Err *err) {
    (void)langs;
    err_set(err, lines->path, 0, "TMX needs expat: this tide was built without Debian's package libexpat1-dev");
    return NULL;
}

int tmx_next(Tmx *tmx, const TmxUnit **unit, Err *err) {
    (void)tmx;
    (void)unit;
    return err_set(err, NULL, 0, "built without expat");
}

void tmx_close(Tmx *tmx) { (void)tmx; }

#else
#include <expat.h>

enum {
    CHUNK = 1 << 16,
    MOST_UNIT = 1 << 20, /* bytes of a unit, of a tag or of all declarations: expat stores these */
    MOST_DEPTH = 256,    /* nesting depth: expat stores every open element */
    MOST_SEEN = 8,
    CODE_SIZE = 16
};

struct Tmx {
    LineReader *lines;
    char langs[2][CODE_SIZE];
    XML_Parser parser;
    bool suspended;  /* the parser stopped at the end of a unit, and has more text */
    bool ended;      /* the parser has all text */
    long long given; /* bytes that the parser has received */
    int depth;       /* of elements */
    TmxUnit unit;    /* the current one */
    size_t size;     /* bytes of its segments */
    bool in_tmx, in_unit, complete;
    int side;         /* of the current tuv; -1: another language */
    char *text;       /* stb_ds array: of the current segment; NULL: none */
    int hidden;       /* depth of elements from one that has codes, not text */
    long both;        /* units with both languages */
    StringTable seen; /* the first MOST_SEEN languages of the file */
    Err refused;      /* reason "": nothing */
};

static long line_number(const Tmx *tmx) { return (long)XML_GetCurrentLineNumber(tmx->parser); }

static void refuse(Tmx *tmx, const char *format, const char *name) {
    char reason[128];
    if (tmx->refused.reason[0]) return;
    snprintf(reason, sizeof reason, format, name);
    err_set(&tmx->refused, tmx->lines->path, line_number(tmx), "%s", reason);
    XML_StopParser(tmx->parser, false);
}

/* ---- elements and text ------------------------------------------------------------------------------------------- */

static const char *attribute(const char **attributes, const char *name) {
    for (; *attributes; attributes += 2)
        if (!strcmp(*attributes, name)) return attributes[1];
    return NULL;
}

static void add_text(Tmx *tmx, const char *text, int n) {
    if ((tmx->size += (size_t)n) > MOST_UNIT) refuse(tmx, "%s has more than 1 MiB of text", "a translation unit");
    else if (n > 0) memcpy(arraddnptr(tmx->text, (size_t)n), text, (size_t)n);
}

static void XMLCALL on_text(void *user, const char *text, int n) {
    Tmx *tmx = user;
    if (tmx->text && !tmx->hidden) add_text(tmx, text, n);
}

static void begin_tuv(Tmx *tmx, const char **attributes) {
    const char *code = attribute(attributes, "xml:lang");
    if (!code) code = attribute(attributes, "lang"); /* TMX 1.1 */
    tmx->side = -1;
    if (!code) return;
    if (string_table_count(&tmx->seen) < MOST_SEEN) string_table_add(&tmx->seen, code, strnlen(code, CODE_SIZE - 1));
    for (int side = 0; side < 2; side++)
        if (language_is_variant(code, tmx->langs[side])) tmx->side = side;
}

static void XMLCALL on_start(void *user, const char *name, const char **attributes) {
    Tmx *tmx = user;
    if (!tmx->in_tmx && strcmp(name, "tmx") != 0) refuse(tmx, "is not a TMX file: its first element is %.40s", name);
    tmx->in_tmx = true;
    if (++tmx->depth > MOST_DEPTH) refuse(tmx, "%s are nested more than 256 deep", "elements");
    if (tmx->text) { /* an element inside a segment; the content of these is code or another text */
        if (tmx->hidden || choice_find("bpt|ept|it|ph|ut|sub", name) >= 0) tmx->hidden++;
        if (!strcmp(name, "ph")) add_text(tmx, " ", tmx->hidden == 1); /* a picture or a line break is between words */
    } else if (!strcmp(name, "tu")) {
        tmx->in_unit = true;
        tmx->size = 0;
        tmx->unit.line = line_number(tmx);
    } else if (tmx->in_unit && !strcmp(name, "tuv")) {
        begin_tuv(tmx, attributes);
    } else if (tmx->in_unit && tmx->side >= 0 && !strcmp(name, "seg")) {
        arrsetcap(tmx->text, 64); /* not NULL */
    }
}

static void end_segment(Tmx *tmx) {
    arrput(tmx->text, '\0');
    arrput(tmx->unit.segments[tmx->side], mem_strdup(tmx->text));
    arrfree(tmx->text);
    tmx->size += sizeof(char *);
}

static void XMLCALL on_end(void *user, const char *name) {
    Tmx *tmx = user;
    tmx->depth--;
    if (tmx->text) {
        if (tmx->hidden) tmx->hidden--;
        else if (!strcmp(name, "seg")) end_segment(tmx);
    } else if (!strcmp(name, "tuv")) {
        tmx->side = -1;
    } else if (tmx->in_unit && !strcmp(name, "tu")) {
        tmx->in_unit = false;
        tmx->complete = true;
        tmx->both += tmx->unit.segments[0] && tmx->unit.segments[1];
        XML_StopParser(tmx->parser, true);
    }
}

/* An entity that other entities define can become a text of any length ("billion laughs"). */
static void XMLCALL on_entity(void *user, const char *name, int is_parameter, const char *value, int n,
                              const char *base, const char *system, const char *public, const char *notation) {
    (void)base, (void)system, (void)public;
    if (!value && !notation) refuse(user, "the entity %.40s is another file", name);
    if (value && (is_parameter || memchr(value, '&', (size_t)n)))
        refuse(user, "the entity %.40s is defined by another entity", name);
}

static void XMLCALL on_skipped_entity(void *user, const char *name, int is_parameter) {
    if (!is_parameter) refuse(user, "the entity %.40s is not defined", name);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

bool tmx_is_built(void) { return true; }

Tmx *tmx_open(LineReader *lines, const char *const langs[2], Err *err) {
    (void)err;
    Tmx *tmx = mem_zalloc(sizeof *tmx);
    *tmx = (Tmx){.lines = lines, .side = -1};
    for (int side = 0; side < 2; side++) snprintf(tmx->langs[side], CODE_SIZE, "%s", langs[side]);
    tmx->parser = XML_ParserCreate(NULL);
    if (!tmx->parser) mem_refused(0);
    XML_SetUserData(tmx->parser, tmx);
    XML_SetElementHandler(tmx->parser, on_start, on_end);
    XML_SetCharacterDataHandler(tmx->parser, on_text);
    XML_SetEntityDeclHandler(tmx->parser, on_entity);
    XML_SetSkippedEntityHandler(tmx->parser, on_skipped_entity);
    return tmx;
}

/* Refuses a tag or declarations without an end: expat would store them, and scan them again with each chunk. */
static int check_size(Tmx *tmx, Err *err) {
    const long at = (long)XML_GetCurrentByteIndex(tmx->parser);
    if (tmx->given <= MOST_UNIT || (tmx->in_tmx && tmx->given - at <= MOST_UNIT)) return 0;
    return err_set(err, tmx->lines->path, line_number(tmx), "more than 1 MiB of %s",
                   tmx->in_tmx ? "text in a tag or a comment" : "text before the first element");
}

/* Parses the text that the parser has, or more text of the file. */
static int parse(Tmx *tmx, Err *err) {
    enum XML_Status status;
    if (tmx->suspended) {
        status = XML_ResumeParser(tmx->parser);
    } else {
        char *buffer = XML_GetBuffer(tmx->parser, CHUNK);
        if (!buffer) mem_refused(CHUNK);
        const long n = line_reader_bytes(tmx->lines, buffer, CHUNK, err);
        if (n < 0) return -1;
        status = XML_ParseBuffer(tmx->parser, (int)n, n == 0);
        tmx->ended = n == 0;
        tmx->given += n;
    }
    tmx->suspended = status == XML_STATUS_SUSPENDED;
    if (status == XML_STATUS_OK) return check_size(tmx, err);
    if (status == XML_STATUS_SUSPENDED) return 0;
    const enum XML_Error code = XML_GetErrorCode(tmx->parser);
    if (code == XML_ERROR_NO_MEMORY) mem_refused(0);
    if (tmx->refused.reason[0]) *err = tmx->refused;
    else
        err_set(err, tmx->lines->path, line_number(tmx), "is not valid XML: %s%s", XML_ErrorString(code),
                code == XML_ERROR_UNKNOWN_ENCODING
                    ? "; convert it to UTF-8 with iconv, and write encoding=\"UTF-8\" in its first line"
                    : "");
    return -1;
}

static int without_pairs(const Tmx *tmx, Err *err) {
    char seen[MOST_SEEN * (CODE_SIZE + 1) + 1] = "";
    for (int i = 0; i < string_table_count(&tmx->seen); i++) strcat(strcat(seen, " "), tmx->seen.strings[i]);
    return err_set(err, tmx->lines->path, 0, "no translation unit has both %s and %s; the languages are:%s",
                   tmx->langs[0], tmx->langs[1], *seen ? seen : " none");
}

/* Releases the segments of the current unit. */
static void unit_free(TmxUnit *unit) {
    for (int side = 0; side < 2; side++) strings_free(unit->segments[side]);
    *unit = (TmxUnit){0};
}

int tmx_next(Tmx *tmx, const TmxUnit **unit, Err *err) {
    unit_free(&tmx->unit);
    while (!tmx->complete) {
        if (tmx->ended && !tmx->suspended) return tmx->both ? 0 : without_pairs(tmx, err);
        if (parse(tmx, err)) return -1;
    }
    tmx->complete = false;
    *unit = &tmx->unit;
    return 1;
}

void tmx_close(Tmx *tmx) {
    if (!tmx) return;
    XML_ParserFree(tmx->parser);
    unit_free(&tmx->unit);
    string_table_free(&tmx->seen);
    arrfree(tmx->text);
    mem_free(tmx);
}

#endif
