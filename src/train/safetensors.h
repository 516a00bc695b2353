/* safetensors.h: named tensors and text in one file, as huggingface/safetensors describes it: an 8-byte length, a JSON
   header, and the numbers, little-endian. Written whole or not at all; a checksum in the metadata covers every byte. */
#ifndef TIDE_SAFETENSORS_H
#define TIDE_SAFETENSORS_H

#include "core/base.h"

#include <stddef.h>

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

/* Maps a file and checks all of it: structure, bounds and checksum. NULL with *err filled. */
Safetensors *safetensors_open(const char *path, Err *err);
void safetensors_close(Safetensors *file);
/* Text of the metadata, owned by the file; NULL where there is none. */
const char *safetensors_meta(const Safetensors *file, const char *key);
/* Seconds that the checksum took when the file was opened. */
double safetensors_checksum_seconds(const Safetensors *file);
/* Finds a tensor; -1 with *err filled if it is missing or of another shape. *data is owned by the file. */
int safetensors_find(const Safetensors *file, const char *name, int rows, int cols, const float **data, Err *err);
/* Checks that every tensor was found by now, each once; -1 with *err filled, which names one that was not. */
int safetensors_all_found(const Safetensors *file, Err *err);

#endif
