/* models.h: the flags and checks of commands that use models. */
#ifndef TIDE_MODELS_H
#define TIDE_MODELS_H

#include "cli/cli.h"
#include "text/reader.h"
#include "translate/model_file.h"
#include "translate/session.h"

#define FLAGS_BEAM                                                                                                     \
    {"beam-size", 1, "N", "hypotheses (default: the model's)"},                                                        \
        {"normalize", 1, "R", "divide scores by length to this power (default: the model's; 0: do not)"}, {            \
        "coverage-penalty", 1, "R", "rank lower what leaves source words untranslated (default: 0)"                    \
    }
#define FLAG_MODELS                                                                                                    \
    { "models", MANY, "MODEL ...", "in place of MODEL: several that have the same pieces, and translate together" }
#define FLAG_MAX_LENGTH                                                                                                \
    { "max-length", 1, "N", "pieces of a sentence (default 1000): more is an error, for memory grows with the square" }
/* The i-th model, from 0, that the command is to use: MODEL or one of --models; NULL beyond. */
const char *model_path(const Args *args, int i);
/* Whether there is MODEL or --models, and not both. */
bool models_given(const Args *args);
/* As model_load; also prints a warning if there is one. */
int models_load_one(Translator *translator, const char *path, Err *err);
/* The models of a command: several are an ensemble. */
typedef struct Models {
    const Translator **list; /* [count]: a stb_ds array, owned as its elements are */
    int count;
} Models;
/* Loads them; returns -1 with *err filled. Release with models_free. */
int models_load(const Args *args, Models *models, Err *err);
void models_free(Models *models);
/* Whether a translation by them has an alignment. */
bool models_align(const Models *models);
#define FLAG_ATTENTION_MODE                                                                                            \
    { "attention-mode", 1, "soft|hard", "hard: read the one annotation of the largest score alone (default soft)" }
#define FLAGS_ALIGNMENT                                                                                                \
    {"alignment-head", 1, "N",                                                                                         \
     "which head's weights are the alignment, also where a flag goes by it (default: mean)"},                          \
    {                                                                                                                  \
        "alignment-layer", 1, "N", "and of which layer of a Transformer (default: the last)"                           \
    }
/* --attention-mode, --alignment-head and --alignment-layer; returns -1 with *err filled. */
int attention_flags(const Args *args, AttentionOptions *attention, Err *err);
/* Whether the attention of the model from `path` can be read so; otherwise returns -1 with *err filled. */
int attention_check(const Translator *translator, const char *path, AttentionOptions attention, Err *err);
/* The same for all that models_load has loaded. */
int attentions_check(const Args *args, const Models *models, AttentionOptions attention, Err *err);
/* Checks that an output is none of n inputs (NULL: none) and no model of the command; else returns -1 with *err filled.
 */
int output_check(const Args *args, const char *output, const char *const *inputs, int n, Err *err);
/* --max-length; returns -1 with *err filled. */
int length_flag(const Args *args, int *most, Err *err);
/* Checks that none of the lines of `path`, a stb_ds array for side 0 (source) or 1 (target), has more than `most`
   pieces; else returns -1 with *err filled. Where the model does not know most of them, says so. */
int lines_check(const Translator *translator, int side, char *const *lines, int most, const char *path, Err *err);
/* --beam-size, --normalize and --coverage-penalty, which needs a model with attention; an option that is not given
   keeps its value. */
int beam_flags(const Args *args, const Models *models, BeamOptions *beam, Err *err);

#endif
