/* safetensors.h: a file of named tensors and text, in the format of huggingface/safetensors: an 8-byte header
   length, a JSON header, and little-endian numbers. The metadata have the version of tide's format under "format"
   (3, or 4 if a matrix has 8 bits) and a checksum of the metadata and the tensors (see safetensors.c). */
#ifndef TIDE_SAFETENSORS_H
#define TIDE_SAFETENSORS_H

#include "core/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum TensorType { TENSOR_F32, TENSOR_I8 } TensorType;

/* A matrix [rows, cols]; rows = 0: a vector of cols values. A matrix NAME of int8 needs a tensor NAME.scale, float32,
   of shape [1, cols] or [rows, 1]: an element is its integer times the scale of its column or row. */
typedef struct Tensor {
    const char *name;
    int rows, cols;
    const void *data; /* float or int8_t */
    TensorType type;
} Tensor;

/* The size of its data. */
size_t tensor_bytes(const Tensor *tensor);

typedef struct Meta {
    const char *key, *value;
} Meta;

/* Writes the file completely or not at all: writes a temporary file beside `path`, syncs it to the disk and renames
   it. The data of the first tensor begin at a multiple of 64 bytes, those of each next tensor directly after the one
   before; tensors of int8 must be last. Returns 0, or -1 with *err filled if the disk fails, or if the header is larger
   than the format's limit of 100 MB. */
int safetensors_write(const char *path, const Tensor *tensors, int tensor_count, const Meta *meta, int meta_count,
                      Err *err);

typedef struct Safetensors Safetensors;

/* Opens a file, reads its header and checks that every tensor is float32, or int8 with its scale, that its size fits
   its shape, and that the tensors cover each byte of the data exactly once. safetensors_read reads the data. A file of
   another format of tide is opened for its metadata only and has no tensors. Returns NULL with *err filled if the file
   is not a regular file, cannot be read, becomes shorter meanwhile, or is not a safetensors file. */
Safetensors *safetensors_open(const char *path, Err *err);
/* The same for the `size` bytes of a file in memory, which must stay until safetensors_close. name: stands in errors
   in place of the path. */
Safetensors *safetensors_open_bytes(const void *bytes, size_t size, const char *name, Err *err);
/* Closes the file and returns `status`, the caller's result so far. If status is not 0, this first reads the rest of
   the file. If safetensors_read finds an error (damage, or another format), its error replaces *err, because it is the
   reason why the caller failed. */
int safetensors_close(Safetensors *file, int status, Err *err);
/* A text of the metadata, owned by the file; NULL if there is none with this key. A program other than tide that
   rewrites a file usually removes the "checksum", which safetensors_read compares. */
const char *safetensors_meta(const Safetensors *file, const char *key);
/* The version of the format; 0: tide did not write the file. */
int safetensors_format(const Safetensors *file);
/* Whether safetensors_read accepts the format: formats 1 and 2 came before the first release, later ones are of a newer
   tide. */
bool safetensors_is_readable(const Safetensors *file);
/* Seconds spent on the checksum so far. */
double safetensors_checksum_seconds(const Safetensors *file);
/* Whether a tensor is of int8. */
bool safetensors_is_quantized(const Safetensors *file);

/* The scales of a tensor: none if it is float32, or if there is none with this name. */
typedef enum TensorScales { SCALES_NONE, SCALES_OF_COLUMNS, SCALES_OF_ROWS } TensorScales;
TensorScales safetensors_scales(const Safetensors *file, const char *name);

/* The elements first..first + n - 1 of a tensor, in row-major order; whole rows if the tensor has more than one row.
   All pointers are valid during the call of the sink only. */
typedef struct TensorPart {
    size_t first, n;
    const int8_t *integers; /* NULL: the tensor is float32 */
    const float *scales;    /* of int8: of all columns or rows */
    TensorScales scaled;
    size_t cols;
    float *values; /* see tensor_part_values */
} TensorPart;
/* The elements as floats: integers are multiplied by their scales. */
const float *tensor_part_values(const TensorPart *part);

/* Receives a part of a tensor. */
typedef void TensorSink(void *context, const TensorPart *part);
/* Finds the tensor with this name and shape (rows 0: a vector), marks it, and its scale, as found, and sets the sink
   that gets its data (NULL: none). Returns 0, or -1 with *err filled if it is missing or has another shape. */
int safetensors_find(Safetensors *file, const char *name, int rows, int cols, TensorSink *sink, void *context,
                     Err *err);
/* Checks that safetensors_find has found every tensor. Returns 0, or -1 with *err filled, which names one that was
   not found. */
int safetensors_all_found(const Safetensors *file, Err *err);
/* Reads all data once, in the order of the file, and passes them to the sinks; then compares the checksum, if there is
   one. finite: also fails if a number is not finite, or if the product of a scale and an integer may not be. Returns 0,
   or -1 with *err filled, also if safetensors_is_readable is false; then what the sinks received must not be used. */
int safetensors_read(Safetensors *file, bool finite, Err *err);

#endif
