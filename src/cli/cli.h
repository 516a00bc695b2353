/* cli.h: the subcommands, and what they share. Only this floor prints for people and exits. */
#ifndef TIDE_CLI_H
#define TIDE_CLI_H

#include "cli/args.h"
#include "model/beam.h"
#include "core/threads.h"
#include "train/translator.h"

typedef struct Command {
    const char *name, *summary; /* of `tide --help` */
    const char *usage;          /* of `tide NAME --help`: what follows the name */
    const char *about;          /* and a few lines below */
    const Flag *flags;
    int flag_count;
    bool takes_options;           /* every option of train/options.h is a flag too */
    int (*run)(const Args *args); /* returns the exit status */
} Command;

extern const Command command_train, command_translate, command_align, command_aer, command_bleu, command_chrf,
    command_corpus, command_tokenize, command_score, command_evaluate, command_info, command_attend, command_report,
    command_bench;

/* Prints "tide: path:line: reason" and returns the exit status. */
int fail(const Err *err);
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flags that several commands have. */
#define FLAG_THREADS                                                                                                   \
    { "threads", 1, "N", "threads (default: one for each processor)" }
#define FLAG_ISA                                                                                                       \
    { "isa", 1, "NAME", "kernels to use: auto, avx512, avx2, neon or portable; the results are the same" }
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
/* Loads them; returns -1 with *err filled. */
int models_load(const Args *args, Translator *translator, Err *err);
#define FLAG_ATTENTION_MODE                                                                                            \
    { "attention-mode", 1, "soft|hard", "hard: read the one annotation of the largest score alone (default soft)" }
#define FLAGS_ALIGNMENT                                                                                                \
    {"alignment-head", 1, "N",                                                                                         \
     "which head's weights are the alignment, also where a flag goes by it (default: mean)"},                          \
    {                                                                                                                  \
        "alignment-layer", 1, "N", "and of which layer of a Transformer (default: the last)"                           \
    }
/* --attention-mode, --alignment-head and --alignment-layer; returns -1 with *err filled. */
int reading_flags(const Args *args, Reading *reading, Err *err);
/* Has the model from `path` read so; returns -1 with *err filled where it has no such attention. */
int reading_set(Translator *translator, const char *path, Reading reading, Err *err);
/* The same for all that models_load has loaded. */
int readings_set(const Args *args, Translator *translator, Reading reading, Err *err);
/* --max-length; returns -1 with *err filled. */
int length_flag(const Args *args, int *most, Err *err);
/* Checks that none of the lines of `path`, a stb_ds array for side 0 (source) or 1 (target), has more than `most`
   pieces; else returns -1 with *err filled. Where the model does not know most of them, says so. */
int lines_check(const Translator *translator, int side, char *const *lines, int most, const char *path, Err *err);
/* --threads and --isa; returns -1 with *err filled. */
int machine_flags(const Args *args, int *threads, Err *err);
/* --beam-size, --normalize and --coverage-penalty, which needs a model with attention; what is not said stays as it
   is. */
int beam_flags(const Args *args, const Translator *translator, BeamOptions *beam, Err *err);

#endif
