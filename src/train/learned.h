/* learned.h: what a training on corrections has reached, and whether the new model is accepted. */
#ifndef TIDE_LEARNED_H
#define TIDE_LEARNED_H

#include "train/learn_measure.h"

/* A held-out correction; owned texts. */
typedef struct LearnExample {
    char *source, *correction, *before, *after;
} LearnExample;

enum { BEFORE, AFTER };

typedef struct Learned {
    CorrectionCounts counts;
    Err why;         /* its reason: of the first correction that was refused; "": none was */
    int kept, valid; /* pairs of the text that keeps the model's knowledge, and of the development set */
    int updates, seed;
    double learn_rate, share, most_loss; /* as in LearnJob */
    Measure held_out[2], dev[2];         /* BEFORE and AFTER */
    double p;       /* of a difference as large as that in BLEU of held_out, if both models were equally good */
    double against; /* BLEU of the development set from which its loss is counted: of the model that was trained on */
    bool accepted;
    char reason[256]; /* why it was refused; "": accepted */
    LearnExample
        *examples; /* stb_ds array: a few held-out corrections that are translated in another way than before */
} Learned;

/* Decides from the measurements: fills accepted and reason. The model is accepted if the perplexity of the held-out
   corrections is lower, their BLEU not lower than chance allows (p < LEARNED_P), and the development set loses at most
   most_loss. */
#define LEARNED_P 0.05
void learned_judge(Learned *learned);
/* Chooses the examples. translations: of the held-out corrections, BEFORE and AFTER. */
void learned_choose_examples(Learned *learned, const TextPairs *held_out, char **const translations[2]);
/* Writes everything as one object of JSON, completely or not at all. Returns 0, or -1 with *err filled. */
int learned_write(const Learned *learned, const char *path, Err *err);
/* Releases the examples. */
void learned_free(Learned *learned);

#endif
