/* model_file.h: reading and writing model.safetensors: the weights, with configuration, merges and vocabularies in
   the metadata. No other file is needed to use a model. */
#ifndef TIDE_MODEL_FILE_H
#define TIDE_MODEL_FILE_H

#include "io/files.h"
#include "io/safetensors.h"
#include "translate/recipe.h"
#include "translate/translator.h"

/* The keys of the metadata for the sides source and target, and the subwords of the source, if it has two factors. */
enum { MODEL_SUBWORDS = 2, MODEL_SIDES };
/* "open" says that pieces which are not in the vocabulary are split (side.h): "1" with BPE. tide does not read it. */
enum { MODEL_VOCAB, MODEL_MERGES, MODEL_OPEN, MODEL_SIDE_KEYS };
extern const char *const model_side_keys[MODEL_SIDES][MODEL_SIDE_KEYS];

/* ---- reading: model_file.c ----------------------------------------------------------------------------------------
 */

/* Reads the options, tokenizers and vocabularies of a model and declares its parameters, without memory for their
   values. translator->configuration receives the whole configuration as text, with the options of the training.
   translator->warning is set if the file has no checksum. The caller releases the translator, also after an error.
   Returns 0, or -1 with *err filled. */
int model_read(Translator *translator, const Safetensors *file, const char *path, Err *err);

/* Finds the tensors of the parameters: safetensors_read writes them to the parameters, whose memory must be allocated
   by then. Returns 0, or -1 with *err filled if a tensor is missing or has another shape. */
int params_find(Params *params, Safetensors *file, Err *err);

/* Finds an installed model by its name, such as zh-en, which has no slash, for the programs of tide, whose names begin
   with "tide"; in another program, which uses the library, there is none. Its folder is in ../share/tide/models,
   beside an installed program; in `models`, in the sources; or in `models` beside the program. A file or folder of this
   name in the current folder comes first: then the result is false. `folder` receives the path. */
bool model_installed(const char *name, char folder[PATH_SIZE]);
/* Writes the path of the file of a model to `full`: `path` is a directory with model.safetensors, such a file, or, in a
   program of tide, the name of an installed model. Returns 0, or -1 with *err filled if there is none. */
int model_find(const char *path, char full[PATH_SIZE], Err *err);

/* Loads a model for translation: `path` as for model_find. All its numbers must be
   finite. Matrices of 8 bits stay int8 if param_use_int8 accepts them, and then their products are those of PANELS_I8
   (operand.h). Later changes of the file do not matter. The caller must show translator->warning to the user. Release
   with translator_free. Returns 0, or -1 with *err filled; then *translator is all zero, and translator_free does
   nothing. */
int model_load(Translator *translator, const char *path, Err *err);

/* The same for the `size` bytes of a model.safetensors in memory, which are not needed afterwards. name: what errors
   call it. */
int model_load_bytes(Translator *translator, const void *bytes, size_t size, const char *name, Err *err);

/* The same, but the weights have the memory of a model in training, which is float. */
int model_load_trained(Translator *translator, const char *path, Err *err);

/* ---- writing: model_write.c -------------------------------------------------------------------------------------- */

/* Fills the metadata of a model; a value may be NULL. `configuration` is text as options_format writes it; it contains
   the translator's options. recipe: as recipe_format writes it, or NULL. The values are owned by the caller; release
   with model_meta_free. */
enum { MODEL_META = 11 + ABOUTS };
void model_meta(const Translator *translator, const char *configuration, const char *recipe, Meta meta[MODEL_META]);
void model_meta_free(Meta meta[MODEL_META]);
/* The weights of a model in training as named tensors: a stb_ds array. The data belong to the model. */
Tensor *model_tensors(const Translator *translator);
/* Writes a model in training, or one of model_load_trained; translator->quantized: with weights of 8 bits. recipe: how
   the model was made, NULL: not known; the sum of the weights is computed here. Returns 0, or -1 with *err filled. */
int model_save(const Translator *translator, const char *configuration, const Recipe *recipe, const char *path,
               Err *err);
/* Writes a copy of a model to the file `to`, with other options of the search (NULL: the same). quantized: every matrix
   of the copy has 8 bits for each weight. Element w of a matrix becomes q = round(w / s), from -127 to 127, with s =
   max |w| / 127 over its column, or over its row for an embedding, rounded up to 16 bits, so that 127 s is exact and a
   second quantization changes nothing. Vectors stay as they are. The copy has a recipe with `path` as its parent.
   `path` as for model_load. Returns 0, or -1 with *err filled. */
int model_copy(const char *path, const ModelOptions *search, bool quantized, const char *to, Err *err);

#endif
