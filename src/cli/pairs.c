#include "cli/pairs.h"

#include "cli/messages.h"
#include "cli/models.h"
#include "io/ds.h"
#include "io/utf8.h"
#include "text/normal_lines.h"

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

/* ---- pairs for a model ---- */

/* The file of a flag that names a table or lines of JSON; path[0] NULL: there is none. */
static CorpusFiles table_flag(const Args *args) {
    static const char *const names[] = {"tsv", "csv", "jsonl"};
    for (int i = 0; i < 3; i++)
        if (args_has(args, names[i])) return (CorpusFiles){pairs_form(names[i]), {args_value(args, names[i], 0)}, {0}};
    return (CorpusFiles){0};
}

bool given_pairs_flags(const Args *args) {
    const int files = args_has(args, "tsv") + args_has(args, "csv") + args_has(args, "jsonl");
    const int sides = args_has(args, "src") + args_has(args, "tgt");
    return files ? files == 1 && !sides : sides == 2;
}

static int read_sides(GivenPairs *pairs, const Args *args, Err *err) {
    const char *const flags[] = {"src", "tgt"};
    for (int i = 0; i < 2; i++) {
        pairs->path[i] = args_value(args, flags[i], 0);
        if (!(pairs->text[i] = lines_read(pairs->path[i], 0, err))) return -1;
    }
    const ptrdiff_t n = arrlen(pairs->text[SOURCE]), m = arrlen(pairs->text[TARGET]);
    if (n == m) return 0;
    return err_set(err, pairs->path[TARGET], (long)m + 1, "%td lines, but %s has %td", m, pairs->path[SOURCE], n);
}

static int add_pair(GivenPairs *pairs, const RawPair *pair, Err *err) {
    if (pair->short_of && pair->size[SOURCE] + pair->size[TARGET] > 0)
        return err_set(err, pair->path[SOURCE], pair->line, "%s", pair->short_of);
    arrput(pairs->line, pair->line);
    for (int i = 0; i < 2; i++) {
        char *text = line_text(pair->text[i], pair->size[i], pair->path[i], pair->line, pair->byte[i], err);
        if (!text) return -1;
        arrput(pairs->text[i], text);
    }
    return 0;
}

static int read_table(GivenPairs *pairs, const CorpusFiles *files, const Translator *translator, Err *err) {
    const char *const langs[] = {translator->options.langs[SOURCE], translator->options.langs[TARGET]};
    Reader *reader = reader_open(files, langs, err);
    RawPair pair;
    int status = -1;
    pairs->path[SOURCE] = pairs->path[TARGET] = files->path[0];
    if (!reader) return -1;
    if (reader_note(reader)) message("%s", reader_note(reader));
    while ((status = reader_next(reader, &pair, err)) > 0)
        if (add_pair(pairs, &pair, err)) break;
    reader_close(reader);
    if (status) return -1;
    return arrlen(pairs->line) ? 0 : err_set(err, files->path[0], 0, "no sentence pairs");
}

int given_pairs_read(GivenPairs *pairs, const Args *args, const Translator *translator, Err *err) {
    *pairs = (GivenPairs){0};
    CorpusFiles files = table_flag(args);
    if (pairs_columns(args, files.columns, err)) return -1;
    return files.path[0] ? read_table(pairs, &files, translator, err) : read_sides(pairs, args, err);
}

int given_pairs_check(const GivenPairs *pairs, const Translator *translator, bool reversed, int most, Err *err) {
    for (int side = 0; side < 2; side++) {
        const int text = side ^ reversed;
        if (!lines_check(translator, side, pairs->text[text], most, pairs->path[text], err)) continue;
        if (pairs->line && err->line > 0) err->line = pairs->line[err->line - 1];
        return -1;
    }
    return 0;
}

void given_pairs_free(GivenPairs *pairs) {
    for (int i = 0; i < 2; i++) strings_free(pairs->text[i]);
    arrfree(pairs->line);
}
