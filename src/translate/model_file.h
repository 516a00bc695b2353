/* model_file.h: what model.safetensors holds: the weights, and in its metadata configuration, merges and vocabularies,
   so that a model is complete in itself. */
#ifndef TIDE_MODEL_FILE_H
#define TIDE_MODEL_FILE_H

#include "translate/safetensors.h"
#include "translate/translator.h"

/* The metadata. The configuration is text as options_format writes it, of which the translator's options are a part.
   The caller owns the values: model_meta_free. */
enum { MODEL_META = 7 };
void model_meta(const Translator *translator, const char *configuration, Meta meta[MODEL_META]);
void model_meta_free(Meta meta[MODEL_META]);
/* The weights of a model that is trained as named tensors: a stb_ds array. The data stay the model's. */
Tensor *model_tensors(const Translator *translator);
/* Writes a model that is trained; -1 with *err filled. */
int model_save(const Translator *translator, const char *configuration, const char *path, Err *err);

/* Reads options and languages and declares the model, whose parameters have no memory yet. Options of its training,
   which the configuration has too, are kept as text. Where the file has no checksum, translator->warning says so. -1
   with *err filled; the caller releases the translator in either case. */
int model_read(Translator *translator, const Safetensors *file, const char *path, Err *err);

/* Where a tensor of a file goes: into a parameter, or, if that is NULL, into memory of the caller's. */
typedef struct TensorTarget {
    Param *param;
    float *values;
} TensorTarget;
/* The parameters as targets, by the number of their tensor: [safetensors_count], owned by the caller, who may add
   others. NULL with *err filled if a tensor is missing or has another shape. */
TensorTarget *model_targets(const Params *params, Safetensors *file, Err *err);
/* Reads all data of the file into the targets, which have memory now. As safetensors_read. */
int targets_read(TensorTarget *targets, Safetensors *file, Err *err);

/* Loads MODEL, a directory with model.safetensors or such a file itself, as a model that is only read. Nothing that
   happens to the file afterwards changes it. The caller tells its user of translator->warning. Release with
   translator_free. Returns 0, or -1 with *err filled; then
   there is nothing to release. */
int model_load(Translator *translator, const char *path, Err *err);

#endif
