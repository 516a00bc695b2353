/* ensemble.h: models that translate together; see Ensemble in model/beam.h. */
#ifndef TIDE_ENSEMBLE_H
#define TIDE_ENSEMBLE_H

#include "translate/translator.h"

/* Whether `member`, loaded from `path`, has the source and target pieces of the first model, as an ensemble needs it.
   Otherwise returns -1 with *err filled. */
int ensemble_check(const Translator *first, const Translator *member, const char *path, Err *err);
/* Whether a translation by these models has an alignment: that of one of them, or the mean of several. */
bool ensemble_aligns(const Translator *const *members, int count);

#endif
