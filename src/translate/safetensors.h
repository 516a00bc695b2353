/* safetensors.h: named tensors and text in one file, as huggingface/safetensors describes it: an 8-byte length, a JSON
   header, and the numbers, little-endian. Written whole or not at all. The metadata have the version of the format,
   under "format", and a checksum of everything that the file says (see safetensors.c). */
#ifndef TIDE_SAFETENSORS_H
#define TIDE_SAFETENSORS_H

#include "core/base.h"

#include <stdbool.h>
#include <stddef.h>

/* The version that is written. Format 1, which had another checksum, is read too. */
enum { SAFETENSORS_FORMAT = 2 };

/* A float32 matrix [rows, cols]; rows 0: a vector of cols. */
typedef struct Tensor {
    const char *name;
    int rows, cols;
    const float *data;
} Tensor;

typedef struct Meta {
    const char *key, *value;
} Meta;

/* Writes to a temporary file beside `path`, syncs it to the disk and renames it. The first tensor begins at a multiple
   of 64 bytes, each other one where the one before it ends. -1 with *err filled where it cannot be written, or the
   header would be larger than any reader takes: 100 MB. */
int safetensors_write(const char *path, const Tensor *tensors, int tensor_count, const Meta *meta, int meta_count,
                      Err *err);

typedef struct Safetensors Safetensors;

/* Opens a file and reads its header: checks that every tensor has float32 numbers of its shape, and that the tensors
   cover each byte of the data once. The data come by safetensors_read. NULL with *err filled: no regular file, a file
   that cannot be read or becomes shorter meanwhile, no safetensors file. A file of a newer format is opened, for its
   metadata, and has no tensors. */
Safetensors *safetensors_open(const char *path, Err *err);
/* Closes the file. If the caller failed (`status` is not 0) before all data were read, and safetensors_read would fail
   too, then that is the error: a reader of a damaged file, or of a newer format, fails for that reason. Returns the
   status. */
int safetensors_close(Safetensors *file, int status, Err *err);
/* Text of the metadata, owned by the file; NULL where there is none. */
const char *safetensors_meta(const Safetensors *file, const char *key);
/* The version of the format; 0: the file is none that tide has written. */
int safetensors_format(const Safetensors *file);
/* Whether there is a checksum that safetensors_read compares. Another program that alters a file takes it away. */
bool safetensors_has_checksum(const Safetensors *file);
/* Seconds that the checksum has taken so far. */
double safetensors_checksum_seconds(const Safetensors *file);
/* The number of tensors; they are numbered from 0 in the order of the data. */
int safetensors_count(const Safetensors *file);
/* The number of a tensor [rows, cols] (rows 0: a vector); -1 with *err filled if it is missing or has another shape. */
int safetensors_find(Safetensors *file, const char *name, int rows, int cols, Err *err);
/* Checks that every tensor was found by now, each once; -1 with *err filled, which names one that was not. */
int safetensors_all_found(const Safetensors *file, Err *err);

/* Takes n values of a tensor from the `first` on, in row-major order. Of a matrix with several rows they are whole
   rows. They are gone afterwards. */
typedef void TensorSink(void *context, int tensor, size_t first, const float *values, size_t n);
/* Reads all data once, in their order, and passes them to the sink (NULL: none) while they are in the cache; then
   checks the checksum, if there is one. Returns 0, or -1 with *err filled, also for a format that is newer than
   SAFETENSORS_FORMAT: then what the sink received is worth nothing. */
int safetensors_read(Safetensors *file, TensorSink *sink, void *context, Err *err);

#endif
