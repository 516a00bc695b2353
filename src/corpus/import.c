#include "corpus/import.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/lines.h"
#include "io/output.h"
#include "io/system.h"
#include "text/sentences.h"
#include "text/traditional.h"
#include "text/unicode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHINESE = SOURCE, ENGLISH = TARGET, PROGRESS_EVERY = 1024 };

typedef struct Import {
    const ImportJob *job;
    ImportReport *report;
    ImportProgress *progress;
    void *context;
    CleanLimits limits;          /* for the current input */
    OutputFile chinese, english; /* temporary files of the kept pairs, never committed. Lines of `english`: place, tab,
                                    English */
    OutputFile simplified;       /* `chinese` after opencc; stream NULL: not requested */
    OutputFile dropped;          /* the dropped pairs; stream NULL: not requested */
    int lock;                    /* descriptor of the lock of the output directory; -1: none */
} Import;

static void report_progress(const Import *import, const char *what, long done, long all) {
    if (import->progress && all > 0) import->progress(import->context, what, done, all);
}

/* ---- reading, cleaning ----------------------------------------------------------------------------------------- */

/* Writes arbitrary bytes as one column of a line: control characters become spaces. */
static void put_column(FILE *out, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) putc((unsigned char)bytes[i] < ' ' ? ' ' : bytes[i], out);
}

static void put_place(FILE *out, const char *path, long line) {
    put_column(out, path, strlen(path));
    fprintf(out, ":%ld", line);
}

/* Counts a dropped pair and writes its texts. */
static void drop(Import *import, Reason reason, const RawPair *pair) {
    FILE *out = import->dropped.stream;
    import->report->dropped[reason]++;
    if (!out) return;
    fprintf(out, "%s\t", reason_texts[reason].name);
    put_place(out, pair->path[ENGLISH], pair->line);
    putc('\t', out);
    put_column(out, pair->text[ENGLISH], pair->size[ENGLISH]);
    putc('\t', out);
    put_column(out, pair->text[CHINESE], pair->size[CHINESE]);
    putc('\n', out);
}

static void import_pair(Import *import, const char *chinese, const char *english, const RawPair *from) {
    const Reason reason = clean_judge(english, chinese, &import->limits);
    if (reason != KEPT) {
        RawPair pair = {{chinese, english}, {strlen(chinese), strlen(english)}, .line = from->line};
        pair.path[ENGLISH] = from->path[ENGLISH];
        drop(import, reason, &pair);
        return;
    }
    put_place(import->english.stream, from->path[ENGLISH], from->line);
    fprintf(import->english.stream, "\t%s\n", english);
    fprintf(import->chinese.stream, "%s\n", chinese);
}

typedef void ImportPart(Import *import, const char *chinese, const char *english, const RawPair *from);

/* If both sides have the same number of parts, and more than one: imports each pair of parts and returns true. Else
   returns false. Takes the parts. */
static bool import_parts(Import *import, char **chinese, char **english, ImportPart *import_part, const RawPair *from) {
    const ptrdiff_t n = arrlen(chinese);
    const bool agree = n == arrlen(english) && n > 1;
    if (agree) import->report->sentences += n - 1;
    for (ptrdiff_t i = 0; agree && i < n; i++) import_part(import, chinese[i], english[i], from);
    strings_free(chinese);
    strings_free(english);
    return agree;
}

/* Imports each pair of sentences if both sides have the same number of them; else the whole texts as one pair. */
static void import_sentences(Import *import, const char *chinese, const char *english, const RawPair *from) {
    char **x = sentences_split(chinese, true), **y = sentences_split(english, false);
    if (!import_parts(import, x, y, import_pair, from)) import_pair(import, chinese, english, from);
}

/* The normalised lines of a text, without blank lines. */
static char **paragraph_lines(const char *text, size_t size) {
    char **lines = NULL;
    for (const char *end = text + size; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
        char *line = text_normalise(text, (size_t)(stop - text), NULL);
        if (*line) arrput(lines, line);
        else mem_free(line);
        text = newline ? newline + 1 : end;
    }
    return lines;
}

/* import_parts for the lines of texts with several lines. */
static bool import_lines(Import *import, const RawPair *pair) {
    if (!memchr(pair->text[ENGLISH], '\n', pair->size[ENGLISH])) return false;
    char **x = paragraph_lines(pair->text[CHINESE], pair->size[CHINESE]);
    char **y = paragraph_lines(pair->text[ENGLISH], pair->size[ENGLISH]);
    return import_parts(import, x, y, import_sentences, pair);
}

static void import_raw(Import *import, const RawPair *pair) {
    char *text[2];
    import->report->messages += !pair->same_message;
    import->report->forms += pair->same_message;
    for (int i = 0; i < 2; i++) text[i] = text_normalise(pair->text[i], pair->size[i], NULL);
    if (!text[CHINESE] || !text[ENGLISH]) drop(import, BROKEN, pair);
    else if (pair->short_of && (*text[CHINESE] || *text[ENGLISH])) drop(import, NO_TAB, pair);
    else if (import->job->keep_paragraphs) import_pair(import, text[CHINESE], text[ENGLISH], pair);
    else if (!import_lines(import, pair)) import_sentences(import, text[CHINESE], text[ENGLISH], pair);
    for (int i = 0; i < 2; i++) mem_free(text[i]);
}

static int read_input(Import *import, const CorpusFiles *input, Err *err) {
    static const char *const langs[] = {[CHINESE] = "zh", [ENGLISH] = "en"};
    Reader *reader = reader_open(input, langs, err);
    if (!reader) return -1;
    if (reader_note(reader) && import->job->note) import->job->note(import->context, reader_note(reader));
    RawPair pair;
    int status;
    const Placeholders kept = import->job->placeholders;
    const bool catalogue = input->form == FORM_MO || input->form == FORM_PO;
    import->limits = import->job->limits;
    import->limits.placeholders = kept == PLACEHOLDERS_OF_ALL || (kept == PLACEHOLDERS_OF_CATALOGUES && catalogue);
    import->report->messages += reader_fuzzy(reader);
    import->report->dropped[FUZZY] += reader_fuzzy(reader);
    for (long count = 0; (status = reader_next(reader, &pair, err)) > 0; count++) {
        import_raw(import, &pair);
        if (count % PROGRESS_EVERY) continue;
        long done, all;
        reader_progress(reader, &done, &all);
        report_progress(import, "reading", done, all);
    }
    reader_close(reader);
    return status;
}

/* ---- traditional to simplified --------------------------------------------------------------------------------- */

/* Converts the Chinese side to simplified characters with opencc. */
static int simplify(Import *import, Err *err) {
    if (output_open(&import->simplified, import->chinese.path, err)) return -1;
    char *const command[] = {"opencc", "-c", "t2s", "-i", import->chinese.temporary, "-o", import->simplified.temporary,
                             NULL};
    const int status = program_run(command, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
    if (status < 0)
        return err_set(err, NULL, 0, "opencc cannot be run (%s): %s", strerror(errno), program_advice("opencc"));
    return status ? err_set(err, NULL, 0, "opencc failed") : 0;
}

/* ---- splitting ------------------------------------------------------------------------------------------------- */

/* Iterates over the kept pairs. */
typedef struct KeptPairs {
    LineReader lines[2];
    const char *text[2], *place; /* of the current pair */
} KeptPairs;

static int kept_open(KeptPairs *kept, const Import *import, Err *err) {
    const OutputFile *chinese = import->simplified.stream ? &import->simplified : &import->chinese;
    if (line_reader_open(&kept->lines[CHINESE], chinese->temporary, err)) return -1;
    if (!line_reader_open(&kept->lines[ENGLISH], import->english.temporary, err)) return 0;
    line_reader_close(&kept->lines[CHINESE]);
    return -1;
}

static void kept_close(KeptPairs *kept) {
    for (int side = 0; side < 2; side++) line_reader_close(&kept->lines[side]);
}

/* Reads the next pair. Returns 1, or 0 at the end, or -1 with *err filled. If opencc ran, the Chinese side is its
   output. */
static int kept_next(KeptPairs *kept, Err *err) {
    const int chinese = line_reader_next(&kept->lines[CHINESE], err);
    const int english = chinese < 0 ? -1 : line_reader_next(&kept->lines[ENGLISH], err);
    if (english < 0) return -1;
    if (chinese != english)
        return err_set(err, NULL, 0, "opencc wrote %s lines than it read", chinese ? "more" : "fewer");
    if (!english) return 0;
    char *line = kept->lines[ENGLISH].line, *tab = strchr(line, '\t');
    CHECK(tab, "import: the kept pairs have changed");
    *tab = '\0';
    kept->place = line;
    kept->text[ENGLISH] = tab + 1;
    kept->text[CHINESE] = kept->lines[CHINESE].line;
    return 1;
}

/* Appends the keys of all kept pairs to the stb_ds array *keys. */
static int read_keys(const Import *import, PairKeys **keys, Err *err) {
    KeptPairs kept;
    int status;
    if (kept_open(&kept, import, err)) return -1;
    while ((status = kept_next(&kept, err)) > 0) arrput(*keys, pair_keys(kept.text[CHINESE], kept.text[ENGLISH]));
    kept_close(&kept);
    return status;
}

static void drop_repeated(Import *import, const KeptPairs *kept) {
    import->report->dropped[DUPLICATE]++;
    if (import->dropped.stream)
        fprintf(import->dropped.stream, "%s\t%s\t%s\t%s\n", reason_texts[DUPLICATE].name, kept->place,
                kept->text[ENGLISH], kept->text[CHINESE]);
}

static int by_text(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

/* Sorts pairs ("English, tab, Chinese"), writes them and frees them. */
static void write_sorted(char **pairs, OutputFile output[2]) {
    if (pairs) qsort(pairs, arrlenu(pairs), sizeof *pairs, by_text);
    for (ptrdiff_t i = 0; i < arrlen(pairs); i++) {
        size_t tab = strcspn(pairs[i], "\t");
        fprintf(output[ENGLISH].stream, "%.*s\n", (int)tab, pairs[i]);
        fprintf(output[CHINESE].stream, "%s\n", pairs[i] + tab + 1);
    }
    strings_free(pairs);
}

static char *tab_joined(const char *english, const char *chinese) {
    char *pair = mem_alloc(strlen(english) + strlen(chinese) + 2);
    strcpy(stpcpy(stpcpy(pair, english), "\t"), chinese);
    return pair;
}

static int write_pairs(Import *import, const unsigned char *part, long n, OutputFile outputs[PARTS][2], Err *err) {
    KeptPairs kept;
    char **evaluation[PARTS] = {NULL};
    int status;
    if (kept_open(&kept, import, err)) return -1;
    for (long number = 1; (status = kept_next(&kept, err)) > 0; number++) {
        CHECK(number <= n, "import: the kept pairs have changed");
        unsigned char p = part[number - 1];
        if (p == REPEATED) drop_repeated(import, &kept);
        else import->report->parts[p]++;
        import->report->traditional += p != REPEATED && text_has_traditional(kept.text[CHINESE]);
        if (p == DEV || p == TEST) arrput(evaluation[p], tab_joined(kept.text[ENGLISH], kept.text[CHINESE]));
        for (int side = 0; p == TRAIN && side < 2; side++) fprintf(outputs[p][side].stream, "%s\n", kept.text[side]);
        if (number % PROGRESS_EVERY == 0) report_progress(import, "writing", number, n);
    }
    kept_close(&kept);
    for (int p = DEV; p < PARTS; p++) write_sorted(evaluation[p], outputs[p]);
    return status;
}

/* The path of output file i: DIR/train.zh, DIR/train.en, DIR/dev.zh, ... */
static void part_path(char path[PATH_SIZE], const ImportJob *job, int i) {
    static const char *const names[PARTS * 2] = {"train.zh", "train.en", "dev.zh", "dev.en", "test.zh", "test.en"};
    path_in(path, job->output, names[i]);
}

static int write_parts(Import *import, const unsigned char *part, long n, Err *err) {
    OutputFile outputs[PARTS][2] = {0}, *all = outputs[0];
    int status = 0;
    for (int i = 0; i < PARTS * 2 && !status; i++) {
        char path[PATH_SIZE];
        part_path(path, import->job, i);
        status = output_open(&all[i], path, err);
    }
    if (!status) status = write_pairs(import, part, n, outputs, err);
    for (int i = 0; i < PARTS * 2 && !status; i++) status = output_sync(&all[i], err);
    if (!status && import->dropped.stream) status = output_sync(&import->dropped, err);
    for (int i = 0; i < PARTS * 2 && !status; i++) status = output_commit(&all[i], err);
    for (int i = 0; i < PARTS * 2; i++) output_discard(&all[i]);
    return status;
}

/* Sets the error for a corpus without usable pairs: it names the most frequent reason. Commits the file of dropped
   pairs. */
static int nothing_kept(Import *import, Err *err) {
    static const char *const hints[REASONS] = {[BROKEN] = "; convert it to UTF-8, as with `iconv -f GB18030 -t UTF-8`",
                                               [NOT_CHINESE] = "; are the two sides swapped?",
                                               [NOT_ENGLISH] = "; are the two sides swapped?"};
    const long *dropped = import->report->dropped;
    int most = KEPT;
    long all = 0;
    for (int i = KEPT + 1; i < REASONS; i++) {
        all += dropped[i];
        if (dropped[i] > dropped[most]) most = i;
    }
    if (import->dropped.stream && output_commit(&import->dropped, err)) return -1;
    const char *path = import->job->inputs[0].path[0];
    if (all == 0) return err_set(err, path, 0, "no sentence pairs");
    return err_set(err, path, 0, "no sentence pairs that can be used: %ld of %ld are %s (%s)%s", dropped[most], all,
                   reason_texts[most].name, reason_texts[most].about, hints[most] ? hints[most] : "");
}

static int split(Import *import, Err *err) {
    const ImportJob *job = import->job;
    PairKeys *keys = NULL;
    int status = read_keys(import, &keys, err);
    const long n = arrlen(keys);
    if (!status && n == 0) status = nothing_kept(import, err);
    if (!status) {
        unsigned char *part = partition(keys, n, job->dev, job->test);
        status = memchr(part, TRAIN, (size_t)n)
                     ? write_parts(import, part, n, err)
                     : err_set(err, job->inputs[0].path[0], 0, "no pairs are left for training after dev and test");
        mem_free(part);
    }
    arrfree(keys);
    return status;
}

/* ---- the whole import ------------------------------------------------------------------------------------------ */

/* An output must not overwrite an input. */
static int check_output(const ImportJob *job, const char *path, Err *err) {
    for (int i = 0; i < job->input_count; i++)
        for (int k = 0; k < 2; k++) {
            const char *input = job->inputs[i].path[k];
            if (input && file_is_same(strcmp(input, "-") != 0 ? input : "/dev/stdin", path))
                return err_set(err, path, 0, "is read, and would be overwritten");
        }
    return 0;
}

static int check_outputs(const ImportJob *job, Err *err) {
    if (strlen(job->output) + sizeof "/train.zh" > PATH_SIZE)
        return err_set(err, job->output, 0, "the path is too long");
    for (int i = 0; i < PARTS * 2; i++) {
        char path[PATH_SIZE];
        part_path(path, job, i);
        if (check_output(job, path, err)) return -1;
        if (job->dropped && (!strcmp(job->dropped, path) || file_is_same(job->dropped, path)))
            return err_set(err, path, 0, "is already an output: give --dropped another file");
    }
    return job->dropped ? check_output(job, job->dropped, err) : 0;
}

static int open_outputs(Import *import, Err *err) {
    const ImportJob *job = import->job;
    char chinese[PATH_SIZE], english[PATH_SIZE];
    path_in(chinese, job->output, "kept.zh");
    path_in(english, job->output, "kept.en");
    if (check_outputs(job, err) || directory_make(job->output, err) ||
        (import->lock = directory_lock(job->output, &import->report->warning, err)) < 0 ||
        output_open(&import->chinese, chinese, err) || output_open(&import->english, english, err))
        return -1;
    return job->dropped ? output_open(&import->dropped, job->dropped, err) : 0;
}

static int run(Import *import, Err *err) {
    const ImportJob *job = import->job;
    if (open_outputs(import, err)) return -1;
    for (int i = 0; i < job->input_count; i++)
        if (read_input(import, &job->inputs[i], err)) return -1;
    if (output_sync(&import->chinese, err) || output_sync(&import->english, err) ||
        (job->simplify && simplify(import, err)) || split(import, err))
        return -1;
    return job->dropped ? output_commit(&import->dropped, err) : 0;
}

int import(const ImportJob *job, ImportReport *report, ImportProgress *progress, void *context, Err *err) {
    Import import = {.job = job, .report = report, .progress = progress, .context = context, .lock = -1};
    *report = (ImportReport){0};
    int status = run(&import, err);
    output_discard(&import.chinese);
    output_discard(&import.english);
    output_discard(&import.simplified);
    output_discard(&import.dropped);
    if (import.lock >= 0) close(import.lock);
    return status;
}
