/* reader.h: reads parallel corpora pair by pair, without normalising: two line-aligned files (Moses), tables with two
   columns of text (TSV, CSV), lines of JSON, translation memories, gettext catalogues. */
#ifndef TIDE_READER_H
#define TIDE_READER_H

#include "text/side.h"

#include <stdbool.h>

/* A pair as in its file, neither normalised nor checked. The texts are valid until the next call of reader_next. */
typedef struct RawPair {
    const char *text[2]; /* source and target: `size` arbitrary bytes each */
    size_t size[2];
    const char *path[2];  /* input file of each text */
    long line;            /* line in the file, or message in the catalogue, from 1 */
    size_t byte[2];       /* offset of each text in its line */
    const char *short_of; /* NULL, or an error text: the row of a table has too few columns. One text is then the whole
                             row, and the other one is empty. Valid as long as the texts */
    bool same_message;    /* the pair belongs to the message or unit of the previous pair: a plural form, a variant */
} RawPair;

/* The form of a corpus, chosen by a flag, and its files. Forms before FORM_TMX give a pair for each line, or for each
   row. */
typedef enum CorpusForm { FORM_LINES, FORM_TSV, FORM_CSV, FORM_JSONL, FORM_TMX, FORM_MO, FORM_PO, FORMS } CorpusForm;
/* Their names, as in core/choice.h, which are those of the flags of `tide train`. */
extern const char corpus_form_names[];
typedef struct CorpusFiles {
    CorpusForm form;
    const char *path[2]; /* FORM_LINES: source and target; else path[0] only. path[0] NULL: no corpus. Not owned */
    int columns[2];      /* FORM_TSV, FORM_CSV: of source and target, from 1; 0, 0: table_open finds them */
} CorpusFiles;

typedef struct Reader Reader;

/* Opens a corpus. Returns NULL with *err filled if a file cannot be opened or is not of this form. The paths are not
   copied. Release with reader_close.
   FORM_LINES: two line-aligned files.
   FORM_TSV, FORM_CSV: rows with tabs or commas between their cells (table.h). Of a TSV, English, tab, Chinese needs no
   --columns; other columns are ignored.
   FORM_JSONL: objects of JSON, one in each line (jsonl.h).
   FORM_TMX: a translation memory. Pair i of a unit has the i-th segment of each language, or its last one; a language
   without a segment has an empty text.
   FORM_MO: a catalogue of English messages and Chinese translations. Each message, without its context, gives the pair
   of its singular and the first form of the translation; a message with a plural also gives the pair of the plural and
   the last form. The header of the catalogue is a pair whose English is empty.
   FORM_PO: the same for the catalogue's text, which the program msgfmt compiles. It leaves out messages that are fuzzy
   or have no translation. A missing msgfmt and an error in the text are errors, too.
   The path "-" reads standard input, but not with FORM_LINES and FORM_MO. langs: the codes of the source and the
   target, of which FORM_LINES needs none. For FORM_MO and FORM_PO, exactly one must be English. The codes must stay
   valid. */
Reader *reader_open(const CorpusFiles *files, const char *const langs[2], Err *err);
/* A message for people, which says what columns of a table were chosen. NULL: there is none. */
const char *reader_note(const Reader *reader);

/* Reads the next pair. Returns 1, or 0 at the end, or -1 with *err filled: a file cannot be read, a message is not
   within the file, or one of two line-aligned files has more lines (*err names its first line without a partner). */
int reader_next(Reader *reader, RawPair *pair, Err *err);
/* Progress in bytes (KiB where a long has 32 bits), or in messages for a catalogue: read so far and in total; both 0 if
   the total is not known. */
void reader_progress(const Reader *reader, long *done, long *all);
/* The fuzzy messages that msgfmt has left out; 0 for other forms than FORM_PO. */
long reader_fuzzy(const Reader *reader);
void reader_close(Reader *reader);

#endif
