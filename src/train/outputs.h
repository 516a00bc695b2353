/* outputs.h: the translations of the dev set at each validation: MODEL/valid/UPDATE.out, a line for each pair of
   source.txt and reference.txt in the same folder. After a change of the dev set, older files belong to the old one. */
#ifndef TIDE_OUTPUTS_H
#define TIDE_OUTPUTS_H

#include "corpus/corpus.h"

/* Writes source.txt and reference.txt. Returns 0, or -1 with *err filled. */
int outputs_write_pairs(const char *model, char **const texts[2], Err *err);
/* Writes the translations of a validation after `update` updates. Returns 0, or -1 with *err filled. */
int outputs_write(const char *model, long update, char *const *translations, int n, Err *err);
/* Cuts valid/ and align/ back to the checkpoint of `update`: removes the files of later updates. Removes those of
   `update` itself, too, if `validated` is false and train.jsonl has no validation of this update. Returns 0, or -1 with
   *err filled. */
int outputs_cut(const char *model, long update, bool validated, Err *err);

/* Removes the files of a training without validations from the directory, with the file `mark` of its caller; and the
   directory, if it is empty then. */
void outputs_remove(const char *model, const char *mark);

#endif
