/* models.h: flags and checks for commands that use models. */
#ifndef TIDE_MODELS_H
#define TIDE_MODELS_H

#include "cli/cli.h"
#include "translate/ensemble.h"
#include "translate/model_file.h"
#include "translate/search_options.h"
#include "translate/session.h"

#define FLAGS_BEAM                                                                                                     \
    FLAG_INT("beam-size", "hypotheses of the beam search (default: the model's)", 1, 1000, NULL),                      \
        FLAG_REAL("normalize", "divide scores by length to this power; 0: do not (default: the model's)", 0, 10,       \
                  NULL),                                                                                               \
        FLAG_REAL("word-penalty", "subtract R from the log-probability for each piece (default: the model's)", -10,    \
                  10, NULL),                                                                                           \
        FLAG_REAL("coverage-penalty", "weight of a penalty for source words that are not translated", 0, 10, "0")
#define FLAG_MODELS                                                                                                    \
    { "models", MANY, "MODEL ...", "instead of MODEL: an ensemble of models with the same pieces", .kind = VALUE_FILE }
#define FLAG_MAX_LENGTH                                                                                                \
    FLAG_INT("max-length", "most pieces in a sentence; more is an error, because memory grows with the square", 1,     \
             1 << 20, "1000")
#define FLAG_TAG                                                                                                       \
    { "tag", 1, "NAME", "read the source as text of the training corpora with this tag", .kind = VALUE_TEXT }
#define FLAG_PRECISION                                                                                                 \
    FLAG_CHOICE("precision", "what products with weights multiply; bfloat16 has the bits of a matrix unit",            \
                PRECISIONS, "float32")
/* The path of the i-th model, from 0: MODEL or one of --models; NULL if there are no more. */
const char *model_path(const Args *args, int i);
/* Returns whether the command line has either one MODEL or --models, not both. */
bool models_given(const Args *args);
/* Does the same as model_load; also prints the model's warning if there is one. */
int models_load_one(Translator *translator, const char *path, Err *err);
#define FLAG_FORCE FLAG_SWITCH("force", "replace a model that the directory has already")
/* Makes the directory `dir` for a copy of `model`, and writes the path of the copy, DIR/model.safetensors, to `path`
   [PATH_SIZE]. Returns 0, or -1 with *err filled, also if `dir` is the directory of the model itself, if it holds a
   training, or if it has a model and FLAG_FORCE is not given. */
int model_directory_make(const Args *args, const char *dir, const char *model, char *path, Err *err);
/* The models of a command; more than one are an ensemble. */
typedef struct Models {
    const Translator **list; /* [count]: a stb_ds array; array and elements are owned */
    int count;
} Models;
/* Loads all models of the command line; release with models_free. Returns 0, or -1 with *err filled. */
int models_load(const Args *args, Models *models, Err *err);
void models_free(Models *models);
#define FLAG_ATTENTION_MODE                                                                                            \
    FLAG_CHOICE("attention-mode", "hard: read only the annotation with the largest score", "soft|hard", "soft")
#define FLAGS_ALIGNMENT                                                                                                \
    FLAG_INT("alignment-head",                                                                                         \
             "attention head whose weights are the alignment, for all flags that use it (default: mean of all heads)", \
             1, 256, NULL),                                                                                            \
        FLAG_INT("alignment-layer", "layer of a Transformer whose weights are the alignment (default: the last)", 1,   \
                 256, NULL)
/* Reads the flags of the table of search options that the command has; lists of words are left out, which
   word_lists.h reads. Returns 0, or -1 with *err filled. */
int search_flags(const Args *args, SearchOptions *options, Err *err);
/* search_options_check for the models of the command. Returns 0, or a number below 0 with *err filled. */
int search_check(const Args *args, const SearchOptions *options, const Translator *const *models, int count, Err *err);
/* Checks that an output file is not one of n inputs (an input may be NULL) and not a model of the command. Returns 0,
   or -1 with *err filled. */
int output_check(const Args *args, const char *output, const char *const *inputs, int n, Err *err);
/* Checks that no line has more than `most` pieces. lines: a stb_ds array, read from `path`; side: SOURCE or TARGET.
   Then does the same as language_warn. Returns 0, or -1 with *err filled. */
int lines_check(const Translator *translator, int side, char *const *lines, int most, const char *path, Err *err);
/* Prints a warning if the model does not know more than half of the pieces of some lines. */
void language_warn(const Translator *translator, int side, char *const *lines, const char *path);
/* Prints " ||| WordScores=" and n log-probabilities, as Marian does. */
void word_scores_print(const double *pieces, int n);
/* How `tide translate` and `tide align` show an alignment. */
typedef struct AlignmentView {
    bool words;       /* show words, not pieces */
    bool shift;       /* see alignment_shift */
    bool end;         /* links may contain </s> */
    double threshold; /* link all weights of at least this; 0: only the largest weight of each row */
} AlignmentView;

#define FLAGS_ALIGNMENT_VIEW                                                                                           \
    FLAG_CHOICE("level", "show alignments by piece or by word: rows averaged, columns summed", "piece|word", "piece"), \
        FLAG_SWITCH("shift",                                                                                           \
                    "use the weights of the step that reads a piece as its input, not of the step that writes it"),    \
        FLAG_SWITCH("end-of-sentence", "in links, count </s> as one more word; the other formats always contain it"),  \
        FLAG_REAL("threshold", "link all weights of at least R, not only the largest of each row", 0, 1, NULL)

/* Reads the flags. Returns 0, or -1 with *err filled. */
int alignment_view_flags(const Args *args, AlignmentView *view, Err *err);
/* Shifts the alignment and merges its pieces into words if the flags say so. */
void alignment_view_apply(const AlignmentView *view, Alignment *alignment);

#endif
