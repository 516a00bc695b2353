#include "translate/safetensors.h"
#include "translate/checksum.h"
#include "text/ds.h"
#include "text/files.h"
#include "text/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECKSUM_KEY "\"checksum\":\""
enum { CHECKSUM_DIGITS = 16, HEADER_LIMIT = 100000000 /* as the format has it */, ALIGN = 64 };

/* ---- checksum ------------------------------------------------------------------------------------------------- */

/* Where the digits of the checksum stand in a header; NULL if they do not. */
static const char *find_digits(const char *header, size_t size) {
    const size_t length = strlen(CHECKSUM_KEY);
    const char *key = memmem(header, size, CHECKSUM_KEY, length);
    return key && (size_t)(header + size - key) >= length + CHECKSUM_DIGITS ? key + length : NULL;
}

/* The checksum of a file up to its data: the header and its size, the digits taken as zeros. */
static Checksum checksum_header(const char *header, uint64_t size, const char *digits) {
    Checksum sum = checksum_begin();
    const char *after = digits + CHECKSUM_DIGITS;
    checksum_add(&sum, &size, sizeof size);
    checksum_add(&sum, header, (size_t)(digits - header));
    checksum_add(&sum, "0000000000000000", CHECKSUM_DIGITS);
    checksum_add(&sum, after, size - (size_t)(after - header));
    return sum;
}

static void checksum_text(Checksum *sum, char hex[CHECKSUM_DIGITS + 1]) {
    snprintf(hex, CHECKSUM_DIGITS + 1, "%016" PRIx64, checksum_end(sum));
}

/* Of a matrix [rows, cols], or, rows 0, a vector of cols. */
static size_t matrix_bytes(int rows, int cols) { return (size_t)(rows ? rows : 1) * (size_t)cols * sizeof(float); }

/* ---- writing -------------------------------------------------------------------------------------------------- */

/* The entry of a tensor whose data begin at a place; returns where they end. */
static size_t write_entry(FILE *out, const Tensor *tensor, size_t begin) {
    const size_t end = begin + matrix_bytes(tensor->rows, tensor->cols);
    json_string(out, tensor->name);
    fputs(":{\"dtype\":\"F32\",\"shape\":[", out);
    if (tensor->rows) fprintf(out, "%d,", tensor->rows);
    fprintf(out, "%d],\"data_offsets\":[%zu,%zu]}", tensor->cols, begin, end);
    return end;
}

/* The header without padding, zeros for the checksum; owned by the caller. */
static char *header_text(const Tensor *tensors, int tensor_count, const Meta *meta, int meta_count) {
    char *text;
    size_t size, at = 0;
    FILE *out = memory_open(&text, &size);
    fputs("{\"__metadata__\":{" CHECKSUM_KEY "0000000000000000\"", out);
    for (int i = 0; i < meta_count; i++) {
        fputc(',', out);
        json_string(out, meta[i].key);
        fputc(':', out);
        json_string(out, meta[i].value);
    }
    fputc('}', out);
    for (int i = 0; i < tensor_count; i++) {
        fputc(',', out);
        at = write_entry(out, &tensors[i], at);
    }
    fputc('}', out);
    fclose(out);
    return text;
}

/* The format allows spaces at the end: as many as let the data begin at a multiple of ALIGN bytes in the file. */
static char *pad_header(const char *text, uint64_t *size) {
    size_t length = strlen(text), padded = (8 + length + ALIGN - 1) / ALIGN * ALIGN - 8;
    char *header = memset(mem_alloc(padded), ' ', padded);
    *size = padded;
    return memcpy(header, text, length);
}

int safetensors_write(const char *path, const Tensor *tensors, int tensor_count, const Meta *meta, int meta_count,
                      Err *err) {
    char *text = header_text(tensors, tensor_count, meta, meta_count);
    uint64_t header_size;
    char *header = pad_header(text, &header_size);
    mem_free(text);
    if (header_size > HEADER_LIMIT) {
        mem_free(header);
        return err_set(err, path, 0, "its header, where vocabularies and merges stand, would be larger than %d bytes",
                       HEADER_LIMIT);
    }
    char *digits = (char *)find_digits(header, header_size), hex[CHECKSUM_DIGITS + 1];
    Checksum sum = checksum_header(header, header_size, digits);
    const void **parts = mem_alloc((size_t)(tensor_count + 2) * sizeof *parts);
    size_t *sizes = mem_alloc((size_t)(tensor_count + 2) * sizeof *sizes);
    parts[0] = &header_size, sizes[0] = sizeof header_size;
    parts[1] = header, sizes[1] = header_size;
    for (int i = 0; i < tensor_count; i++) {
        parts[i + 2] = tensors[i].data, sizes[i + 2] = matrix_bytes(tensors[i].rows, tensors[i].cols);
        checksum_add(&sum, parts[i + 2], sizes[i + 2]);
    }
    checksum_text(&sum, hex);
    memcpy(digits, hex, CHECKSUM_DIGITS);
    int status = file_replace(path, parts, sizes, tensor_count + 2, err);
    mem_free(parts);
    mem_free(sizes);
    mem_free(header);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* A tensor of a file. */
typedef struct Entry {
    const char *name; /* the header's */
    int rows, cols;
    size_t begin, end; /* its bytes in the data */
    bool found;        /* asked for */
} Entry;

/* A file that is read once, in order. */
typedef struct Input {
    const char *path; /* for errors */
    int fd;
    size_t size, at; /* bytes of the file when it was opened, and bytes read so far */
    Checksum sum;    /* of the bytes so far */
    double seconds;  /* that the sum took */
    bool failed;     /* a read did */
} Input;

struct Safetensors {
    char path[512];
    Input in;                     /* at the data that are to be read next */
    char digits[CHECKSUM_DIGITS]; /* the checksum that the header has */
    cJSON *header;                /* owns the names and the metadata */
    Entry *entries;               /* stb_ds array, in the order of the data */
};

static int input_open(Input *in, const char *path, Err *err) {
    struct stat info;
    *in = (Input){.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (in->fd < 0) return err_set(err, path, 0, "%s", strerror(errno));
    const bool regular = !fstat(in->fd, &info) && S_ISREG(info.st_mode);
    if (regular && info.st_size > 0) {
        in->size = (size_t)info.st_size;
        return 0;
    }
    close(in->fd);
    return err_set(err, path, 0, regular ? "the file is empty" : "not a regular file");
}

/* Reads the next n bytes. */
static int input_read(Input *in, void *bytes, size_t n, Err *err) {
    if (!file_read_at(in->fd, bytes, n, (off_t)in->at)) {
        in->at += n;
        return 0;
    }
    in->failed = true;
    if (!errno) return err_set(err, in->path, 0, "became shorter while it was read");
    return err_set(err, in->path, 0, "cannot be read: %s", strerror(errno));
}

/* Reads the next n bytes and adds them to the checksum while they are in the cache. */
static int input_sum(Input *in, void *bytes, size_t n, Err *err) {
    if (input_read(in, bytes, n, err)) return -1;
    const double began = seconds_now();
    checksum_add(&in->sum, bytes, n);
    in->seconds += seconds_now() - began;
    return 0;
}

static int refuse_damaged(const char *path, Err *err) {
    return err_set(err, path, 0, "the checksum does not match: the file is damaged or was altered");
}

/* Begins the checksum with the header; `right` gets the digits that the header has for it. */
static int sum_header(Input *in, const char *header, uint64_t size, char right[CHECKSUM_DIGITS], Err *err) {
    const double began = seconds_now();
    const char *digits = find_digits(header, (size_t)size);
    if (!digits) return refuse_damaged(in->path, err);
    memcpy(right, digits, CHECKSUM_DIGITS);
    in->sum = checksum_header(header, size, digits);
    in->seconds = seconds_now() - began;
    return 0;
}

/* Reads the length of the header and the header; owned by the caller. NULL with *err filled. */
static char *read_header(Input *in, uint64_t *size, Err *err) {
    char *header = NULL;
    if (in->size < sizeof *size) err_set(err, in->path, 0, "too short for a safetensors file");
    else if (input_read(in, size, sizeof *size, err)) return NULL;
    else if (*size > in->size - sizeof *size || *size > HEADER_LIMIT)
        err_set(err, in->path, 0, "not a safetensors file, or truncated");
    else if (*size % sizeof(float)) err_set(err, in->path, 0, "the header is not padded to 4 bytes");
    else header = mem_alloc((size_t)*size);
    if (!header || !input_read(in, header, (size_t)*size, err)) return header;
    mem_free(header);
    return NULL;
}

/* The numbers of a JSON array of 1 or 2 non-negative integers; returns how many, or -1. */
static int read_integers(const cJSON *array, double numbers[2], double most) {
    int n = 0;
    const cJSON *item;
    if (!cJSON_IsArray(array)) return -1;
    cJSON_ArrayForEach(item, array) {
        if (n == 2 || !cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > most ||
            item->valuedouble != (double)(int64_t)item->valuedouble)
            return -1;
        numbers[n++] = item->valuedouble;
    }
    return n;
}

static int read_entry(Entry *entry, const cJSON *json, size_t data_size) {
    double shape[2], offsets[2];
    const char *dtype = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "dtype"));
    int dims = read_integers(cJSON_GetObjectItemCaseSensitive(json, "shape"), shape, INT32_MAX);
    int ends = read_integers(cJSON_GetObjectItemCaseSensitive(json, "data_offsets"), offsets, (double)data_size);
    if (!dtype || strcmp(dtype, "F32") != 0 || dims < 1 || ends != 2 || offsets[0] > offsets[1]) return -1;
    *entry = (Entry){.name = json->string,
                     .rows = dims == 2 ? (int)shape[0] : 0,
                     .cols = (int)shape[dims - 1],
                     .begin = (size_t)offsets[0],
                     .end = (size_t)offsets[1]};
    if ((dims == 2 && entry->rows == 0) || entry->begin % sizeof(float)) return -1;
    return entry->end - entry->begin == matrix_bytes(entry->rows, entry->cols) ? 0 : -1;
}

static int by_place(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Checks that the tensors, in the order of the data, cover each of its bytes once. */
static int check_tiling(const Safetensors *file, size_t data_size, Err *err) {
    size_t at = 0;
    for (ptrdiff_t i = 0; i < arrlen(file->entries) && file->entries[i].begin <= at; i++) {
        const Entry *entry = &file->entries[i];
        if (entry->begin < at) return err_set(err, file->path, 0, "tensor '%.60s' overlaps another one", entry->name);
        at = entry->end;
    }
    return at == data_size ? 0 : err_set(err, file->path, 0, "byte %zu of the data belongs to no tensor", at);
}

/* Parses the header and fills file->entries. */
static int read_entries(Safetensors *file, const char *header, size_t size, size_t data_size, Err *err) {
    enum { MOST_VALUES = 1 << 20 };
    const cJSON *item;
    if (json_values(header, size) > MOST_VALUES)
        return err_set(err, file->path, 0, "the header holds more than %d values", MOST_VALUES);
    file->header = json_parse(header, size);
    if (!file->header && errno == ENOMEM) return err_set(err, file->path, 0, "no memory for the header");
    if (!cJSON_IsObject(file->header)) return err_set(err, file->path, 0, "the header is not a JSON object");
    cJSON_ArrayForEach(item, file->header) {
        Entry entry;
        if (!strcmp(item->string, "__metadata__")) continue;
        if (read_entry(&entry, item, data_size))
            return err_set(err, file->path, 0, "broken entry for tensor '%.60s'", item->string);
        arrput(file->entries, entry);
    }
    if (file->entries) qsort(file->entries, arrlenu(file->entries), sizeof *file->entries, by_place);
    return check_tiling(file, data_size, err);
}

static void release(Safetensors *file) {
    close(file->in.fd);
    arrfree(file->entries);
    cJSON_Delete(file->header);
    mem_free(file);
}

/* Reads all data that were not read yet, and compares the checksum. */
static int verify(Safetensors *file, Err *err) {
    enum { PART = 1 << 18 };
    char *scratch = mem_alloc(PART), hex[CHECKSUM_DIGITS + 1];
    int status = 0;
    for (size_t left; (left = file->in.size - file->in.at) > 0 && !status;)
        status = input_sum(&file->in, scratch, left < PART ? left : PART, err);
    mem_free(scratch);
    if (status) return -1;
    checksum_text(&file->in.sum, hex);
    return memcmp(hex, file->digits, CHECKSUM_DIGITS) ? refuse_damaged(file->path, err) : 0;
}

static int read_file(Safetensors *file, Err *err) {
    uint64_t size;
    Input *in = &file->in;
    char *header = read_header(in, &size, err);
    if (!header) return -1;
    int status = sum_header(in, header, size, file->digits, err);
    if (!status && (status = read_entries(file, header, (size_t)size, in->size - in->at, err))) {
        Err damage;
        if (verify(file, &damage)) *err = damage;
    }
    mem_free(header);
    return status;
}

Safetensors *safetensors_open(const char *path, Err *err) {
    Safetensors *file = mem_zalloc(sizeof *file);
    snprintf(file->path, sizeof file->path, "%s", path);
    if (input_open(&file->in, path, err)) {
        mem_free(file);
        return NULL;
    }
    file->in.path = file->path;
    if (!read_file(file, err)) return file;
    release(file);
    return NULL;
}

/* The values of a tensor that are read at a time: whole rows of a matrix. */
static size_t part_of(const Entry *entry) {
    enum { PART = 1 << 16 };
    const size_t cols = (size_t)entry->cols, rows = PART / (cols ? cols : 1);
    return entry->rows <= 1 ? PART : rows > 1 ? rows * cols : cols;
}

int safetensors_read(Safetensors *file, TensorSink *sink, void *context, Err *err) {
    size_t largest = 0;
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++) {
        const Entry *entry = &file->entries[i];
        const size_t all = (entry->end - entry->begin) / sizeof(float), part = part_of(entry);
        if ((part < all ? part : all) > largest) largest = part < all ? part : all;
    }
    float *values = mem_alloc_aligned(largest * sizeof *values);
    int status = 0;
    for (ptrdiff_t i = 0; i < arrlen(file->entries) && !status; i++) {
        const Entry *entry = &file->entries[i];
        const size_t all = (entry->end - entry->begin) / sizeof(float), part = part_of(entry);
        for (size_t first = 0, n; first < all && !status; first += n) {
            n = all - first < part ? all - first : part;
            status = input_sum(&file->in, values, n * sizeof *values, err);
            if (!status) sink(context, (int)i, first, values, n);
        }
    }
    mem_free(values);
    return status ? -1 : verify(file, err);
}

int safetensors_close(Safetensors *file, int status, Err *err) {
    Err damage;
    const Input *in = &file->in;
    if (status && !in->failed && in->at < in->size && verify(file, &damage)) *err = damage;
    release(file);
    return status;
}

const char *safetensors_meta(const Safetensors *file, const char *key) {
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(file->header, "__metadata__");
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(metadata, key));
}

double safetensors_checksum_seconds(const Safetensors *file) { return file->in.seconds; }

int safetensors_count(const Safetensors *file) { return (int)arrlen(file->entries); }

int safetensors_find(Safetensors *file, const char *name, int rows, int cols, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++) {
        Entry *entry = &file->entries[i];
        if (strcmp(entry->name, name) != 0) continue;
        if (entry->rows != rows || entry->cols != cols)
            return err_set(err, file->path, 0, "tensor %s is [%d, %d] where [%d, %d] is needed", name, entry->rows,
                           entry->cols, rows, cols);
        entry->found = true;
        return (int)i;
    }
    return err_set(err, file->path, 0, "tensor %s is missing", name);
}

int safetensors_all_found(const Safetensors *file, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++)
        if (!file->entries[i].found)
            return err_set(err, file->path, 0, "tensor %.60s belongs to nothing here", file->entries[i].name);
    return 0;
}
