#include "cli/pairs.h"

#include "io/utf8.h"

#include <string.h>

CorpusForm pairs_form(const char *flag) {
    static const char *const flags[FORMS] = {[FORM_TSV] = "tsv", [FORM_CSV] = "csv", [FORM_JSONL] = "jsonl",
                                             [FORM_TMX] = "tmx", [FORM_MO] = "mo",   [FORM_PO] = "po"};
    int form = FORM_TSV;
    if (!strcmp(flag, "train-sets") || !strcmp(flag, "lines")) return FORM_LINES;
    while (form < FORMS && strcmp(flag, flags[form]) != 0) form++;
    return (CorpusForm)form;
}

int pairs_files(CorpusForm form) { return form == FORM_LINES ? 2 : 1; }

/* Whether the command line has a TSV or CSV, as a corpus or as a development set. */
static bool has_table(const Args *args) {
    for (int i = 0; i < args->given_count; i++) {
        const char *name = args->given[i].flag->name;
        if (ends_with(name, "tsv") || ends_with(name, "csv")) return true;
    }
    return false;
}

int pairs_columns(const Args *args, int columns[2], Err *err) {
    columns[SOURCE] = columns[TARGET] = 0;
    if (!args_has(args, "columns")) return 0;
    if (!has_table(args)) return usage_error(err, "--columns needs --tsv or --csv");
    for (int i = 0; i < 2; i++)
        if (args_int_at(args, "columns", i, &columns[i], err)) return -1;
    return columns[SOURCE] != columns[TARGET]
               ? 0
               : usage_error(err, "--columns needs two columns, not column %d twice", columns[SOURCE]);
}
