/* Tests model files: the checksum detects every change; tensors are read from any position in the file; values that
   were read do not change when the file does. Also tests text in memory and locks. */
#include "core/base.h"
#include "io/files.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "io/visible.h"
#include "refusal.h"
#include "scratch.h"

#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <cmocka.h>

/* ---- safetensors ---------------------------------------------------------------------------------------------- */

static const float odd[5] = {1, -2, 3.5f, 0, 1e-30f}, matrix[6] = {6, 5, 4, 3, 2, 1};

static void write_file(char path[SCRATCH_SIZE]) {
    Err err;
    const Tensor tensors[] = {{"odd", 0, 5, odd, TENSOR_F32}, {"matrix", 2, 3, matrix, TENSOR_F32}};
    scratch_file(path);
    assert_int_equal(safetensors_write(path, tensors, 2, &(Meta){"about", "a test"}, 1, &err), 0);
}

/* A header within the limit is written and read back; a longer header is not written. */
static void a_header_has_a_limit(void **state) {
    (void)state;
    enum { LIMIT = 100000000 };
    Err err;
    char path[SCRATCH_SIZE], *text = mem_alloc(LIMIT + 1);
    write_file(path);
    memset(text, 'a', LIMIT);
    text[LIMIT] = '\0';
    assert_int_equal(safetensors_write(path, NULL, 0, &(Meta){"about", text}, 1, &err), -1);
    assert_non_null(strstr(err.reason, "would be larger than 100000000 bytes"));
    Safetensors *file = safetensors_open(path, &err);
    assert_string_equal(safetensors_meta(file, "about"), "a test");
    safetensors_close(file, 0, &err);
    text[LIMIT - 200] = '\0';
    assert_int_equal(safetensors_write(path, NULL, 0, &(Meta){"about", text}, 1, &err), 0);
    file = safetensors_open(path, &err);
    assert_string_equal(safetensors_meta(file, "about"), text);
    safetensors_close(file, 0, &err);
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

/* Collects a tensor: a block with its values, the number of values, and the number of calls. */
typedef struct Collected {
    const Tensor *tensor; /* name and shape: a call gets whole rows of a matrix */
    float *values;
    size_t count;
    int calls;
} Collected;

static void collect(void *context, const TensorPart *part) {
    Collected *c = context;
    const size_t first = part->first, n = part->n;
    const float *values = tensor_part_values(part);
    assert_int_equal((uintptr_t)values % 64, 0);
    assert_true(first == c->count && n > 0);
    const size_t cols = c->tensor->rows > 1 ? (size_t)c->tensor->cols : 1;
    assert_true(first % cols == 0 && n % cols == 0);
    c->calls++;
    c->count += n;
    c->values = mem_realloc(c->values, c->count * sizeof *values);
    memcpy(c->values + first, values, n * sizeof *values);
}

static void collected_free(Collected *c, int n) {
    for (int i = 0; i < n; i++) mem_free(c[i].values);
}

/* Opens a file and reads all of it: collects n tensors. Returns 0, or -1 with *err filled. */
static int read_all(const char *path, const Tensor *tensors, int n, Collected *into, Err *err) {
    Safetensors *file = safetensors_open(path, err);
    if (!file) return -1;
    for (int i = 0; i < n; i++) {
        into[i] = (Collected){.tensor = &tensors[i]};
        assert_int_equal(
            safetensors_find(file, tensors[i].name, tensors[i].rows, tensors[i].cols, collect, &into[i], err), 0);
    }
    return safetensors_close(file, safetensors_read(file, true, err), err);
}

/* Checks that the file cannot be read. */
static void check_refused(const char *path, Err *err) { assert_int_equal(read_all(path, NULL, 0, NULL, err), -1); }

static void check_file(const char *path) {
    Err err;
    Collected c[2];
    const Tensor tensors[] = {{"odd", 0, 5, odd, TENSOR_F32}, {"matrix", 2, 3, matrix, TENSOR_F32}};
    Safetensors *file = safetensors_open(path, &err);
    if (!file) fail_msg("%s", err.reason);
    assert_string_equal(safetensors_meta(file, "about"), "a test");
    assert_null(safetensors_meta(file, "nothing"));
    assert_int_equal(safetensors_find(file, "odd", 0, 5, NULL, NULL, &err), 0);
    assert_int_equal(safetensors_all_found(file, &err), -1);
    assert_string_equal(err.reason, "tensor matrix is not part of the model");
    assert_int_equal(safetensors_find(file, "matrix", 2, 3, NULL, NULL, &err), 0);
    assert_int_equal(safetensors_all_found(file, &err), 0);
    assert_int_equal(safetensors_find(file, "matrix", 3, 2, NULL, NULL, &err), -1);
    assert_string_equal(err.reason, "tensor matrix has shape [2, 3], but [3, 2] is needed");
    assert_int_equal(safetensors_find(file, "other", 3, 2, NULL, NULL, &err), -1);
    assert_string_equal(err.reason, "tensor other is missing");
    assert_int_equal(safetensors_close(file, 0, &err), 0);
    assert_int_equal(read_all(path, tensors, 2, c, &err), 0);
    assert_true(c[0].count == 5 && c[1].count == 6);
    assert_memory_equal(c[0].values, odd, sizeof odd);
    assert_memory_equal(c[1].values, matrix, sizeof matrix);
    collected_free(c, 2);
}

/* Writes the bytes with `spaces` additional spaces at the end of the header. */
static void write_shifted(const char *path, const char *bytes, size_t n, size_t spaces) {
    char shifted[4096];
    uint64_t header;
    memcpy(&header, bytes, 8);
    memset(shifted, ' ', sizeof shifted);
    memcpy(shifted + 8, bytes + 8, header);
    memcpy(shifted + 8 + header + spaces, bytes + 8 + header, n - 8 - header);
    header += spaces;
    memcpy(shifted, &header, 8);
    write_bytes(path, shifted, n + spaces);
}

/* tide's files align the data to 64 bytes; other programs may align less. */
static void tensors_may_begin_at_any_offset(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], bytes[2048];
    Err err;
    write_file(path);
    check_file(path);
    size_t n = read_bytes(path, bytes, sizeof bytes);
    for (size_t spaces = 0; spaces <= 64; spaces += 4) {
        write_shifted(path, bytes, n, spaces);
        check_file(path);
    }
    write_shifted(path, bytes, n, 2);
    assert_null(safetensors_open(path, &err));
    assert_non_null(strstr(err.reason, "not padded"));
    unlink(path);
}

static uint64_t hash(const void *bytes, size_t n, uint64_t seed) { return XXH3_64bits_withSeed(bytes, n, seed); }

/* Computes the checksum from the description in safetensors.c, as another program may do. */
static void the_checksum_is_as_described(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], bytes[2048] = "", right[64];
    write_file(path);
    read_bytes(path, bytes, sizeof bytes);
    const int32_t vector[2] = {0, 5}, rows[2] = {2, 3};
    const uint64_t sum = hash("tide 3", 6, hash("format", 6, 0)) + hash("a test", 6, hash("about", 5, 0)) +
                         hash(odd, sizeof odd, hash(vector, 8, hash("odd", 3, 0))) +
                         hash(matrix, sizeof matrix, hash(rows, 8, hash("matrix", 6, 0)));
    snprintf(right, sizeof right, "\"checksum\":\"%016llx\"", (unsigned long long)sum);
    if (!strstr(bytes + 8, right)) fail_msg("%s is not in %s", right, bytes + 8);
    unlink(path);
}

/* Whether the byte belongs to the key "checksum". If it is changed, the file has no checksum. */
static bool in_key(const char *bytes, size_t at) {
    const char *key = strstr(bytes + 8, "checksum");
    return bytes + at >= key && bytes + at < key + strlen("checksum");
}

/* A change of any byte and a cut at any place are detected. */
static void a_damaged_file_is_refused(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], bytes[2048];
    Err err;
    write_file(path);
    size_t n = read_bytes(path, bytes, sizeof bytes);
    for (size_t at = 0; at < n; at++) {
        const bool key = in_key(bytes, at);
        bytes[at] ^= 4;
        write_bytes(path, bytes, n);
        bytes[at] ^= 4;
        if (key) {
            Safetensors *file = safetensors_open(path, &err);
            assert_null(safetensors_meta(file, "checksum"));
            safetensors_close(file, 0, &err);
        } else {
            check_refused(path, &err);
            assert_string_equal(err.path, path);
        }
        write_bytes(path, bytes, at);
        check_refused(path, &err);
    }
    write_bytes(path, bytes, n);
    check_file(path);
    unlink(path);
}

/* ---- a file that changes while it is read, or afterwards ---- */

/* How pread works in this program. */
static struct {
    size_t most;   /* limit of bytes per call; 0: no limit */
    int interrupt; /* every interrupt-th call fails with EINTR; 0: none */
    int fail_at;   /* number of the call that fails with EIO, from 1; 0: none */
    int end_at;    /* number of the first call that returns no bytes; 0: none */
    int calls;
} reads;

ssize_t pread(int fd, void *bytes, size_t n, off_t at) {
    const int call = ++reads.calls;
    if (call == reads.fail_at) return errno = EIO, -1;
    if (reads.interrupt && call % reads.interrupt == 0) return errno = EINTR, -1;
    if (reads.end_at && call >= reads.end_at) return 0;
    return syscall(SYS_pread64, fd, bytes, reads.most && reads.most < n ? reads.most : n, at);
}

static void bytes_may_come_in_any_parts(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    write_file(path);
    for (size_t most = 1; most < 70; most++) {
        reads.most = most;
        reads.interrupt = most % 3 ? (int)(2 + most % 5) : 0;
        reads.calls = 0;
        check_file(path);
        assert_true(reads.calls >= 3);
    }
    memset(&reads, 0, sizeof reads);
    unlink(path);
}

static void a_file_that_cannot_be_read_says_why(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    Err err;
    write_file(path);
    reads.calls = 0;
    assert_int_equal(read_all(path, NULL, 0, NULL, &err), 0);
    const int calls = reads.calls;
    assert_true(calls > 0);
    for (int call = 1; call <= calls; call++) {
        memset(&reads, 0, sizeof reads);
        reads.fail_at = call;
        check_refused(path, &err);
        assert_string_equal(err.path, path);
        assert_string_equal(err.reason, "cannot be read: Input/output error");
        memset(&reads, 0, sizeof reads);
        reads.end_at = call;
        check_refused(path, &err);
        assert_string_equal(err.reason, "became shorter while it was read");
    }
    memset(&reads, 0, sizeof reads);
    unlink(path);
    assert_null(safetensors_open(path, &err));
    assert_string_equal(err.reason, "No such file or directory");
    assert_null(safetensors_open(scratch_folder(), &err));
    assert_string_equal(err.reason, "not a regular file");
    write_bytes(path, "", 0);
    assert_null(safetensors_open(path, &err));
    assert_string_equal(err.reason, "the file is empty");
    unlink(path);
}

/* A matrix of int8 is read as floats: its integers times the scales of its columns or rows. */
static void integers_are_scaled(void **state) {
    (void)state;
    static const int8_t q[6] = {1, -2, 127, -127, 0, 5};
    static const float columns[3] = {0.5f, 2, 0.25f}, rows[2] = {4, 0.125f};
    static const float by_column[6] = {0.5f, -4, 31.75f, -63.5f, 0, 1.25f},
                       by_row[6] = {4, -8, 508, -15.875f, 0, 0.625f};
    char path[SCRATCH_SIZE];
    Err err;
    Collected c[4] = {{0}};
    const Tensor tensors[] = {{"a.scale", 1, 3, columns, TENSOR_F32},
                              {"b.scale", 2, 1, rows, TENSOR_F32},
                              {"a", 2, 3, q, TENSOR_I8},
                              {"b", 2, 3, q, TENSOR_I8}};
    write_file(path);
    assert_int_equal(safetensors_write(path, tensors, 4, &(Meta){"about", "a test"}, 1, &err), 0);
    assert_int_equal(read_all(path, tensors, 4, c, &err), 0);
    assert_true(c[2].count == 6 && c[3].count == 6);
    assert_memory_equal(c[2].values, by_column, sizeof by_column);
    assert_memory_equal(c[3].values, by_row, sizeof by_row);
    collected_free(c, 4);
    assert_int_equal(safetensors_write(path, tensors + 1, 2, &(Meta){"about", "a test"}, 1, &err), 0);
    assert_null(safetensors_open(path, &err));
    assert_string_equal(err.reason, "tensor 'a' of int8 has no scale for its rows or columns");
    unlink(path);
}

/* A reader gets matrices in whole rows and vectors in any parts. If the reader fails, its reason is kept, unless the
   file is damaged: then the error is the damage. */
static void data_are_read_in_parts(void **state) {
    (void)state;
    enum { MANY = 300000, WIDE = 70001, ROWS = 5 }; /* MANY: several parts; WIDE: a row longer than a part */
    char path[SCRATCH_SIZE];
    Err err;
    float *many = mem_alloc(MANY * sizeof *many), *wide = mem_alloc((size_t)WIDE * ROWS * sizeof *wide);
    for (int i = 0; i < MANY; i++) many[i] = (float)i;
    for (int i = 0; i < WIDE * ROWS; i++) wide[i] = (float)-i;
    const Tensor tensors[] = {
        {"many", 0, MANY, many, TENSOR_F32}, {"wide", ROWS, WIDE, wide, TENSOR_F32}, {"last", 1, 5, odd, TENSOR_F32}};
    write_file(path);
    assert_int_equal(safetensors_write(path, tensors, 3, &(Meta){"about", "a test"}, 1, &err), 0);
    Collected c[3];
    assert_int_equal(read_all(path, tensors, 3, c, &err), 0);
    assert_true(c[0].calls > 1);
    for (int i = 0; i < 3; i++) {
        const size_t n = (size_t)(tensors[i].rows ? tensors[i].rows : 1) * (size_t)tensors[i].cols;
        assert_true(c[i].count == n);
        assert_memory_equal(c[i].values, tensors[i].data, n * sizeof *c[i].values);
    }
    collected_free(c, 3);
    Safetensors *file = safetensors_open(path, &err);
    err_set(&err, path, 0, "a reason");
    assert_int_equal(safetensors_close(file, -1, &err), -1);
    assert_string_equal(err.reason, "a reason");
    FILE *out = fopen(path, "r+b");
    assert_int_equal(fseek(out, -3, SEEK_END), 0);
    assert_int_equal(fputc(1, out), 1);
    assert_int_equal(fclose(out), 0);
    file = safetensors_open(path, &err);
    err_set(&err, path, 0, "a reason");
    assert_int_equal(safetensors_close(file, -1, &err), -1);
    assert_string_equal(err.reason, "the checksum does not match: the file is damaged or was altered");
    unlink(path);
    mem_free(many);
    mem_free(wide);
}

/* ---- entries of a header ---- */

enum { DATA = 24 };
#define F32(name, shape, offsets)                                                                                      \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":[" shape "],\"data_offsets\":[" offsets "]}"

/* Writes a file with these entries and DATA bytes of data, without a checksum or with a wrong one. */
static void write_entries(const char *path, const char *entries, bool wrong) {
    const size_t room = strlen(entries) + 128;
    char *bytes = mem_alloc(room);
    memset(bytes, ' ', room);
    int n = snprintf(bytes + 8, room - 8, "{\"__metadata__\":{\"%s\":\"0000000000000000\"}%s%s",
                     wrong ? "checksum" : "about", *entries ? "," : "", entries);
    bytes[8 + n] = '}';
    const uint64_t header = (uint64_t)(n + 4) / 4 * 4;
    memcpy(bytes, &header, 8);
    memset(bytes + 8 + header, 7, DATA);
    write_bytes(path, bytes, 8 + header + DATA);
    mem_free(bytes);
}

static void tensors_tile_the_data(void **state) {
    (void)state;
    static const struct {
        const char *entries, *reason; /* reason NULL: the file is valid */
    } cases[] = {
        {F32("a", "6", "0,24"), NULL},
        {F32("b", "2", "16,24") "," F32("a", "2,2", "0,16"), NULL},
        {F32("b", "2", "16,24") "," F32("n", "0", "16,16") "," F32("m", "3,0", "24,24") "," F32("a", "4", "0,16"),
         NULL},
        {"", "byte 0 of the data belongs to no tensor"},
        {F32("n", "0", "0,0"), "byte 0 of the data belongs to no tensor"},
        {F32("a", "5", "4,24"), "byte 0 of the data belongs to no tensor"},
        {F32("a", "5", "0,20"), "byte 20 of the data belongs to no tensor"},
        {F32("b", "2", "16,24") "," F32("a", "3", "0,12"), "byte 12 of the data belongs to no tensor"},
        {F32("a", "6", "0,24") "," F32("b", "6", "0,24"), "overlaps another one"},
        {F32("a", "6", "0,24") "," F32("b", "1", "20,24"), "tensor 'b' overlaps another one"},
        {F32("a", "5", "0,20") "," F32("b", "2", "16,24"), "tensor 'b' overlaps another one"},
        {F32("a", "6", "0,24") "," F32("n", "0", "4,4"), "tensor 'n' overlaps another one"},
        {F32("a", "7", "0,28"), "broken entry for tensor 'a'"},
        {F32("a", "5", "0,24"), "broken entry for tensor 'a'"},
        {F32("a", "5", "24,4"), "broken entry for tensor 'a'"},
        {F32("a", "0,6", "0,24"), "broken entry for tensor 'a'"},
        {F32("a", "1,2,3", "0,24"), "broken entry for tensor 'a'"},
        {F32("a", "", "0,24"), "broken entry for tensor 'a'"},
        {F32("a", "6", "0"), "broken entry for tensor 'a'"},
        {F32("a", "6", "0,24,24"), "broken entry for tensor 'a'"},
        {F32("a", "6", "-4,20"), "broken entry for tensor 'a'"},
        {F32("a", "6.5", "0,24"), "broken entry for tensor 'a'"},
        {F32("a", "1e300", "0,24"), "broken entry for tensor 'a'"},
        {F32("a", "5", "2,22"), "broken entry for tensor 'a'"},
        {F32("a", "2147483647,2147483647", "0,24"), "broken entry for tensor 'a'"},
        {"\"a\":{\"dtype\":\"F16\",\"shape\":[12],\"data_offsets\":[0,24]}", "broken entry for tensor 'a'"},
        {"\"a\":6", "broken entry for tensor 'a'"},
        {"a", "the header is not a JSON object"},
    };
    char path[SCRATCH_SIZE];
    Err err;
    write_file(path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *entries = cases[i].entries, *reason = cases[i].reason;
        write_entries(path, entries, false);
        Safetensors *file = safetensors_open(path, &err);
        if (file && reason) fail_msg("%s: opened", entries);
        if (!file && !(reason && strstr(err.reason, reason))) fail_msg("%s: %s", entries, err.reason);
        if (file) safetensors_close(file, 0, &err);
        write_entries(path, entries, true);
        check_refused(path, &err);
        reason = reason ? reason : "the checksum does not match: the file is damaged or was altered";
        if (!strstr(err.reason, reason)) fail_msg("%s: %s", entries, err.reason);
    }
    unlink(path);
}

/* The search for the scales of int8 compares each tensor with each other. */
static void a_file_has_at_most_4096_tensors(void **state) {
    (void)state;
    enum { MOST = 4096, ENTRY = 80 };
    char path[SCRATCH_SIZE], *entries = mem_alloc((size_t)(MOST + 1) * ENTRY), *end = entries;
    Err err;
    write_file(path);
    for (int i = 0; i < MOST; i++)
        end += snprintf(end, ENTRY, "\"%04d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},", i);
    const char *second = strchr(entries, '}') + 2;
    strcpy(end, F32("a", "6", "0,24"));
    write_entries(path, entries, false);
    assert_null(safetensors_open(path, &err));
    assert_string_equal(err.reason, "more than 4096 tensors");
    write_entries(path, second, false);
    Safetensors *file = safetensors_open(path, &err);
    if (!file) fail_msg("%s", err.reason);
    safetensors_close(file, 0, &err);
    mem_free(entries);
    unlink(path);
}

/* A small file whose header has a very long list. */
static void a_header_has_no_very_long_lists(void **state) {
    (void)state;
    enum { ZEROS = 1 << 20 };
    char path[SCRATCH_SIZE], *entries = mem_alloc(2 * ZEROS + 16), *end = stpcpy(entries, "\"a\":[0");
    Err err;
    write_file(path);
    for (int i = 0; i < ZEROS; i++) end = stpcpy(end, ",0");
    strcpy(end, "]");
    write_entries(path, entries, false);
    assert_null(safetensors_open(path, &err));
    assert_string_equal(err.reason, "the header holds more than 1048576 values");
    mem_free(entries);
    unlink(path);
}

static void without_memory_there_is_no_file(void **state) {
    (void)state;
    char path[SCRATCH_SIZE];
    Err err;
    int refusals = 0;
    write_file(path);
    cjson_refuse_begin();
    for (;; refusals++) {
        cjson_refuse(refusals + 1);
        Safetensors *file = safetensors_open(path, &err);
        if (!file) assert_string_equal(err.reason, "no memory for the header");
        if (!file) continue;
        safetensors_close(file, 0, &err);
        break;
    }
    cjson_refuse_end();
    assert_true(refusals > 20);
    unlink(path);
}

/* ---- text in memory ------------------------------------------------------------------------------------------- */

static void memory_holds_what_was_written(void **state) {
    (void)state;
    for (size_t n = 0; n < 100000; n = 3 * n + 1) {
        char *right = mem_alloc(n + 1);
        size_t size;
        MemoryFile memory;
        FILE *out = memory_open(&memory);
        for (size_t i = 0; i < n; i++) right[i] = (char)(i % 251);
        for (size_t i = 0; i < n; i += 7) fwrite(right + i, 1, n - i < 7 ? n - i : 7, out);
        char *text = memory_close(&memory, &size);
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

static void a_failed_allocation_never_shortens_text(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        char word[1000] = "word";
        MemoryFile memory;
        FILE *out = memory_open(&memory);
        mem_on_failure(note_refusal);
        mem_fail_nth(2);
        for (int i = 0; i < 1000; i++) fwrite(word, 1, sizeof word, out);
        memory_close(&memory, NULL);
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

/* ---- locks ---------------------------------------------------------------------------------------------------- */

/* How flock works in this program. */
static struct {
    int why;          /* errno of a file system without locks; 0: locks work */
    const char *held; /* a file that another process has locked and removes before it unlocks it; NULL: none */
} locks;

int flock(int fd, int operation) {
    if (locks.why) return errno = locks.why, -1;
    if (!locks.held) return (int)syscall(SYS_flock, fd, operation);
    if (operation & LOCK_NB) return errno = EWOULDBLOCK, -1;
    unlink(locks.held);
    locks.held = NULL;
    return 0;
}

static void check_written(OutputFile *output, const char *path) {
    Err err;
    fputs("new", output->stream);
    if (output_commit(output, &err)) fail_msg("%s", err.reason);
    char *text = file_read(path, NULL, &err);
    assert_string_equal(text, "new");
    mem_free(text);
}

/* A process that removes abandoned temporary files may lock a new file before the process that made it does. */
static void an_output_survives_a_process_that_removes_abandoned_files(void **state) {
    (void)state;
    char path[SCRATCH_SIZE], temporary[SCRATCH_SIZE + 16];
    Err err;
    OutputFile output;
    write_file(path);
    snprintf(temporary, sizeof temporary, "%s.0.tmp", path);
    locks.held = temporary;
    assert_int_equal(output_open(&output, path, &err), 0);
    if (locks.held) unlink(locks.held);
    locks.held = NULL;
    check_written(&output, path);
    unlink(path);
}

static void without_locks_no_file_counts_as_abandoned(void **state) {
    (void)state;
    static const int whys[] = {ENOLCK, EOPNOTSUPP, EINVAL, ENOSYS, EBADF};
    enum { LEFT = 1100 };
    char path[SCRATCH_SIZE], left[SCRATCH_SIZE + 16];
    Err err, warning;
    OutputFile first, second;
    write_file(path);
    for (size_t i = 0; i < sizeof whys / sizeof *whys; i++) {
        locks.why = whys[i];
        assert_int_equal(output_open(&first, path, &err), 0);
        assert_int_equal(output_open(&second, path, &err), 0);
        check_written(&first, path);
        check_written(&second, path);
        const int fd = directory_lock(scratch_folder(), &warning, &err);
        assert_true(fd >= 0);
        close(fd);
        assert_non_null(strstr(warning.reason, strerror(whys[i])));
    }
    for (int i = 0; i < LEFT; i++) {
        snprintf(left, sizeof left, "%s.%d.tmp", path, i);
        write_bytes(left, "half", 4);
    }
    assert_int_equal(output_open(&first, path, &err), 0);
    check_written(&first, path);
    locks.why = 0;
    assert_int_equal(output_open(&first, path, &err), 0); /* with locks, all abandoned files are removed */
    check_written(&first, path);
    for (int i = 0; i < LEFT; i++) {
        snprintf(left, sizeof left, "%s.%d.tmp", path, i);
        assert_int_equal(access(left, F_OK), -1);
    }
    unlink(path);
}

/* Control characters of every kind are visible, however the text is divided; other text does not change. */
static void control_characters_are_visible(void **state) {
    (void)state;
    static const char text[] =
        "潮\x1b[2J\r\n\tx\x7f\xc2\x9b\u2028\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\xacé\u200b😀\xff\xe6\xbd",
                      shown[] =
                          "潮\\x1b[2J\\r\n\tx\\x7f\\u009b\\u2028\\u202e\\u2066\\u2069\\u202cé\u200b😀\\xff\\xe6\\xbd";
    for (size_t part = 1; part < sizeof text; part++) {
        MemoryFile memory;
        FILE *stream = visible_stream(memory_open(&memory));
        for (size_t at = 0; at < sizeof text - 1; at += part) {
            const size_t left = sizeof text - 1 - at;
            fwrite(text + at, 1, left < part ? left : part, stream);
        }
        fclose(stream);
        char *found = memory_close(&memory, NULL);
        assert_string_equal(found, shown);
        mem_free(found);
    }
    MemoryFile memory;
    visible_write(memory_open(&memory), "a\0\n", 3, "");
    char *found = memory_close(&memory, NULL);
    assert_string_equal(found, "a\\x00\\n");
    mem_free(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_may_begin_at_any_offset),
        cmocka_unit_test(the_checksum_is_as_described),
        cmocka_unit_test(a_damaged_file_is_refused),
        cmocka_unit_test(a_header_has_a_limit),
        cmocka_unit_test(bytes_may_come_in_any_parts),
        cmocka_unit_test(a_file_that_cannot_be_read_says_why),
        cmocka_unit_test(data_are_read_in_parts),
        cmocka_unit_test(integers_are_scaled),
        cmocka_unit_test(tensors_tile_the_data),
        cmocka_unit_test(a_file_has_at_most_4096_tensors),
        cmocka_unit_test(a_header_has_no_very_long_lists),
        cmocka_unit_test(without_memory_there_is_no_file),
        cmocka_unit_test(memory_holds_what_was_written),
        cmocka_unit_test(a_failed_allocation_never_shortens_text),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(control_characters_are_visible),

        cmocka_unit_test(an_output_survives_a_process_that_removes_abandoned_files),
        cmocka_unit_test(without_locks_no_file_counts_as_abandoned),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
