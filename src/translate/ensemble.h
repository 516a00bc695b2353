/* ensemble.h: checks of an ensemble of models; see Ensemble in model/beam.h. */
#ifndef TIDE_ENSEMBLE_H
#define TIDE_ENSEMBLE_H

#include "translate/translator.h"

/* Checks that `member`, loaded from `path`, has the same source and target pieces as the first model. Returns 0, or
   -1 with *err filled. */
int ensemble_check(const Translator *first, const Translator *member, const char *path, Err *err);
/* Whether a translation by these models has an alignment: true if at least one of them has attention. */
bool ensemble_aligns(const Translator *const *members, int count);

#endif
