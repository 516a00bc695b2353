/* fuzz.h: functions that the fuzz targets tests/fuzz/fuzz_*.c share. A target passes bytes to a parser of untrusted
   input and checks the contract of the parser. `make fuzz` links a target with libFuzzer; `make test` links it with
   replay.c. */
#ifndef TIDE_TESTS_FUZZ_H
#define TIDE_TESTS_FUZZ_H

#include "corpora.h"
#include "io/ds.h"
#include "readers.h"
#include "text/unicode.h"
#include "train/train_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns a copy of the bytes with a NUL at the end; release with mem_free. */
static inline char *bytes_text(const uint8_t *data, size_t size) { return mem_strndup((const char *)data, size); }

/* Returns the string after the first NUL of a text that bytes_text made from `size` bytes; "" if there is no NUL. */
static inline const char *second_text(const char *text, size_t size) {
    size_t first = strlen(text);
    return first < size ? text + first + 1 : text + first;
}

/* Checks that `formatted`, written from the parsed text, equals the text; a newline is added to a text that is not
   empty and does not end with one. Releases `formatted`. */
static inline void text_form_check(char *formatted, const char *text) {
    size_t n = strlen(text);
    CHECK(!strncmp(formatted, text, n) && !strcmp(formatted + n, n && text[n - 1] != '\n' ? "\n" : ""),
          "'%s' came back as '%s'", text, formatted);
    mem_free(formatted);
}

/* A file in memory; close with memory_file_close. */
typedef struct FuzzFile {
    int fd;
    char path[32];
} FuzzFile;

static inline FuzzFile memory_file(const void *bytes, size_t size) {
    FuzzFile file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    CHECK(file.fd >= 0 && write(file.fd, bytes, size) == (ssize_t)size, "cannot make a file in memory");
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void memory_file_close(FuzzFile *file) { close(file->fd); }

/* Makes two files: the bytes before and after the first byte 0xFF, which never occurs in UTF-8. */
static inline void memory_files(FuzzFile files[2], const uint8_t *data, size_t size) {
    const uint8_t *end = data + size, *cut = size ? memchr(data, 0xFF, size) : NULL;
    files[0] = memory_file(data, (size_t)((cut ? cut : end) - data));
    files[1] = memory_file(cut ? cut + 1 : end, cut ? (size_t)(end - cut - 1) : 0);
}

/* Checks that accepted options survive a round trip: options_format writes them as a model stores them. A training
   reads all of them back, translation reads the options of the model. */
static inline void options_hold(const TrainOptions *options) {
    Err err;
    TrainOptions again = {0};
    ModelOptions model = {0};
    char *text = options_format(train_option_tables, options), left[OPTION_FORMAT_SIZE], right[OPTION_FORMAT_SIZE];
    options_default(train_option_tables, &again);
    options_default(model_option_tables, &model);
    CHECK(utf8_valid(text, strlen(text)), "not fit for JSON: %s", text);
    CHECK(!options_read(train_option_tables, &again, text, NULL, UNKNOWN_ERROR, &err), "line %ld: %s in %s", err.line,
          err.reason, text);
    CHECK(!options_read(model_option_tables, &model, text, NULL, UNKNOWN_SKIP, &err), "line %ld: %s in %s", err.line,
          err.reason, text);
    const Option *option = options_differ(train_option_tables, NULL, options, &again, left, right);
    CHECK(!option, "%s was %s and became %s", option->name, left, right);
    option = options_differ(model_option_tables, NULL, &options->model, &model, left, right);
    CHECK(!option, "%s of the model was %s and became %s", option->name, left, right);
    mem_free(text);
}

/* Reads the lines of two files, which are the bytes before and after the first byte 0xFF. lines[i] is NULL if file i is
   refused; release with strings_free. */
static inline void memory_lines(char **lines[2], const uint8_t *data, size_t size) {
    FuzzFile files[2];
    memory_files(files, data, size);
    for (int i = 0; i < 2; i++) {
        Err err = {0};
        lines[i] = lines_read_raw(files[i].path, true, &err);
        CHECK(lines[i] || err.reason[0], "refused without a reason");
        memory_file_close(&files[i]);
    }
}

/* Reads a corpus and checks that there are pairs, with normalised sentences that are not empty, or an error with a
   reason. Closes the reader; NULL: it could not be opened, and *err is filled already. */
static inline void corpus_check(Reader *reader, const char *path, Err *err) {
    Corpus corpus;
    const int status = corpus_read(&corpus, reader, path, err), n = corpus_size(&corpus);
    CHECK(arrlen(corpus.target) == n, "%d sources, %td targets", n, arrlen(corpus.target));
    CHECK(status ? err->reason[0] : n > 0, "status %d with %d pairs", status, n);
    for (int i = 0; i < 2 * n; i++) {
        const char *text = i < n ? corpus.source[i] : corpus.target[i - n];
        char *normal = text_normalise(text, strlen(text), NULL);
        CHECK(*text && normal && !strcmp(normal, text), "'%s' is not normalised", text);
        mem_free(normal);
    }
    corpus_free(&corpus);
}

/* corpus_check for the bytes of a corpus in one file. english: the side of the English. */
static inline void form_check(CorpusForm form, int english, const uint8_t *data, size_t size) {
    FuzzFile file = memory_file(data, size);
    Err err = {0};
    corpus_check(open_corpus(form, file.path, english, &err), file.path, &err);
    memory_file_close(&file);
}

/* form_check for a table: with English as the source, with English as the target, and with columns that are given. */
static inline void table_check(CorpusForm form, const uint8_t *data, size_t size) {
    static const char *const german[] = {"de", "fr"};
    form_check(form, SOURCE, data, size);
    form_check(form, TARGET, data, size);
    FuzzFile file = memory_file(data, size);
    const CorpusFiles files = {form, {file.path, NULL}, {2, 1}};
    Err err = {0};
    corpus_check(reader_open(&files, german, &err), file.path, &err);
    memory_file_close(&file);
}

#endif
