/* fields.h: the fields of a request's body, from JSON or from a form. */
#ifndef TIDE_SERVE_FIELDS_H
#define TIDE_SERVE_FIELDS_H

#include "serve/limits.h"
#include "serve/reply.h"
#include "translate/search_options.h"

#include <stdbool.h>

/* One text or several. */
typedef struct Texts {
    char **list; /* a stb_ds array of owned strings, valid UTF-8 */
    bool array;  /* the request has an array, so the answer has one */
} Texts;

/* Whether the body has the field. */
static inline bool field_given(const Texts *field) { return field->list || field->array; }

typedef enum AlignmentUnit { ALIGN_NOTHING, ALIGN_PIECES, ALIGN_WORDS } AlignmentUnit;

/* A field that the body lacks is zero, except `top` (STEP_WORDS), `pruned` (TREE_PRUNED) and `search`
   (search_options_default). Strings are owned. */
typedef struct Fields {
    AlignmentUnit alignment;
    Texts q, translation, prefix_pieces, translation_pieces;
    char *source, *target, *format, *model, *api_key, *prefix, *glossary, *tag, *precision, *lexicon, *correction;
    char *file, *file_name; /* of a form, in the field `file`: the bytes of a file and a NUL; its name, any bytes */
    size_t file_size;
    char **given; /* of a form: names of the fields that were read; not those that may come again, such as q: a stb_ds
                     array, owned */
    int alternatives, candidates, step, top, pruned, id;
    int generation;       /* -1: not given */
    bool forgets;         /* `memory` is false: every sentence is searched */
    bool confidence;      /* the answer has the confidence of each sentence */
    bool unknown;         /* the answer names what the model cannot read */
    SearchOptions search; /* those fields that the table of search options has */
} Fields;

/* Parses a body of n bytes, whose Content-Type is NULL if the request has none; *fields is overwritten. Unknown
   fields, and files in other fields than `file`, are ignored, as LibreTranslate does. A form with several fields q has
   an array of texts; of other fields with one name the first counts. Returns 0, or -1 with an error of status 400 or
   415 in *reply. Release with fields_free in both cases. */
int fields_parse(Fields *fields, const char *content_type, const char *body, size_t n, const Limits *limits,
                 Reply *reply);
void fields_free(Fields *fields);
/* Decodes n bytes of a form or of a query: '+' is a space, %XX a byte. The caller owns the text; NULL if an escape is
   broken, or if the text is not UTF-8 or has a NUL. */
char *form_decode(const char *bytes, size_t n);

#endif
