/* Files: the checksum finds every change, and tensors come back wherever they stand in the file. */
#include "core/base.h"
#include "text/files.h"
#include "train/checksum.h"
#include "train/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the checksum --------------------------------------------------------------------------------------------- */

enum { BYTES = 5 * CHECKSUM_BLOCK + 20 };

static uint64_t sum_of(const void *bytes, size_t n) {
    Checksum sum = checksum_begin();
    checksum_add(&sum, bytes, n);
    return checksum_end(&sum);
}

static void fill(unsigned char *bytes) {
    for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 37 + i / 7);
}

static void parts_sum_up_as_the_whole(void **state) {
    (void)state;
    unsigned char bytes[BYTES];
    fill(bytes);
    const uint64_t right = sum_of(bytes, BYTES);
    for (int step = 1; step <= BYTES; step++) {
        Checksum sum = checksum_begin();
        for (int at = 0; at < BYTES; at += step)
            checksum_add(&sum, bytes + at, (size_t)(at + step < BYTES ? step : BYTES - at));
        if (checksum_end(&sum) != right) fail_msg("in parts of %d bytes", step);
    }
}

static void every_bit_counts(void **state) {
    (void)state;
    unsigned char bytes[BYTES];
    fill(bytes);
    const uint64_t right = sum_of(bytes, BYTES);
    for (int bit = 0; bit < 8 * BYTES; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (sum_of(bytes, BYTES) == right) fail_msg("bit %d", bit);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(sum_of(bytes, BYTES) == right);
}

static void places_and_length_count(void **state) {
    (void)state;
    unsigned char bytes[BYTES] = {0};
    for (size_t n = 0; n < BYTES; n++) assert_true(sum_of(bytes, n) != sum_of(bytes, n + 1));
    uint64_t seen[BYTES / 8];
    for (int word = 0; word < BYTES / 8; word++) {
        unsigned char one[BYTES] = {0};
        one[8L * word] = 1;
        seen[word] = sum_of(one, BYTES);
        for (int before = 0; before < word; before++) assert_true(seen[word] != seen[before]);
    }
}

/* ---- safetensors ---------------------------------------------------------------------------------------------- */

static const float odd[5] = {1, -2, 3.5f, 0, 1e-30f}, matrix[6] = {6, 5, 4, 3, 2, 1};

static void write_file(char path[64]) {
    Err err;
    const Tensor tensors[] = {{"odd", 0, 5, odd}, {"matrix", 2, 3, matrix}};
    snprintf(path, 64, "/tmp/tide-files-XXXXXX");
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(safetensors_write(path, tensors, 2, &(Meta){"about", "a test"}, 1, &err), 0);
}

/* What is written can be read, and what could not be is not written. */
static void a_header_has_a_limit(void **state) {
    (void)state;
    enum { LIMIT = 100000000 };
    Err err;
    char path[64], *text = mem_alloc(LIMIT + 1);
    write_file(path);
    memset(text, 'a', LIMIT);
    text[LIMIT] = '\0';
    assert_int_equal(safetensors_write(path, NULL, 0, &(Meta){"about", text}, 1, &err), -1);
    assert_non_null(strstr(err.reason, "would be larger than 100000000 bytes"));
    Safetensors *file = safetensors_open(path, &err);
    assert_string_equal(safetensors_meta(file, "about"), "a test");
    safetensors_close(file);
    text[LIMIT - 200] = '\0';
    assert_int_equal(safetensors_write(path, NULL, 0, &(Meta){"about", text}, 1, &err), 0);
    file = safetensors_open(path, &err);
    assert_string_equal(safetensors_meta(file, "about"), text);
    safetensors_close(file);
    unlink(path);
    mem_free(text);
}

static size_t read_bytes(const char *path, char *bytes, size_t most) {
    FILE *in = fopen(path, "rb");
    size_t n = fread(bytes, 1, most, in);
    fclose(in);
    assert_true(n < most);
    return n;
}

static void write_bytes(const char *path, const char *bytes, size_t n) {
    FILE *out = fopen(path, "wb");
    assert_true(fwrite(bytes, 1, n, out) == n);
    assert_int_equal(fclose(out), 0);
}

static void check_file(const char *path, uintptr_t alignment) {
    Err err;
    const float *data;
    Safetensors *file = safetensors_open(path, &err);
    if (!file) fail_msg("%s", err.reason);
    assert_string_equal(safetensors_meta(file, "about"), "a test");
    assert_null(safetensors_meta(file, "nothing"));
    assert_int_equal(safetensors_find(file, "odd", 0, 5, &data, &err), 0);
    assert_memory_equal(data, odd, sizeof odd);
    assert_int_equal(safetensors_all_found(file, &err), -1);
    assert_string_equal(err.reason, "tensor matrix belongs to nothing here");
    assert_int_equal((uintptr_t)data % 64, alignment);
    assert_int_equal(safetensors_find(file, "matrix", 2, 3, &data, &err), 0);
    assert_memory_equal(data, matrix, sizeof matrix);
    assert_int_equal(safetensors_all_found(file, &err), 0);
    assert_int_equal(safetensors_find(file, "matrix", 3, 2, &data, &err), -1);
    assert_int_equal(safetensors_find(file, "other", 3, 2, &data, &err), -1);
    safetensors_close(file);
}

/* Writes the bytes with `spaces` more at the end of the header, and their checksum. */
static void write_shifted(const char *path, const char *bytes, size_t n, size_t spaces) {
    char shifted[4096];
    uint64_t header;
    memcpy(&header, bytes, 8);
    memset(shifted, ' ', sizeof shifted);
    memcpy(shifted + 8, bytes + 8, header);
    memcpy(shifted + 8 + header + spaces, bytes + 8 + header, n - 8 - header);
    header += spaces;
    memcpy(shifted, &header, 8);
    char *digits = strstr(shifted + 8, "\"checksum\":\"") + 12, hex[17];
    memset(digits, '0', 16);
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)sum_of(shifted, n + spaces));
    memcpy(digits, hex, 16);
    write_bytes(path, shifted, n + spaces);
}

/* Our own files hold their data at a multiple of 64 bytes; other writers pad less. */
static void tensors_may_stand_anywhere(void **state) {
    (void)state;
    char path[64], bytes[2048];
    Err err;
    write_file(path);
    check_file(path, 0);
    size_t n = read_bytes(path, bytes, sizeof bytes);
    for (size_t spaces = 0; spaces <= 64; spaces += 4) {
        write_shifted(path, bytes, n, spaces);
        check_file(path, spaces % 64);
    }
    write_shifted(path, bytes, n, 2);
    assert_null(safetensors_open(path, &err));
    assert_non_null(strstr(err.reason, "not padded"));
    unlink(path);
}

/* Whatever byte is changed, and wherever the file is cut. */
static void a_damaged_file_is_refused(void **state) {
    (void)state;
    char path[64], bytes[2048];
    Err err;
    write_file(path);
    size_t n = read_bytes(path, bytes, sizeof bytes);
    for (size_t at = 0; at < n; at++) {
        bytes[at] ^= 4;
        write_bytes(path, bytes, n);
        if (safetensors_open(path, &err)) fail_msg("byte %zu is wrong", at);
        assert_string_equal(err.path, path);
        bytes[at] ^= 4;
        write_bytes(path, bytes, at);
        if (safetensors_open(path, &err)) fail_msg("cut to %zu bytes", at);
    }
    write_bytes(path, bytes, n);
    check_file(path, 0);
    unlink(path);
}

/* ---- text in memory ------------------------------------------------------------------------------------------- */

static void memory_holds_what_was_written(void **state) {
    (void)state;
    for (size_t n = 0; n < 100000; n = 3 * n + 1) {
        char *text, *right = mem_alloc(n + 1);
        size_t size;
        FILE *out = memory_open(&text, &size);
        for (size_t i = 0; i < n; i++) right[i] = (char)(i % 251);
        for (size_t i = 0; i < n; i += 7) fwrite(right + i, 1, n - i < 7 ? n - i : 7, out);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(size, n);
        assert_memory_equal(text, right, n);
        assert_int_equal(text[n], 0);
        mem_free(text);
        mem_free(right);
    }
}

enum { REFUSED = 7 };
static void note_refusal(size_t bytes) {
    (void)bytes;
    _exit(REFUSED);
}

static void no_memory_is_never_less_text(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        char *text, word[1000] = "word";
        size_t size;
        FILE *out = memory_open(&text, &size);
        mem_on_failure(note_refusal);
        mem_fail_nth(2);
        for (int i = 0; i < 1000; i++) fwrite(word, 1, sizeof word, out);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), REFUSED);
}

static void what_cannot_be_opened_says_why(void **state) {
    (void)state;
    Err err;
    assert_null(file_open("no/such/file", "rb", &err));
    assert_string_equal(err.reason, "No such file or directory");
    assert_null(file_open("no/such/file", "w", &err));
    assert_string_equal(err.reason, "cannot be written: No such file or directory");
    assert_string_equal(err.path, "no/such/file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_sum_up_as_the_whole),      cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(places_and_length_count),        cmocka_unit_test(tensors_may_stand_anywhere),
        cmocka_unit_test(a_damaged_file_is_refused),      cmocka_unit_test(a_header_has_a_limit),
        cmocka_unit_test(memory_holds_what_was_written),  cmocka_unit_test(no_memory_is_never_less_text),
        cmocka_unit_test(what_cannot_be_opened_says_why),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
