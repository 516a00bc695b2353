/* fuzz.h: what the fuzz targets, tests/fuzz_*.c, share. A target feeds bytes to a reader of untrusted text and checks
   what the reader promises. `make fuzz` links it with libFuzzer, the tests with replay.c. */
#ifndef TIDE_TESTS_FUZZ_H
#define TIDE_TESTS_FUZZ_H

#include "text/corpus.h"
#include "text/ds.h"
#include "text/unicode.h"
#include "train/train_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a string; release with mem_free. */
static inline char *bytes_text(const uint8_t *data, size_t size) { return mem_strndup((const char *)data, size); }

/* What stands behind the first NUL of a text made from `size` bytes; "" if there is none. */
static inline const char *second_text(const char *text, size_t size) {
    size_t first = strlen(text);
    return first < size ? text + first + 1 : text + first;
}

/* The text form that a reader writes of what it read: the text itself, ending in a newline unless it is empty. */
static inline void text_form_check(char *formatted, const char *text) {
    size_t n = strlen(text);
    CHECK(!strncmp(formatted, text, n) && !strcmp(formatted + n, n && text[n - 1] != '\n' ? "\n" : ""),
          "'%s' came back as '%s'", text, formatted);
    mem_free(formatted);
}

/* A file that never was on a disk; close with memory_file_close. */
typedef struct MemoryFile {
    int fd;
    char path[32];
} MemoryFile;

static inline MemoryFile memory_file(const void *bytes, size_t size) {
    MemoryFile file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    CHECK(file.fd >= 0 && write(file.fd, bytes, size) == (ssize_t)size, "no file in memory");
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void memory_file_close(MemoryFile *file) { close(file->fd); }

/* Two files, cut apart at the first byte 0xFF, which no text has. */
static inline void memory_files(MemoryFile files[2], const uint8_t *data, size_t size) {
    const uint8_t *end = data + size, *cut = size ? memchr(data, 0xFF, size) : NULL;
    files[0] = memory_file(data, (size_t)((cut ? cut : end) - data));
    files[1] = memory_file(cut ? cut + 1 : end, cut ? (size_t)(end - cut - 1) : 0);
}

/* Options that were accepted are the same when the configuration that a model carries is read back: all of them for a
   training, those of the model for its use. */
static inline void options_hold(const TrainOptions *options) {
    Err err;
    TrainOptions again = {0};
    ModelOptions model = {0};
    char *text = options_format(train_option_tables, options), left[OPTION_FORMAT_SIZE], right[OPTION_FORMAT_SIZE];
    options_default(train_option_tables, &again);
    options_default(model_option_tables, &model);
    CHECK(utf8_valid(text, strlen(text)), "not fit for JSON: %s", text);
    CHECK(!options_read(train_option_tables, &again, text, NULL, &err), "line %ld: %s in %s", err.line, err.reason,
          text);
    CHECK(!options_read_known(model_option_tables, &model, text, NULL, &err), "line %ld: %s in %s", err.line,
          err.reason, text);
    const Option *option = options_differ(train_option_tables, NULL, options, &again, left, right);
    CHECK(!option, "%s was %s and became %s", option->name, left, right);
    option = options_differ(model_option_tables, NULL, &options->model, &model, left, right);
    CHECK(!option, "%s of the model was %s and became %s", option->name, left, right);
    mem_free(text);
}

/* What the readers of corpora promise; releases the corpus, which was empty before. */
static inline void corpus_check(Corpus *corpus, int status, const Err *err) {
    const int n = corpus_size(corpus);
    CHECK(arrlen(corpus->target) == n, "%d sources, %td targets", n, arrlen(corpus->target));
    CHECK(status ? n == 0 && corpus->read == 0 && err->reason[0] : n > 0, "status %d with %d pairs", status, n);
    for (int i = 0; i < 2 * n; i++) {
        const char *text = i < n ? corpus->source[i] : corpus->target[i - n];
        char *normal = text_normalise(text, strlen(text), NULL);
        CHECK(*text && normal && !strcmp(normal, text), "'%s' is not normalised", text);
        mem_free(normal);
    }
    corpus_free(corpus);
}

#endif
