/* sampling_flags.h: the flags of `tide translate` that draw translations instead of searching for the best ones. */
#ifndef TIDE_SAMPLING_FLAGS_H
#define TIDE_SAMPLING_FLAGS_H

#include "cli/args.h"
#include "model/beam.h"

#define FLAGS_SAMPLING                                                                                                 \
    {"output-sampling",                                                                                                \
     MANY,                                                                                                             \
     "full|topk|nucleus [N|P] [TEMPERATURE]",                                                                          \
     "draw words by their probability, not the best: full, topk N or nucleus P, then a temperature",                   \
     .least = 0,                                                                                                       \
     .most = 1 << 20,                                                                                                  \
     .choices = "full|topk|nucleus"},                                                                                  \
        FLAG_INT("seed", "with --output-sampling: seed of the random numbers", 0, 1 << 30, "1")

/* Reads --output-sampling and --seed into *sampling, and sets beam->sampling and beam->beam: `samples` translations of
   each sentence. Changes nothing if the flag is not given. Returns 0, or -1 with *err filled. */
int sampling_flags(const Args *args, int samples, Sampling *sampling, BeamOptions *beam, Err *err);

#endif
