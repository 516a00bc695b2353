/* pairs.h: flags of the commands that read parallel corpora. */
#ifndef TIDE_PAIRS_H
#define TIDE_PAIRS_H

#include "cli/cli.h"
#include "corpus/reader.h"
#include "translate/translator.h"

#define HELP_TSV   "English, tab, Chinese (manythings, Anki), or other columns"
#define HELP_CSV   "rows with commas and quotes, mostly with a header"
#define HELP_JSONL "lines of JSON: {\"zh\": ..., \"en\": ...}, also inside \"translation\""
#define FLAG_COLUMNS                                                                                                   \
    {                                                                                                                  \
        "columns", 2, "SOURCE TARGET",                                                                                 \
            "numbers of both columns in a TSV or CSV, from 1 (default: found by names and by scripts)", VALUE_INT,     \
            .least = 1, .most = 1 << 20                                                                                \
    }

/* Flags for training corpora, each of which may be given several times. */
#define FLAGS_CORPORA                                                                                                  \
    {"train-sets", 2, "SRC TGT",                                                                                       \
     "training corpus: two line-aligned files; may be repeated, as --tsv, --csv, --jsonl, --tmx, --mo and --po",       \
     .kind = VALUE_FILES},                                                                                             \
        {"tsv", 1, "FILE", "training corpus: " HELP_TSV, .kind = VALUE_FILES},                                         \
        {"csv", 1, "FILE", "training corpus: " HELP_CSV, .kind = VALUE_FILES},                                         \
        {"jsonl", 1, "FILE", "training corpus: " HELP_JSONL, .kind = VALUE_FILES}, FLAG_COLUMNS,                       \
        {"tmx", 1, "FILE", "training corpus: a translation memory, not cleaned (see `tide corpus`)",                   \
         .kind = VALUE_FILES},                                                                                         \
        {"mo", 1, "FILE", "training corpus: a gettext catalogue, English to Chinese, not cleaned",                     \
         .kind = VALUE_FILES},                                                                                         \
    {                                                                                                                  \
        "po", 1, "FILE", "the same as text; the program msgfmt compiles it", .kind = VALUE_FILES                       \
    }

/* The form that a flag names, such as tsv; FORMS if it names none. */
CorpusForm pairs_form(const char *flag);
/* The number of files of a corpus. */
int pairs_files(CorpusForm form);
/* A corpus of these files. columns: as pairs_columns reads them. */
CorpusFiles pairs_corpus(CorpusForm form, const char *const *paths, const int columns[2]);
/* Returns the number of flags on the command line that name a corpus (pairs_form). *corpus receives that of the last
   one; it is unchanged if there is none. */
int pairs_find(const Args *args, const int columns[2], CorpusFiles *corpus);
/* Lists the training corpora of the command line in their order. Returns their number, or -1 with *err filled if there
   are too many, or --columns is wrong. */
enum { MOST_CORPORA = 256 };
int pairs_list(const Args *args, CorpusFiles corpora[MOST_CORPORA], Err *err);
/* Reads --columns into columns; 0, 0 if it is not given. Returns 0, or -1 with *err filled: a number is no column, both
   are the same, or no flag of the command line names a TSV or CSV. */
int pairs_columns(const Args *args, int columns[2], Err *err);

/* Flags of the commands that read a few pairs for a model: two files, or one. FLAGS_PAIRS_IN_A_FILE: instead of --src
   and the flag that the macro gets, as in "--tgt". */
#define FLAGS_GIVEN_PAIRS                                                                                              \
    FLAG_FILE("src", "source sentences"), FLAG_FILE("tgt", "their translations, line by line"),                        \
        FLAGS_PAIRS_IN_A_FILE("--tgt")
#define FLAGS_PAIRS_IN_A_FILE(second)                                                                                  \
    FLAG_FILE("tsv", "instead of --src and " second ": " HELP_TSV), FLAG_FILE("csv", "the same: " HELP_CSV),           \
        FLAG_FILE("jsonl", "the same: " HELP_JSONL), FLAG_COLUMNS

/* Pairs, which may be empty: normalised, except the references of given_pairs_of_file. */
typedef struct GivenPairs {
    char **text[2];      /* stb_ds arrays, owned: source and target */
    long *line;          /* stb_ds array: where each pair is in its file; NULL: pair i is in line i + 1 */
    const char *path[2]; /* of each text, for errors */
} GivenPairs;

/* Whether the command line has --src with the flag `second`, as in "tgt", or one of the other files. */
bool given_pairs_flags(const Args *args, const char *second);
/* Returns 0, or -1 with *err filled if the command line has two of these files that exclude each other. */
int given_pairs_exclude(const Args *args, const char *second, Err *err);
/* Reads the pairs for a model, whose languages tell the columns of a table. Returns 0, or -1 with *err filled: texts of
   --src and --tgt with different numbers of lines; a row with too few columns; an error of reader_next; no pairs at
   all. Release with given_pairs_free, after an error too. */
int given_pairs_read(GivenPairs *pairs, const Args *args, const Translator *translator, Err *err);
/* The same for the file of --tsv, --csv or --jsonl. references: the targets stay as they are in the file, as metrics
   need them. */
int given_pairs_of_file(GivenPairs *pairs, const CorpusFiles *file, const Translator *translator, bool references,
                        Err *err);
/* lines_check for the text of one side, SOURCE or TARGET of the model. reversed: the model translates from the target
   to the source of the pairs. */
int given_pairs_check_side(const GivenPairs *pairs, const Translator *translator, int side, bool reversed, int most,
                           Err *err);
/* The same for both sides. */
int given_pairs_check(const GivenPairs *pairs, const Translator *translator, bool reversed, int most, Err *err);
void given_pairs_free(GivenPairs *pairs);

#endif
