#include "train/safetensors.h"
#include "train/checksum.h"
#include "text/files.h"

#include <cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

static size_t tensor_bytes(const Tensor *t) {
    return (size_t)(t->rows ? t->rows : 1) * (size_t)t->cols * sizeof(float);
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

static char *header_text(const Tensor *tensors, int tensor_count, const Meta *meta, int meta_count) {
    cJSON *root = cJSON_CreateObject(), *metadata = cJSON_AddObjectToObject(root, "__metadata__");
    cJSON_AddStringToObject(metadata, "checksum", "0000000000000000");
    for (int i = 0; i < meta_count; i++) cJSON_AddStringToObject(metadata, meta[i].key, meta[i].value);
    size_t at = 0;
    for (int i = 0; i < tensor_count; i++) {
        cJSON *entry = cJSON_AddObjectToObject(root, tensors[i].name);
        cJSON_AddStringToObject(entry, "dtype", "F32");
        cJSON *shape = cJSON_AddArrayToObject(entry, "shape"), *offsets = cJSON_AddArrayToObject(entry, "data_offsets");
        if (tensors[i].rows) cJSON_AddItemToArray(shape, cJSON_CreateNumber(tensors[i].rows));
        cJSON_AddItemToArray(shape, cJSON_CreateNumber(tensors[i].cols));
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)at));
        at += tensor_bytes(&tensors[i]);
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)at));
    }
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
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
    if (!text) return err_set(err, path, 0, "no memory for the header");
    uint64_t header_size;
    char *header = pad_header(text, &header_size);
    cJSON_free(text);
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
        parts[i + 2] = tensors[i].data, sizes[i + 2] = tensor_bytes(&tensors[i]);
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

struct Safetensors {
    char path[512];
    char *bytes; /* the mapped file */
    size_t size;
    cJSON *header;
    Tensor *tensors;
    bool *found; /* [count] asked for */
    int count;
    double checksum_seconds;
};

static int map_file(Safetensors *file, const char *path, Err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0) return err_set(err, path, 0, "%s", strerror(errno));
    if (fstat(fd, &info) || !S_ISREG(info.st_mode)) {
        close(fd);
        return err_set(err, path, 0, "not a regular file");
    }
    file->size = (size_t)info.st_size;
    errno = 0;
    file->bytes = file->size ? mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (file->bytes == MAP_FAILED) {
        file->bytes = NULL;
        if (errno == ENOMEM) mem_refused(file->size);
        return err_set(err, path, 0, file->size ? "cannot be mapped" : "the file is empty");
    }
    return 0;
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

static int read_tensor(Tensor *tensor, const cJSON *entry, const char *data, size_t data_size) {
    double shape[2], offsets[2];
    const char *dtype = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "dtype"));
    int dims = read_integers(cJSON_GetObjectItemCaseSensitive(entry, "shape"), shape, INT32_MAX);
    int ends = read_integers(cJSON_GetObjectItemCaseSensitive(entry, "data_offsets"), offsets, (double)data_size);
    if (!dtype || strcmp(dtype, "F32") != 0 || dims < 1 || ends != 2 || offsets[0] > offsets[1]) return -1;
    *tensor = (Tensor){entry->string, dims == 2 ? (int)shape[0] : 0, (int)shape[dims - 1], NULL};
    if ((dims == 2 && tensor->rows == 0) || (size_t)offsets[0] % sizeof(float) ||
        offsets[1] - offsets[0] != (double)tensor_bytes(tensor))
        return -1;
    tensor->data = (const float *)(const void *)(data + (size_t)offsets[0]);
    return 0;
}

static int read_tensors(Safetensors *file, const char *data, size_t data_size, Err *err) {
    const cJSON *entry;
    file->tensors = mem_zalloc((size_t)cJSON_GetArraySize(file->header) * sizeof *file->tensors);
    file->found = mem_zalloc((size_t)cJSON_GetArraySize(file->header) * sizeof *file->found);
    cJSON_ArrayForEach(entry, file->header) {
        if (!strcmp(entry->string, "__metadata__")) continue;
        if (read_tensor(&file->tensors[file->count++], entry, data, data_size))
            return err_set(err, file->path, 0, "broken entry for tensor '%.60s'", entry->string);
    }
    return 0;
}

static int check_sum(const Safetensors *file, const char *header, size_t header_size, const char *data,
                     size_t data_size, Err *err) {
    const char *digits = find_digits(header, header_size);
    char hex[CHECKSUM_DIGITS + 1] = "";
    if (digits) {
        Checksum sum = checksum_header(header, header_size, digits);
        checksum_add(&sum, data, data_size);
        checksum_text(&sum, hex);
    }
    if (digits && !memcmp(hex, digits, CHECKSUM_DIGITS)) return 0;
    return err_set(err, file->path, 0, "the checksum does not match: the file is damaged or was altered");
}

static int read_file(Safetensors *file, Err *err) {
    uint64_t header_size;
    if (!file->bytes || file->size < 8) return err_set(err, file->path, 0, "too short for a safetensors file");
    memcpy(&header_size, file->bytes, 8);
    if (header_size > file->size - 8 || header_size > HEADER_LIMIT)
        return err_set(err, file->path, 0, "not a safetensors file, or truncated");
    const char *header = file->bytes + 8, *data = header + header_size;
    size_t data_size = file->size - 8 - (size_t)header_size;
    if (header_size % sizeof(float)) return err_set(err, file->path, 0, "the header is not padded to 4 bytes");
    double began = seconds_now();
    if (check_sum(file, header, (size_t)header_size, data, data_size, err)) return -1;
    file->checksum_seconds = seconds_now() - began;
    file->header = cJSON_ParseWithLength(header, (size_t)header_size);
    if (!cJSON_IsObject(file->header)) return err_set(err, file->path, 0, "the header is not a JSON object");
    return read_tensors(file, data, data_size, err);
}

Safetensors *safetensors_open(const char *path, Err *err) {
    Safetensors *file = mem_zalloc(sizeof *file);
    snprintf(file->path, sizeof file->path, "%s", path);
    if (map_file(file, path, err) || read_file(file, err)) {
        safetensors_close(file);
        return NULL;
    }
    return file;
}

void safetensors_close(Safetensors *file) {
    if (!file) return;
    cJSON_Delete(file->header);
    if (file->bytes) munmap(file->bytes, file->size);
    mem_free(file->tensors);
    mem_free(file->found);
    mem_free(file);
}

const char *safetensors_meta(const Safetensors *file, const char *key) {
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(file->header, "__metadata__");
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(metadata, key));
}

double safetensors_checksum_seconds(const Safetensors *file) { return file->checksum_seconds; }

int safetensors_find(const Safetensors *file, const char *name, int rows, int cols, const float **data, Err *err) {
    for (int i = 0; i < file->count; i++) {
        const Tensor *t = &file->tensors[i];
        if (strcmp(t->name, name) != 0) continue;
        if (t->rows != rows || t->cols != cols)
            return err_set(err, file->path, 0, "tensor %s is [%d, %d] where [%d, %d] is needed", name, t->rows, t->cols,
                           rows, cols);
        *data = t->data;
        file->found[i] = true;
        return 0;
    }
    return err_set(err, file->path, 0, "tensor %s is missing", name);
}

int safetensors_all_found(const Safetensors *file, Err *err) {
    for (int i = 0; i < file->count; i++)
        if (!file->found[i])
            return err_set(err, file->path, 0, "tensor %.60s belongs to nothing here", file->tensors[i].name);
    return 0;
}
