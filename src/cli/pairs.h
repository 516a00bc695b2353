/* pairs.h: flags of the commands that read parallel corpora. */
#ifndef TIDE_PAIRS_H
#define TIDE_PAIRS_H

#include "cli/cli.h"
#include "corpus/reader.h"

#define HELP_TSV   "English, tab, Chinese (manythings, Anki), or other columns"
#define HELP_CSV   "rows with commas and quotes, mostly with a header"
#define HELP_JSONL "lines of JSON: {\"zh\": ..., \"en\": ...}, also inside \"translation\""
#define FLAG_COLUMNS                                                                                                   \
    {                                                                                                                  \
        "columns", 2, "SOURCE TARGET",                                                                                 \
            "numbers of both columns in a TSV or CSV, from 1 (default: found by names and by scripts)", VALUE_INT,     \
            .least = 1, .most = 1 << 20                                                                                \
    }

/* The form that a flag names, such as tsv; FORMS if it names none. */
CorpusForm pairs_form(const char *flag);
/* The number of files of a corpus. */
int pairs_files(CorpusForm form);
/* Reads --columns into columns; 0, 0 if it is not given. Returns 0, or -1 with *err filled: a number is no column, both
   are the same, or no flag of the command line names a TSV or CSV. */
int pairs_columns(const Args *args, int columns[2], Err *err);

#endif
