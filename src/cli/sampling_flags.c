#include "cli/sampling_flags.h"

#include <math.h>

int sampling_flags(const Args *args, int samples, Sampling *sampling, BeamOptions *beam, Err *err) {
    const char *name = "output-sampling";
    int kind = SAMPLING_FULL, seed = 1, next = 1;
    double words = 0;
    if (!args_has(args, name)) {
        return args_has(args, "seed") ? usage_error(err, "--seed needs --output-sampling") : 0;
    }
    if (args_has(args, "beam-size"))
        return usage_error(err, "--output-sampling draws translations without a beam; --n-best N draws N of them");
    if (args_choice_at(args, name, 0, &kind, err) || args_int(args, "seed", &seed, err)) return -1;
    if (kind != SAMPLING_FULL) {
        if (!args_value(args, name, next))
            return usage_error(err, "--output-sampling %s needs a number", args_value(args, name, 0));
        if (args_real_at(args, name, next++, &words, err)) return -1;
    }
    *sampling =
        (Sampling){.kind = (SamplingKind)kind, .k = (int)words, .p = words, .temperature = 1, .seed = (uint64_t)seed};
    if (kind == SAMPLING_TOPK && (words < 1 || words != floor(words)))
        return usage_error(err, "--output-sampling topk needs a whole number of words, 1 at least");
    if (kind == SAMPLING_NUCLEUS && (words <= 0 || words > 1))
        return usage_error(err, "--output-sampling nucleus needs a probability above 0, and 1 at most");
    if (args_value(args, name, next) && args_real_at(args, name, next++, &sampling->temperature, err)) return -1;
    if (args_value(args, name, next))
        return usage_error(err, "--output-sampling has no use for '%s'", args_value(args, name, next));
    if (sampling->temperature < 0.01) return usage_error(err, "--output-sampling needs a temperature of 0.01 at least");
    beam->sampling = sampling;
    beam->beam = samples;
    return 0;
}
