#include "cli/pairs.h"

#include "cli/messages.h"
#include "cli/models.h"
#include "core/choice.h"
#include "io/ds.h"
#include "io/utf8.h"
#include "text/normal_lines.h"

#include <string.h>

CorpusForm pairs_form(const char *flag) {
    const int form = choice_find("train-sets|tsv|csv|jsonl|tmx|mo|po", flag);
    return form < 0 ? FORMS : (CorpusForm)form;
}

int pairs_files(CorpusForm form) { return form == FORM_LINES ? 2 : 1; }

CorpusFiles pairs_corpus(CorpusForm form, const char *const *paths, const int columns[2]) {
    return (CorpusFiles){form, {paths[0], pairs_files(form) > 1 ? paths[1] : NULL}, {columns[0], columns[1]}};
}

int pairs_find(const Args *args, const int columns[2], CorpusFiles *corpus) {
    int count = 0;
    for (int i = 0; i < args->given_count; i++) {
        const CorpusForm form = pairs_form(args->given[i].flag->name);
        if (form == FORMS) continue;
        *corpus = pairs_corpus(form, args->given[i].values, columns);
        count++;
    }
    return count;
}

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

bool given_pairs_flags(const Args *args) {
    CorpusFiles corpus;
    const int files = pairs_find(args, (const int[2]){0}, &corpus);
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
    int status;
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
    CorpusFiles files;
    int columns[2];
    if (pairs_columns(args, columns, err)) return -1;
    return pairs_find(args, columns, &files) ? read_table(pairs, &files, translator, err)
                                             : read_sides(pairs, args, err);
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
