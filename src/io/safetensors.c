#include "io/safetensors.h"
#include "core/scope.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "io/output.h"
#include "io/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define FORMAT_NAME "tide "
enum { FORMAT_F32 = 3, FORMAT_I8 = 4 };
enum { HEADER_LIMIT = 100000000 /* of the format */, ALIGN = 64 };

/* ---- checksum ---------------------------------------------------------------------------------------------------

   The checksum covers the content of the file, not its layout: spaces, escapes, and the order of tensors and of
   metadata do not change it. So another program may rewrite the file, and the checksum stays valid. It is the sum
   modulo 2^64 of
       h(value, h(key, 0))               for each text of the metadata, except the checksum itself, and
       h(data, h(shape, h(name, 0)))     for each tensor; shape: two int32, rows (0: a vector) and cols,
   where h(bytes, seed) is XXH3 of 64 bits; all numbers are little-endian. The metadata store it as 16 hex digits. */

static uint64_t hash_text(const char *text, uint64_t seed) { return XXH3_64bits_withSeed(text, strlen(text), seed); }

static uint64_t hash_meta(const char *key, const char *value) { return hash_text(value, hash_text(key, 0)); }

/* The hash of a tensor's name and shape, the seed of the hash of its data. */
static uint64_t hash_label(const char *name, int rows, int cols) {
    const int32_t shape[2] = {rows, cols};
    return XXH3_64bits_withSeed(shape, sizeof shape, hash_text(name, 0));
}

static const struct {
    const char *name;
    size_t size;
} types[] = {[TENSOR_F32] = {"F32", sizeof(float)}, [TENSOR_I8] = {"I8", sizeof(int8_t)}};

/* The bytes of a matrix [rows, cols], or of a vector of cols if rows is 0. */
static size_t matrix_bytes(int rows, int cols, TensorType type) {
    return (size_t)(rows ? rows : 1) * (size_t)cols * types[type].size;
}

size_t tensor_bytes(const Tensor *tensor) { return matrix_bytes(tensor->rows, tensor->cols, tensor->type); }

static uint64_t hash_tensor(const Tensor *tensor) {
    return XXH3_64bits_withSeed(tensor->data, tensor_bytes(tensor),
                                hash_label(tensor->name, tensor->rows, tensor->cols));
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

/* Writes the entry of a tensor whose data begin at offset `begin`. Returns the offset where they end. */
static size_t write_entry(FILE *out, const Tensor *tensor, size_t begin) {
    const size_t end = begin + matrix_bytes(tensor->rows, tensor->cols, tensor->type);
    json_print(out, "%s:{\"dtype\":%s,\"shape\":[", tensor->name, types[tensor->type].name);
    if (tensor->rows) fprintf(out, "%d,", tensor->rows);
    fprintf(out, "%d],\"data_offsets\":[%zu,%zu]}", tensor->cols, begin, end);
    return end;
}

/* The header without padding; owned by the caller. */
static char *header_text(const Tensor *tensors, int tensor_count, const Meta *meta, int meta_count, size_t *size) {
    char format[24];
    size_t at = 0;
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    bool quantized = false;
    for (int i = 0; i < tensor_count; i++) quantized |= tensors[i].type == TENSOR_I8;
    snprintf(format, sizeof format, FORMAT_NAME "%d", quantized ? FORMAT_I8 : FORMAT_F32);
    uint64_t sum = hash_meta("format", format);
    fprintf(out, "{\"__metadata__\":{\"format\":\"%s\"", format);
    for (int i = 0; i < meta_count; i++) {
        if (!meta[i].value) continue;
        json_print(out, ",%s:%s", meta[i].key, meta[i].value);
        sum += hash_meta(meta[i].key, meta[i].value);
    }
    for (int i = 0; i < tensor_count; i++) sum += hash_tensor(&tensors[i]);
    fprintf(out, ",\"checksum\":\"%016" PRIx64 "\"}", sum);
    for (int i = 0; i < tensor_count; i++) {
        fputc(',', out);
        at = write_entry(out, &tensors[i], at);
    }
    fputc('}', out);
    return memory_close(&memory, size);
}

int safetensors_write(const char *path, const Tensor *tensors, int tensor_count, const Meta *meta, int meta_count,
                      Err *err) {
    size_t size;
    char *header = header_text(tensors, tensor_count, meta, meta_count, &size);
    /* spaces, which the format allows, so that the data begin at a multiple of ALIGN bytes in the file */
    const uint64_t padded = (8 + size + ALIGN - 1) / ALIGN * ALIGN - 8;
    if (padded > HEADER_LIMIT) {
        mem_free(header);
        return err_set(err, path, 0, "the header, which has the vocabularies and merges, would be larger than %d bytes",
                       HEADER_LIMIT);
    }
    OutputFile output;
    int status = output_open(&output, path, err);
    if (!status) { /* the stream stores the first error for output_commit */
        fwrite(&padded, sizeof padded, 1, output.stream);
        fprintf(output.stream, "%-*s", (int)padded, header);
        for (const Tensor *t = tensors; t < tensors + tensor_count; t++)
            fwrite(t->data, 1, matrix_bytes(t->rows, t->cols, t->type), output.stream);
        status = output_commit(&output, err);
    }
    mem_free(header);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* A tensor in the file. */
typedef struct Entry {
    const char *name; /* owned by the header */
    int rows, cols;
    size_t begin, end; /* offsets of its bytes in the data */
    TensorType type;
    struct Entry *scale; /* of int8: the tensor NAME.scale */
    bool found;          /* safetensors_find has found it, or the matrix that it scales */
    float factor;        /* of scales: the largest magnitude of an integer; else 1 */
    TensorSink *sink;    /* NULL: none */
    void *context;
} Entry;

struct Safetensors {
    char path[512];
    int fd;                 /* -1: the file is in memory */
    const char *bytes;      /* [size] of a file in memory */
    size_t size, at;        /* size when the file was opened, and bytes read so far */
    bool failed;            /* a read failed */
    cJSON *header;          /* owns the names and the metadata */
    Entry *entries;         /* stb_ds array, in the order of the data */
    size_t data;            /* where the data begin in the file */
    int format;             /* 0: tide did not write the file */
    XXH3_state_t *tensor;   /* hash of the tensor that is being read */
    const Entry *nonfinite; /* the first tensor with a number that is not finite; NULL: none was found */
    size_t nonfinite_at;
    double seconds; /* spent on the checksum */
};

/* Reads n bytes at an offset. */
static int read_at(Safetensors *file, void *bytes, size_t n, size_t at, Err *err) {
    if (file->bytes) {
        if (n) memcpy(bytes, file->bytes + at, n); /* read_header checks that this is within the size */
        return 0;
    }
    if (!file_read_at(file->fd, bytes, n, (off_t)at)) return 0;
    file->failed = true;
    if (!errno) return err_set(err, file->path, 0, "became shorter while it was read");
    return err_set(err, file->path, 0, "cannot be read: %s", strerror(errno));
}

/* Reads the next n bytes. */
static int read_next(Safetensors *file, void *bytes, size_t n, Err *err) {
    const int status = read_at(file, bytes, n, file->at, err);
    if (!status) file->at += n;
    return status;
}

/* Reads a JSON array of at most two integers between 0 and `most`. Returns their number, or -1 for anything else. */
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
    if (!dtype || dims < 1 || ends != 2 || offsets[0] > offsets[1]) return -1;
    const TensorType type = strcmp(dtype, types[TENSOR_I8].name) != 0 ? TENSOR_F32 : TENSOR_I8;
    if (strcmp(dtype, types[type].name) != 0) return -1;
    *entry = (Entry){.name = json->string,
                     .type = type,
                     .factor = 1,
                     .rows = dims == 2 ? (int)shape[0] : 0,
                     .cols = (int)shape[dims - 1],
                     .begin = (size_t)offsets[0],
                     .end = (size_t)offsets[1]};
    if ((dims == 2 && entry->rows == 0) || entry->begin % types[type].size) return -1;
    return entry->end - entry->begin == matrix_bytes(entry->rows, entry->cols, type) ? 0 : -1;
}

/* NULL: there is no tensor with this name. */
static Entry *entry_of(const Safetensors *file, const char *name) {
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++)
        if (!strcmp(file->entries[i].name, name)) return &file->entries[i];
    return NULL;
}

/* Finds the scales of the matrices of int8. */
static int find_scales(Safetensors *file, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++) {
        Entry *entry = &file->entries[i];
        char name[80];
        if (entry->type != TENSOR_I8) continue;
        snprintf(name, sizeof name, "%s.scale", entry->name);
        Entry *scale = entry->scale = entry_of(file, name);
        if (!scale || scale->type != TENSOR_F32 ||
            !((scale->rows == 1 && scale->cols == entry->cols) || (scale->cols == 1 && scale->rows == entry->rows)))
            return err_set(err, file->path, 0, "tensor '%.60s' of int8 has no scale for its rows or columns",
                           entry->name);
        scale->factor = -(float)INT8_MIN;
    }
    return 0;
}

static int by_offset(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Checks that the tensors cover each byte of the data exactly once. The entries must be in the order of the data. */
static int check_tiling(const Safetensors *file, size_t data_size, Err *err) {
    size_t at = 0;
    for (ptrdiff_t i = 0; i < arrlen(file->entries) && file->entries[i].begin <= at; i++) {
        const Entry *entry = &file->entries[i];
        if (entry->begin < at) return err_set(err, file->path, 0, "tensor '%.60s' overlaps another one", entry->name);
        at = entry->end;
    }
    return at == data_size ? 0 : err_set(err, file->path, 0, "byte %zu of the data belongs to no tensor", at);
}

/* N of "tide N", the format name that tide writes; 0 for any other text. */
static int parse_format(const char *text) {
    if (!text || !starts_with(text, FORMAT_NAME)) return 0;
    char *end;
    const long number = strtol(text + strlen(FORMAT_NAME), &end, 10);
    return *end || number < 1 || number > INT_MAX ? 0 : (int)number;
}

/* Parses the header and fills file->entries, unless the format is another one. */
static int read_entries(Safetensors *file, const char *header, size_t size, size_t data_size, Err *err) {
    enum { MOST_VALUES = 1 << 20, MOST_TENSORS = 4096 /* find_scales compares each with each */ };
    const cJSON *item;
    if (json_values(header, size) > MOST_VALUES)
        return err_set(err, file->path, 0, "the header holds more than %d values", MOST_VALUES);
    file->header = json_parse(header, size);
    if (!file->header && errno == ENOMEM) {
        scope_refuse();
        return err_set(err, file->path, 0, "no memory for the header");
    }
    if (!cJSON_IsObject(file->header)) return err_set(err, file->path, 0, "the header is not a JSON object");
    file->format = parse_format(safetensors_meta(file, "format"));
    if (!safetensors_is_readable(file)) return 0; /* safetensors_read reports the error */
    cJSON_ArrayForEach(item, file->header) {
        Entry entry;
        if (!strcmp(item->string, "__metadata__")) continue;
        if (arrlen(file->entries) == MOST_TENSORS)
            return err_set(err, file->path, 0, "more than %d tensors", MOST_TENSORS);
        if (read_entry(&entry, item, data_size))
            return err_set(
                err, file->path, 0,
                "broken entry for tensor '%.60s': not float32 or int8, a size that does not fit its shape, or cut off",
                item->string);
        arrput(file->entries, entry);
    }
    if (file->entries) qsort(file->entries, arrlenu(file->entries), sizeof *file->entries, by_offset);
    return check_tiling(file, data_size, err) || find_scales(file, err) ? -1 : 0;
}

/* Releases what mem_free does not release. */
static void close_resources(void *context) {
    Safetensors *file = context;
    if (file->fd >= 0) close(file->fd);
    cJSON_Delete(file->header);
    XXH3_freeState(file->tensor);
}

static void release(Safetensors *file) {
    scope_disown(file, close_resources);
    close_resources(file);
    arrfree(file->entries);
    mem_free(file);
}

/* Finds the size of a file on disk. */
static int find_size(Safetensors *file, Err *err) {
    struct stat info;
    if (fstat(file->fd, &info) || !S_ISREG(info.st_mode)) return err_set(err, file->path, 0, "not a regular file");
    file->size = (size_t)info.st_size;
    return 0;
}

static int read_header(Safetensors *file, Err *err) {
    uint64_t size;
    if (!file->bytes && find_size(file, err)) return -1;
    if (!file->size) return err_set(err, file->path, 0, "the file is empty");
    if (file->size < sizeof size) return err_set(err, file->path, 0, "too short for a safetensors file");
    if (read_next(file, &size, sizeof size, err)) return -1;
    if (size > file->size - sizeof size || size > HEADER_LIMIT)
        return err_set(err, file->path, 0, "not a safetensors file, or truncated");
    if (size % sizeof(float)) return err_set(err, file->path, 0, "the header is not padded to 4 bytes");
    char *header = mem_alloc((size_t)size);
    int status = read_next(file, header, (size_t)size, err);
    file->data = file->at;
    if (!status) status = read_entries(file, header, (size_t)size, file->size - file->data, err);
    mem_free(header);
    return status;
}

/* Reads the header of a file that is open. Returns the file, or NULL with *err filled. */
static Safetensors *open_header(Safetensors *file, Err *err) {
    file->tensor = XXH3_createState();
    scope_own(file, close_resources);
    if (!file->tensor) mem_refused(0);
    if (!read_header(file, err)) return file;
    release(file);
    return NULL;
}

Safetensors *safetensors_open(const char *path, Err *err) {
    Safetensors *file = mem_zalloc(sizeof *file); /* before open: refused memory must not leave an open file */
    snprintf(file->path, sizeof file->path, "%s", path);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0) {
        err_set(err, path, 0, "%s", strerror(errno));
        mem_free(file);
        return NULL;
    }
    return open_header(file, err);
}

Safetensors *safetensors_open_bytes(const void *bytes, size_t size, const char *name, Err *err) {
    Safetensors *file = mem_zalloc(sizeof *file);
    snprintf(file->path, sizeof file->path, "%s", name);
    file->fd = -1;
    file->bytes = bytes;
    file->size = size;
    return open_header(file, err);
}

/* The part of the checksum that the metadata give. */
static uint64_t sum_metadata(const Safetensors *file) {
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(file->header, "__metadata__"), *item;
    uint64_t sum = 0;
    cJSON_ArrayForEach(item, metadata) {
        if (!cJSON_IsString(item) || !strcmp(item->string, "checksum")) continue;
        sum += hash_meta(item->string, item->valuestring);
    }
    return sum;
}

/* Returns the number of values of a tensor to read at a time: for a matrix, a multiple of its columns. */
static size_t part_of(const Entry *entry, size_t all) {
    enum { PART = 1 << 16 };
    const size_t cols = (size_t)entry->cols, rows = PART / (cols ? cols : 1);
    const size_t part = entry->rows <= 1 ? PART : rows > 1 ? rows * cols : cols;
    return part < all ? part : all;
}

/* Adds bytes of a tensor to the checksum while they are in the cache. */
static void add_part(Safetensors *file, const void *bytes, size_t n) {
    const double began = seconds_now();
    XXH3_64bits_update(file->tensor, bytes, n);
    file->seconds += seconds_now() - began;
}

/* The number of values before the first one whose product with `factor` is not finite. A loop without branches is fast
   where all are finite, as in most parts. */
static size_t count_finite(const float *values, size_t n, float factor) {
    const uint32_t exponent = 0x7f800000;
    uint32_t any = 0;
    for (size_t i = 0; i < n; i++) {
        const float product = values[i] * factor;
        uint32_t bits;
        memcpy(&bits, &product, sizeof bits);
        any |= (bits & exponent) == exponent;
    }
    size_t count = any ? 0 : n;
    while (count < n && isfinite(values[count] * factor)) count++;
    return count;
}

/* Stores the place of the first number that is not finite, if it is in this part of a tensor. */
static void check_finite(Safetensors *file, const Entry *entry, const TensorPart *part) {
    if (part->integers || file->nonfinite) return;
    const size_t count = count_finite(part->values, part->n, entry->factor);
    if (count == part->n) return;
    file->nonfinite = entry;
    file->nonfinite_at = part->first + count;
}

/* Fails if check_finite found a number that is not finite. */
static int check_numbers(const Safetensors *file, Err *err) {
    const Entry *entry = file->nonfinite;
    if (!entry) return 0;
    const size_t cols = (size_t)entry->cols;
    return err_set(err, file->path, 0, "tensor %.60s is not finite at [%zu, %zu]", entry->name,
                   file->nonfinite_at / cols, file->nonfinite_at % cols);
}

/* Compares the checksum of everything that was read with the checksum in the file. */
static int check_sum(const Safetensors *file, uint64_t sum, Err *err) {
    char hex[2 * sizeof sum + 1];
    const char *checksum = safetensors_meta(file, "checksum");
    snprintf(hex, sizeof hex, "%016" PRIx64, sum);
    if (!checksum || !strcmp(hex, checksum)) return 0;
    return err_set(err, file->path, 0, "the checksum does not match: the file is damaged or was altered");
}

static TensorScales scales_of(const Entry *entry) {
    if (entry->type != TENSOR_I8) return SCALES_NONE;
    return entry->scale->rows == entry->rows && entry->scale->cols == 1 ? SCALES_OF_ROWS : SCALES_OF_COLUMNS;
}

const float *tensor_part_values(const TensorPart *part) {
    const size_t cols = part->cols ? part->cols : 1;
    size_t i = part->first / cols, j = part->first % cols;
    for (size_t at = 0; part->integers && at < part->n; at++) {
        part->values[at] = (float)part->integers[at] * part->scales[part->scaled == SCALES_OF_ROWS ? i : j];
        if (++j == cols) i++, j = 0;
    }
    return part->values;
}

/* Reads the data of a tensor in parts, passes them to its sink and adds them to the checksum. The scales of a matrix of
   int8 may be anywhere in the file. */
static int read_tensor(Safetensors *file, const Entry *entry, bool finite, uint64_t *sum, Err *err) {
    const bool quantized = entry->type == TENSOR_I8;
    const size_t size = types[entry->type].size, all = (entry->end - entry->begin) / size, most = part_of(entry, all);
    const size_t scales_size = quantized ? entry->scale->end - entry->scale->begin : 0;
    float *values = mem_alloc_aligned(most * sizeof *values), *scales = mem_alloc(scales_size);
    int8_t *integers = quantized ? mem_alloc(most) : NULL;
    TensorPart part = {0, 0, integers, scales, scales_of(entry), (size_t)entry->cols, values};
    int status = quantized ? read_at(file, scales, scales_size, file->data + entry->scale->begin, err) : 0;
    XXH3_64bits_reset_withSeed(file->tensor, hash_label(entry->name, entry->rows, entry->cols));
    for (; part.first < all && !status; part.first += part.n) {
        void *to = quantized ? (void *)integers : values;
        part.n = all - part.first < most ? all - part.first : most;
        status = read_next(file, to, part.n * size, err);
        if (status) break;
        add_part(file, to, part.n * size);
        if (finite) check_finite(file, entry, &part);
        if (entry->sink) entry->sink(entry->context, &part);
    }
    *sum += XXH3_64bits_digest(file->tensor);
    mem_free(values);
    mem_free(scales);
    mem_free(integers);
    return status;
}

int safetensors_read(Safetensors *file, bool finite, Err *err) {
    if (file->format && file->format < FORMAT_F32)
        return err_set(err, file->path, 0, "has format %d, but this program reads formats from %d on", file->format,
                       FORMAT_F32);
    if (file->format > FORMAT_I8)
        return err_set(err, file->path, 0,
                       "has format %d, but this program reads formats up to %d: a newer version of tide wrote it",
                       file->format, FORMAT_I8);
    uint64_t sum = sum_metadata(file);
    int status = 0;
    for (ptrdiff_t i = 0; i < arrlen(file->entries) && !status; i++)
        status = read_tensor(file, &file->entries[i], finite, &sum, err);
    return status || check_sum(file, sum, err) || check_numbers(file, err) ? -1 : 0;
}

int safetensors_close(Safetensors *file, int status, Err *err) {
    Err damage;
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++) file->entries[i].sink = NULL;
    if (status && !file->failed && file->at < file->size && safetensors_read(file, false, &damage)) *err = damage;
    release(file);
    return status;
}

bool safetensors_is_quantized(const Safetensors *file) {
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++)
        if (file->entries[i].type == TENSOR_I8) return true;
    return false;
}

TensorScales safetensors_scales(const Safetensors *file, const char *name) {
    const Entry *entry = entry_of(file, name);
    return entry ? scales_of(entry) : SCALES_NONE;
}

int safetensors_format(const Safetensors *file) { return file->format; }

bool safetensors_is_readable(const Safetensors *file) {
    return !file->format || (file->format >= FORMAT_F32 && file->format <= FORMAT_I8);
}

const char *safetensors_meta(const Safetensors *file, const char *key) {
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(file->header, "__metadata__");
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(metadata, key));
}

double safetensors_checksum_seconds(const Safetensors *file) { return file->seconds; }

int safetensors_find(Safetensors *file, const char *name, int rows, int cols, TensorSink *sink, void *context,
                     Err *err) {
    Entry *entry = entry_of(file, name);
    if (!entry) return err_set(err, file->path, 0, "tensor %s is missing", name);
    if (entry->rows != rows || entry->cols != cols)
        return err_set(err, file->path, 0, "tensor %s has shape [%d, %d], but [%d, %d] is needed", name, entry->rows,
                       entry->cols, rows, cols);
    entry->found = true;
    entry->sink = sink;
    entry->context = context;
    if (entry->scale) entry->scale->found = true;
    return 0;
}

int safetensors_all_found(const Safetensors *file, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(file->entries); i++)
        if (!file->entries[i].found)
            return err_set(err, file->path, 0, "tensor %.60s is not part of the model", file->entries[i].name);
    return 0;
}
