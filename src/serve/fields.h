/* fields.h: the fields of a request's body, from JSON or from a form. */
#ifndef TIDE_SERVE_FIELDS_H
#define TIDE_SERVE_FIELDS_H

#include "serve/header.h"
#include "serve/limits.h"
#include "serve/reply.h"

/* One text or several. */
typedef struct Texts {
    char **list; /* a stb_ds array of owned strings, valid UTF-8 */
    bool array;  /* the request has an array, so the answer has one */
} Texts;

typedef enum AlignmentUnit { ALIGN_NOTHING, ALIGN_PIECES, ALIGN_WORDS } AlignmentUnit;

/* Fields that the body lacks are zero. Strings are owned. */
typedef struct Fields {
    AlignmentUnit alignment;
    Texts q, translation;
    char *source, *target, *format, *model, *api_key;
    int alternatives, beam;
} Fields;

/* Parses a body of n bytes; *fields must be all zero. Unknown fields are ignored, as LibreTranslate does. A form with
   several fields q has an array of texts. Returns 0, or -1 with an error of status 400 or 415 in *reply. Release with
   fields_free in both cases. */
int fields_parse(Fields *fields, BodyKind kind, const char *body, size_t n, const Limits *limits, Reply *reply);
void fields_free(Fields *fields);

#endif
