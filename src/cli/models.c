#include "cli/models.h"

#include "cli/messages.h"
#include "io/ds.h"
#include "io/files.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

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

/* Reads the kind of --output-sampling, its number and the temperature. */
static int sampling_flag(const Args *args, SearchOptions *options, Err *err) {
    const char *name = "output-sampling";
    int kind = SAMPLING_FULL, next = 1;
    double words = 0;
    if (args_choice(args, name, &kind, err)) return -1;
    if (kind != SAMPLING_FULL) {
        if (!args_value(args, name, next))
            return usage_error(err, "--output-sampling %s needs a number", args_value(args, name, 0));
        if (args_real_at(args, name, next++, &words, err)) return -1;
    }
    if (kind == SAMPLING_TOPK && (words < 1 || words != floor(words)))
        return usage_error(err, "--output-sampling topk needs a whole number of words, 1 at least");
    if (kind == SAMPLING_NUCLEUS && (words <= 0 || words > 1))
        return usage_error(err, "--output-sampling nucleus needs a probability above 0, and 1 at most");
    options->top_k = kind == SAMPLING_TOPK ? (int)words : 0;
    options->top_p = kind == SAMPLING_NUCLEUS ? words : 0;
    if (args_value(args, name, next) && args_real_at(args, name, next++, &options->temperature, err)) return -1;
    if (args_value(args, name, next))
        return usage_error(err, "--output-sampling has no use for '%s'", args_value(args, name, next));
    if (options->temperature < 0.01) return usage_error(err, "--output-sampling needs a temperature of 0.01 at least");
    return 0;
}

int search_flags(const Args *args, SearchOptions *options, Err *err) {
    int hard = 0, status = 0;
    *options = search_options_default();
    for (const SearchOption *o = search_option_rows; o->name && !status; o++) {
        void *field = (char *)options + o->offset;
        if (!o->flag) continue;
        switch (o->kind) {
        case SEARCH_INT: status = args_int(args, o->flag, field, err); break;
        case SEARCH_REAL: status = args_real(args, o->flag, field, err); break;
        case SEARCH_SWITCH: *(bool *)field = args_has(args, o->flag); break;
        case SEARCH_TEXT: *(const char **)field = args_value(args, o->flag, 0); break;
        case SEARCH_LIST: break;
        }
    }
    if (status || args_choice(args, "attention-mode", &hard, err)) return -1;
    options->attention.hard = hard;
    return options->sample ? sampling_flag(args, options, err) : 0;
}

int search_check(const Args *args, const SearchOptions *options, const Translator *const *models, int count, Err *err) {
    const char *const *paths = args_has(args, "models") ? args_values(args, "models") : args->words;
    const int status = search_options_check(options, models, paths, count, NAMES_OF_FLAGS, err);
    return status && !err->path[0] ? usage_error(err, "%s", err->reason) : status;
}

int output_check(const Args *args, const char *output, const char *const *inputs, int n, Err *err) {
    bool same = false;
    for (int i = 0; i < n; i++) same |= inputs[i] && names_file(inputs[i], output);
    for (int i = 0; model_path(args, i); i++) same |= names_file(model_path(args, i), output);
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

int model_directory_make(const Args *args, const char *dir, const char *model, char *path, Err *err) {
    char checkpoint[PATH_SIZE];
    path_in(checkpoint, dir, "checkpoint.safetensors");
    path_in(path, dir, "model.safetensors");
    if (file_is_same(path, model) || file_is_same(dir, model))
        return err_set(err, dir, 0, "is the model itself; give another directory");
    if (!access(checkpoint, F_OK))
        return err_set(err, dir, 0, "holds a training, whose model would be replaced; give another directory");
    if (!args_has(args, "force") && !access(path, F_OK))
        return err_set(err, path, 0, "is there already; --force replaces it");
    return directory_make(dir, err);
}

void word_scores_print(const double *pieces, int n) {
    fputs(" ||| WordScores=", stdout);
    for (int i = 0; i < n; i++) printf(" %.5f", pieces[i]);
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
