#include "cli/pairs.h"

#include "cli/messages.h"
#include "cli/models.h"
#include "core/choice.h"
#include "io/ds.h"
#include "io/utf8.h"
#include "text/normal_lines.h"

#include <string.h>

CorpusForm pairs_form(const char *flag) {
    const int form = choice_find(corpus_form_names, flag);
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

int pairs_list(const Args *args, CorpusFiles corpora[MOST_CORPORA], Err *err) {
    int count = 0, columns[2];
    if (pairs_columns(args, columns, err)) return -1;
    for (int k = 0; k < args->given_count; k++) {
        const CorpusForm form = pairs_form(args->given[k].flag->name);
        if (form == FORMS) continue;
        if (count == MOST_CORPORA) return usage_error(err, "more than %d training corpora", MOST_CORPORA);
        corpora[count++] = pairs_corpus(form, args->given[k].values, columns);
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

bool given_pairs_flags(const Args *args, const char *second) {
    CorpusFiles corpus;
    return pairs_find(args, (const int[2]){0}, &corpus) || (args_has(args, "src") && args_has(args, second));
}

int given_pairs_exclude(const Args *args, const char *second, Err *err) {
    const char *const flags[] = {"src", second, "tsv", "csv", "jsonl"}, *first = NULL;
    for (int i = 0; i < 5; i++) {
        if (!args_has(args, flags[i])) continue;
        if (first && i > 1) return usage_error(err, "--%s and --%s cannot be given together", first, flags[i]);
        if (!first) first = flags[i];
    }
    return 0;
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

/* line_text without the normalisation. */
static char *raw_text(const char *bytes, size_t n, const char *path, long line, size_t offset, Err *err) {
    return line_check(bytes, n, path, line, offset, err) ? NULL : mem_strndup(bytes, n);
}

static int add_pair(GivenPairs *pairs, const RawPair *pair, bool references, Err *err) {
    if (pair->short_of && pair->size[SOURCE] + pair->size[TARGET] > 0)
        return err_set(err, pair->path[SOURCE], pair->line, "%s", pair->short_of);
    arrput(pairs->line, pair->line);
    for (int i = 0; i < 2; i++) {
        const bool raw = i == TARGET && references;
        char *text =
            (raw ? raw_text : line_text)(pair->text[i], pair->size[i], pair->path[i], pair->line, pair->byte[i], err);
        if (!text) return -1;
        arrput(pairs->text[i], text);
    }
    return 0;
}

int given_pairs_of_file(GivenPairs *pairs, const CorpusFiles *file, const Translator *translator, bool references,
                        Err *err) {
    const char *const langs[] = {translator->options.langs[SOURCE], translator->options.langs[TARGET]};
    const char *name = strcmp(file->path[0], "-") != 0 ? file->path[0] : "standard input";
    *pairs = (GivenPairs){.path = {name, name}};
    Reader *reader = reader_open(file, langs, err);
    RawPair pair;
    int status;
    if (!reader) return -1;
    if (reader_note(reader)) message("%s", reader_note(reader));
    while ((status = reader_next(reader, &pair, err)) > 0)
        if (add_pair(pairs, &pair, references, err)) break;
    reader_close(reader);
    if (status) return -1;
    return arrlen(pairs->line) ? 0 : err_set(err, name, 0, "no sentence pairs");
}

int given_pairs_read(GivenPairs *pairs, const Args *args, const Translator *translator, Err *err) {
    *pairs = (GivenPairs){0};
    CorpusFiles files;
    int columns[2];
    if (pairs_columns(args, columns, err)) return -1;
    return pairs_find(args, columns, &files) ? given_pairs_of_file(pairs, &files, translator, false, err)
                                             : read_sides(pairs, args, err);
}

int given_pairs_check_side(const GivenPairs *pairs, const Translator *translator, int side, bool reversed, int most,
                           Err *err) {
    const int text = side ^ reversed;
    if (!lines_check(translator, side, pairs->text[text], most, pairs->path[text], err)) return 0;
    if (pairs->line && err->line > 0) err->line = pairs->line[err->line - 1];
    return -1;
}

int given_pairs_check(const GivenPairs *pairs, const Translator *translator, bool reversed, int most, Err *err) {
    return given_pairs_check_side(pairs, translator, SOURCE, reversed, most, err) ||
                   given_pairs_check_side(pairs, translator, TARGET, reversed, most, err)
               ? -1
               : 0;
}

void given_pairs_free(GivenPairs *pairs) {
    for (int i = 0; i < 2; i++) strings_free(pairs->text[i]);
    arrfree(pairs->line);
}
