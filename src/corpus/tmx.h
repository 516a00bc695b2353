/* tmx.h: reads translation memories (TMX 1.4b, section 5; older versions, too) unit by unit, with expat. If tide was
   built without libexpat, tmx_open fails and says so. */
#ifndef TIDE_TMX_H
#define TIDE_TMX_H

#include "io/lines.h"

typedef struct Tmx Tmx;

/* The segments of a translation unit in the two languages, in the order of the file. A unit may have none, or several
   as variants; the codes inside a segment (elements such as bpt and ph) are left out. */
typedef struct TmxUnit {
    char **segments[2]; /* stb_ds arrays of owned strings */
    long line;          /* of the unit in the file, from 1 */
} TmxUnit;

/* Whether tide was built with libexpat. */
bool tmx_is_built(void);
/* Makes a reader of the plain text of `lines`. langs: the codes of the two languages; "zh" means all variants of
   Chinese (zh-CN, ZH_tw, cmn), "zh-TW" this one only. `lines` must outlive the reader. Returns NULL with *err filled if
   tide was built without libexpat. Release with tmx_close. */
Tmx *tmx_open(LineReader *lines, const char *const langs[2], Err *err);
/* Reads the next unit, which is valid until the next call. Returns 1, or 0 at the end, or -1 with *err filled: the text
   is not TMX, defines an entity by another one, or has a unit of more than 1 MiB; no unit of the file has both
   languages. */
int tmx_next(Tmx *tmx, const TmxUnit **unit, Err *err);
/* Does nothing for NULL. */
void tmx_close(Tmx *tmx);

#endif
