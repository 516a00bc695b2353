/* distillation.h: word-level knowledge distillation (Kim & Rush 2016, section 3.1). The probabilities that a teacher
   gives to each word are targets of the training. A training that begins with the weights of the teacher keeps what the
   teacher knows. */
#ifndef TIDE_DISTILLATION_H
#define TIDE_DISTILLATION_H

#include "corpus/batches.h"
#include "translate/translator.h"

/* All zero: there is no teacher. */
typedef struct Distillation {
    Translator model;
    Tape tape; /* of `model`; it does not record. Its products are those of float32, or of 8 bits if the model has them
                */
    bool open;
} Distillation;

/* Loads the teacher. Returns 0, or -1 with *err filled: it cannot be read, or has not the pieces of `pupil`. Release
   with distillation_free, also after an error. */
int distillation_open(Distillation *distillation, const char *teacher, const Translator *pupil, Threads *threads,
                      Err *err);
void distillation_free(Distillation *distillation);

/* Begins with a batch of the teacher: returns the arena for it. */
Arena *distillation_begin(Distillation *distillation);
/* Runs the teacher on this batch. row, weight: those of the result, see Teacher. The result is good until the next
   distillation_begin. */
Teacher distillation_run(Distillation *distillation, const Batch *batch, const int *row, const real *weight);

/* Runs the teacher on those of the pairs which[0..n - 1] whose set it teaches, without noise in their sources. `target`
   is that of the batch of all n. *found is the teacher of its rows, with arrays in the arena, or tape is NULL if none
   is taught; it is good until the next distillation_begin. Returns 0, or -1 with *err filled if the temporary file
   cannot be read. */
int distillation_teach(Distillation *distillation, Arena *arena, const Pairs *pairs, const int *which, int n,
                       const Sequences *target, Teacher *found, Err *err);

#endif
