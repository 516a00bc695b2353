#include "cli/recipe.h"
#include "core/choice.h"
#include "io/ds.h"
#include "train/train_options.h"

#include <string.h>

/* Prints a word as the shell reads it. */
static void print_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", out);
        else fputc(*word, out);
    }
    fputc('\'', out);
}

static void print_path(FILE *out, const char *name) {
    fputs(" PATH/", out);
    print_word(out, name);
}

/* ---- what the model was made of ---- */

static void print_model(FILE *out, const char *title, const RecipeModel *model) {
    if (*model->file.hex)
        fprintf(out, "%s: a model%s with SHA-256 %s\n", title, model->recipe ? "" : " without a recipe",
                model->file.hex);
}

static void print_corpus(FILE *out, const char *title, const RecipeCorpus *c) {
    fprintf(out, "%s: %s%s%s, %ld pairs", title, c->name[0], c->name[1] ? " and " : "", c->name[1] ? c->name[1] : "",
            c->pairs);
    if (c->weight != 1) fprintf(out, ", weight %g", c->weight);
    if (c->tag) fprintf(out, ", tag %s", c->tag);
    if (c->quiet) fputs(", without noise", out);
    if (c->distillation > 0) fprintf(out, ", distillation %g", c->distillation);
    fprintf(out, "\n  source SHA-256 %s\n  target SHA-256 %s\n", c->side[0].hex, c->side[1].hex);
    print_model(out, "  translated by", &c->teacher);
}

static void print_training(FILE *out, const Recipe *r) {
    for (ptrdiff_t i = 0; i < arrlen(r->corpora); i++) print_corpus(out, "trained on", &r->corpora[i]);
    for (ptrdiff_t i = 0; i < arrlen(r->dev); i++) print_corpus(out, "development set", &r->dev[i]);
    if (r->guides) fprintf(out, "guided by: %s\n  SHA-256 %s\n", r->guides, r->guides_sum.hex);
    for (ptrdiff_t i = 0; i < arrlen(r->changes); i++)
        fprintf(out, "after update %ld: %s changed from %s to %s\n", r->changes[i].update, r->changes[i].option,
                r->changes[i].from, r->changes[i].to);
    for (ptrdiff_t i = 0; i < arrlen(r->chain); i++)
        fprintf(out, "update %ld: %s\n", r->chain[i].update, r->chain[i].hash);
}

/* ---- commands ---- */

/* Prints the flags of the training corpora. */
static void print_corpora(FILE *out, const Recipe *r) {
    for (ptrdiff_t i = 0; i < arrlen(r->corpora); i++) {
        const RecipeCorpus *c = &r->corpora[i];
        int length;
        const char *form = choice_name(corpus_form_names, (int)c->form, &length);
        fprintf(out, " --%.*s", length, form);
        for (int k = 0; k < 2 && c->name[k]; k++) print_path(out, c->name[k]);
    }
    if (r->guides) {
        fputs(" --guided-alignment", out);
        print_path(out, r->guides);
    }
}

/* Prints a flag that has a value for each corpus, if one of them is not the usual one. */
static void print_lists(FILE *out, const Recipe *r) {
    bool weights = false, tags = false, quiet = false, distilled = false, teachers = false;
    const ptrdiff_t n = arrlen(r->corpora);
    for (ptrdiff_t i = 0; i < n; i++) {
        weights |= r->corpora[i].weight != 1;
        tags |= r->corpora[i].tag != NULL;
        quiet |= r->corpora[i].quiet;
        distilled |= r->corpora[i].distillation > 0;
        teachers |= *r->corpora[i].teacher.file.hex != '\0';
    }
    if (weights) fputs(" --train-set-weights", out);
    for (ptrdiff_t i = 0; i < n && weights; i++) fprintf(out, " %.17g", r->corpora[i].weight);
    if (tags) fputs(" --train-set-tags", out);
    for (ptrdiff_t i = 0; i < n && tags; i++) {
        fputc(' ', out);
        print_word(out, r->corpora[i].tag ? r->corpora[i].tag : "-");
    }
    if (quiet) fputs(" --train-set-noise", out);
    for (ptrdiff_t i = 0; i < n && quiet; i++) fputs(r->corpora[i].quiet ? " off" : " on", out);
    if (distilled) fputs(" --train-set-distillation", out);
    for (ptrdiff_t i = 0; i < n && distilled; i++) fprintf(out, " %.17g", r->corpora[i].distillation);
    if (teachers) fputs(" --train-set-teachers", out);
    for (ptrdiff_t i = 0; i < n && teachers; i++) fputs(*r->corpora[i].teacher.file.hex ? " TEACHER" : " -", out);
}

/* The value of an option after the first n changes. */
static const char *value_after(const Recipe *r, ptrdiff_t n, const char *name, const char *first) {
    while (n-- > 0)
        if (!strcmp(r->changes[n].option, name)) return r->changes[n].to;
    return first;
}

/* The options that a training has without flags but --langs. */
static void usual_options(const Recipe *r, TrainOptions *options) {
    Err err;
    options_default(train_option_tables, options);
    TrainOptions made = *options;
    options_read(train_option_tables, &made, r->configuration, "", UNKNOWN_SKIP, &err);
    for (int i = 0; i < 2; i++) options->model.tokenizer[i] = tokenizer_usual(made.model.langs[i]);
}

/* Prints the options that have not their usual values, after the first n changes. */
static void print_options(FILE *out, const Recipe *r, ptrdiff_t n) {
    TrainOptions options;
    char usual[OPTION_FORMAT_SIZE] = "";
    usual_options(r, &options);
    for (const char *line = r->configuration; *line; line += strcspn(line, "\n") + 1) {
        const char *equals = strstr(line, " = ");
        char *name = mem_strndup(line, (size_t)(equals - line));
        char *first = mem_strndup(equals + 3, strcspn(equals + 3, "\n"));
        const char *value = value_after(r, n, name, first);
        const Option *o = option_find(train_option_tables, name);
        if (o) option_format(o, &options, usual);
        if (!o || strcmp(value, usual) != 0) fprintf(out, " --%s %s", name, value);
        mem_free(name);
        mem_free(first);
    }
}

/* Prints the command of the beginning, and one for each change of options. */
static void print_train(FILE *out, const Recipe *r) {
    const RecipeChange *changes = r->changes;
    const ptrdiff_t n = arrlen(changes);
    ptrdiff_t k = 0;
    for (long end = 0; end < r->update;) {
        const ptrdiff_t first = k;
        while (k < n && changes[k].update == end) k++;
        end = k < n && changes[k].update < r->update ? changes[k].update : r->update;
        fputs("  tide train --model DIR", out);
        print_corpora(out, r);
        print_lists(out, r);
        if (*r->parent.file.hex) fputs(" --pretrained-model PARENT", out);
        print_options(out, r, k);
        if (k > first) fputs(" --allow-change", out);
        for (ptrdiff_t i = first; i < k; i++) fprintf(out, " %s", changes[i].option);
        fprintf(out, " --after-batches %ld\n", end);
    }
}

static void print_one(FILE *out, const Recipe *r, const char *model) {
    int length;
    const char *kind = choice_name(recipe_kind_names, (int)r->kind, &length);
    fprintf(out, "made by: tide %.*s, version %s, arithmetic %d\n", length, kind, r->version, r->arithmetic);
    fprintf(out, "weights: SHA-256 %s", *r->weights.hex ? r->weights.hex : "unknown");
    if (r->kind == RECIPE_TRAIN) fprintf(out, ", after %ld updates", r->update);
    fputc('\n', out);
    print_model(out, "made from", &r->parent);
    if (r->kind == RECIPE_TRAIN) {
        print_training(out, r);
        fputs("\nthe same training:\n", out);
        print_train(out, r);
    }
    fputs("\nto compare the bits:\n  tide verify ", out);
    print_word(out, model);
    print_corpora(out, r);
    fputs(*r->parent.file.hex ? " --parent PARENT\n" : "\n", out);
}

/* Prints the recipe of the model that the last one was made from, and so on. */
static void print_ancestors(FILE *out, const Recipe *r) {
    enum { MOST = 16 };
    Err err;
    Recipe *parent = r->parent.recipe ? recipe_parse(r->parent.recipe, "", &err) : NULL;
    for (int generation = 1; parent && generation <= MOST; generation++) {
        Recipe *before = parent->parent.recipe ? recipe_parse(parent->parent.recipe, "", &err) : NULL;
        fputs("\n---- the model from which it was made ----\n\n", out);
        print_one(out, parent, "PARENT");
        recipe_free(parent);
        parent = before;
    }
    recipe_free(parent);
}

void recipe_print(FILE *out, const Recipe *recipe, const char *model) {
    print_one(out, recipe, model);
    print_ancestors(out, recipe);
}
