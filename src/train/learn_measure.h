/* learn_measure.h: what a model makes of a set of pairs. */
#ifndef TIDE_LEARN_MEASURE_H
#define TIDE_LEARN_MEASURE_H

#include "train/job.h"
#include "train/learn_text.h"

typedef struct Measure {
    double bleu;       /* of the normalised texts, as in a validation of a training */
    double perplexity; /* per target piece */
} Measure;

/* A model, and who is told what it does. */
typedef struct Measurer {
    const Translator *translator;
    Threads *threads;
    const TrainCallbacks *callbacks; /* `counting` is used */
    const volatile sig_atomic_t *stop;
} Measurer;

/* Translates normalised sentences with the search options of the model: *texts, a stb_ds array of owned strings in
   NFKC, receives the translations so far. Returns 0; *stop, if it ended the work; or -1 with *err filled. */
int measurer_translate(const Measurer *measurer, char *const *sources, const char *what, char ***texts, Err *err);
/* Translates and scores pairs. *texts as above. Returns as measurer_translate does. */
int measurer_measure(const Measurer *measurer, const TextPairs *pairs, const char *what, Measure *measure,
                     char ***texts, Err *err);

#endif
