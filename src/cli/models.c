#include "cli/models.h"

#include "cli/messages.h"
#include "io/ds.h"
#include "io/files.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

int beam_flags(const Args *args, const Models *models, BeamOptions *beam, Err *err) {
    if (args_int(args, "beam-size", &beam->beam, err) || args_real(args, "normalize", &beam->normalize, err) ||
        args_real(args, "word-penalty", &beam->word_penalty, err) ||
        args_real(args, "coverage-penalty", &beam->coverage, err))
        return -1;
    if (beam->coverage > 0 && !ensemble_aligns(models->list, models->count))
        return usage_error(err, "--coverage-penalty needs a model with attention");
    return 0;
}

const char *model_path(const Args *args, int i) {
    return args_has(args, "models") ? args_value(args, "models", i) : i < args->word_count ? args->words[i] : NULL;
}

bool models_given(const Args *args) { return args->word_count + args_has(args, "models") == 1; }

int models_load_one(Translator *translator, const char *path, Err *err) {
    if (model_load(translator, path, err)) return -1;
    if (translator->warning) message("%s: %s", path, translator->warning);
    return 0;
}

int models_load(const Args *args, Models *models, Err *err) {
    *models = (Models){0};
    for (int i = 0; model_path(args, i); i++) {
        Translator *member = mem_zalloc(sizeof *member);
        const char *path = model_path(args, i);
        arrput(models->list, member);
        models->count++;
        if (models_load_one(member, path, err) || (i && ensemble_check(models->list[0], member, path, err))) {
            models_free(models);
            return -1;
        }
    }
    return 0;
}

void models_free(Models *models) {
    for (int i = 0; i < models->count; i++) {
        Translator *member = (Translator *)models->list[i];
        translator_free(member);
        mem_free(member);
    }
    arrfree(models->list);
    *models = (Models){0};
}

int tag_flag(const Args *args, const Translator *const *models, int count, const char **tag, Err *err) {
    *tag = args_value(args, "tag", 0);
    for (int i = 0; i < count && *tag; i++)
        if (vocab_tag(models[i]->source.vocab, *tag) < 0)
            return err_set(err, model_path(args, i), 0, "has no tag '%.100s'", *tag);
    return 0;
}

int attention_flags(const Args *args, AttentionOptions *attention, Err *err) {
    int hard = 0;
    *attention = (AttentionOptions){0};
    if (args_choice(args, "attention-mode", &hard, err) || args_int(args, "alignment-head", &attention->head, err) ||
        args_int(args, "alignment-layer", &attention->layer, err))
        return -1;
    attention->hard = hard;
    return 0;
}

int attentions_check(const Args *args, const Models *models, AttentionOptions attention, Err *err) {
    int status = 0;
    for (int i = 0; i < models->count && !status; i++)
        status = translator_check_attention(models->list[i], model_path(args, i), attention, err);
    return status;
}

int output_check(const Args *args, const char *output, const char *const *inputs, int n, Err *err) {
    bool same = false;
    char path[512];
    for (int i = 0; i < n; i++) same |= inputs[i] && file_is_same(output, inputs[i]);
    for (int i = 0; model_path(args, i); i++) {
        snprintf(path, sizeof path, "%s/model.safetensors", model_path(args, i));
        same |= file_is_same(output, path) || file_is_same(output, model_path(args, i));
    }
    return same ? err_set(err, output, 0, "is read, and would be overwritten") : 0;
}

_Static_assert(MOST_PIECES == 1000, "the default of --max-length");

int lines_check(const Translator *translator, int side, char *const *lines, int most, const char *path, Err *err) {
    const Side *of = side ? &translator->target : &translator->source;
    if (side_check_lengths(of, lines, (int)arrlen(lines), most, path, err)) return -1;
    language_warn(translator, side, lines, path);
    return 0;
}

void language_warn(const Translator *translator, int side, char *const *lines, const char *path) {
    const Side *of = side ? &translator->target : &translator->source;
    const double unknown = side_unknown(of, lines, (int)arrlen(lines));
    if (unknown > 0.5)
        message("%s: %.0f %% of the pieces are unknown to the model; it expects language '%s' here", path,
                100 * unknown, translator->options.langs[side]);
}

int model_directory_make(const char *dir, const char *model, char *path, Err *err) {
    char checkpoint[PATH_SIZE];
    path_in(checkpoint, dir, "checkpoint.safetensors");
    path_in(path, dir, "model.safetensors");
    if (file_is_same(path, model) || file_is_same(dir, model))
        return err_set(err, dir, 0, "is the model itself; give another directory");
    if (!access(checkpoint, F_OK))
        return err_set(err, dir, 0, "holds a training, whose model would be replaced; give another directory");
    return directory_make(dir, err);
}

void word_scores_print(const double *pieces, int n) {
    fputs(" ||| WordScores=", stdout);
    for (int i = 0; i < n; i++) printf(" %.5f", pieces[i]);
}

int sampling_flags(const Args *args, int samples, Sampling *sampling, BeamOptions *beam, Err *err) {
    const char *name = "output-sampling";
    int kind = SAMPLING_FULL, seed = 1, next = 1;
    double words = 0;
    if (!args_has(args, name)) return args_has(args, "seed") ? usage_error(err, "--seed needs --output-sampling") : 0;
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

int alignment_view_flags(const Args *args, AlignmentView *view, Err *err) {
    int words;
    view->threshold = 0;
    if (args_choice(args, "level", &words, err) || args_real(args, "threshold", &view->threshold, err)) return -1;
    view->words = words;
    view->shift = args_has(args, "shift");
    view->end = args_has(args, "end-of-sentence");
    return 0;
}

void alignment_view_apply(const AlignmentView *view, Alignment *alignment) {
    if (view->shift) alignment_shift(alignment);
    if (view->words) alignment_merge_words(alignment);
}
