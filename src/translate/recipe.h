/* recipe.h: how a model was made. The file of a model stores this as JSON, and `tide verify` does it again; see
   docs/verify.md. A recipe has no paths, and nothing that does not change the bits of the weights. */
#ifndef TIDE_RECIPE_H
#define TIDE_RECIPE_H

#include "core/base.h"
#include "corpus/reader.h"
#include "io/safetensors.h"

#include <stdbool.h>

/* The number of the arithmetic. Two versions of tide with the same number compute the same bits from the same text and
   options. Whoever changes bits changes the number, and says why in the changelog: demo_bits.sh compares the bits of a
   fixed training with those that tests/fixtures/arithmetic.txt has for this number. */
enum { ARITHMETIC = 1 };

/* SHA-256 in hex digits. Empty: none. */
typedef struct Sum {
    char hex[65];
} Sum;

/* Another model, which was changed to this one, or which wrote a text. */
typedef struct RecipeModel {
    Sum file;     /* the sum of its file; empty: there is no such model */
    char *recipe; /* its own recipe, as JSON; NULL: it has none */
} RecipeModel;

typedef struct RecipeCorpus {
    CorpusForm form;
    char *name[2]; /* of its files, without folders; name[1] NULL: both sides are in one file */
    Sum side[2];   /* of source and target: of all texts as they were read, each followed by a newline */
    long pairs;    /* pairs read */
    double weight; /* TrainFiles has the same four */
    char *tag;     /* NULL: none */
    bool quiet;
    double distillation; /* by the probabilities of Recipe.parent */
    RecipeModel teacher; /* which translated one of the sides */
} RecipeCorpus;

/* An option that changed when the training was continued; "tide" and "arithmetic" are also such options. */
typedef struct RecipeChange {
    long update; /* number of updates made before the change */
    char *option, *from, *to;
} RecipeChange;

enum { LINK_SIZE = 33 };
/* The hash of a learner after an update (train/chain.h). */
typedef struct RecipeLink {
    long update;
    char hash[LINK_SIZE]; /* XXH3 of 128 bits, in hex digits */
} RecipeLink;

/* What was done last: a training, or a copy with weights of 8 bits, or with other options of the search. */
typedef enum RecipeKind { RECIPE_TRAIN, RECIPE_QUANTIZE, RECIPE_TUNE } RecipeKind;
extern const char recipe_kind_names[]; /* as in core/choice.h */

/* All texts and arrays (of stb_ds) are owned. */
typedef struct Recipe {
    RecipeKind kind;
    char *version;      /* of tide */
    int arithmetic;     /* its ARITHMETIC */
    RecipeModel parent; /* RECIPE_TRAIN: the pretrained model; else the model that was copied */
    Sum weights;        /* of the data of all tensors, as they are in the file of the model */
    /* of a training only: */
    char *configuration;   /* the options at the beginning, as options_format writes them */
    RecipeCorpus *corpora; /* training sets */
    RecipeCorpus *dev;     /* one development set, or none */
    char *guides;          /* name of the file of --guided-alignment; NULL: none */
    Sum guides_sum;        /* of this file */
    RecipeChange *changes;
    RecipeLink *chain;
    long update; /* of the weights */
} Recipe;

/* The recipe as JSON, in one line without a newline; owned by the caller. */
char *recipe_format(const Recipe *recipe);
/* Parses the JSON of a recipe from the file `path`. The recipe is well-formed, but it need not be true. Returns NULL
   with *err filled if this version cannot read it, or if text is NULL: the file has none. Release with recipe_free. */
Recipe *recipe_parse(const char *text, const char *path, Err *err);
/* Releases what the recipe has; `recipe` itself stays. */
void recipe_clear(Recipe *recipe);
void recipe_free(Recipe *recipe);
/* Releases a stb_ds array of corpora. */
void recipe_corpora_free(RecipeCorpus *corpora);

/* The name of a file for a recipe: the last part of the path, with '?' for bytes that are not UTF-8; owned by the
   caller. */
char *recipe_name(const char *path);
/* Computes the sum of a file. Returns 0, or -1 with *err filled. */
int sum_file(Sum *sum, const char *path, Err *err);
/* The sum of the data of n tensors, one after the other. */
Sum sum_tensors(const Tensor *tensors, int n);
/* Describes a model, of which a path as for model_load is given. Returns 0, or -1 with *err filled. */
int recipe_model_read(RecipeModel *model, const char *path, Err *err);

#endif
