/* tide info: prints configuration, vocabulary sizes and parameters of a model. */
#include "cli/messages.h"
#include "cli/models.h"
#include "cli/recipe.h"
#include "io/ds.h"

#include <stdio.h>

static const Flag flags[] = {
    FLAG_SWITCH("recipe", "print how the model was made, and the command that makes it again"),
    FLAG_CHOICE("format", "of --recipe: text for people, or the JSON that is in the file", "text|json", "text"),
};

/* Prints the tags of the training corpora, if there are any. */
static void print_tags(const Vocab *vocab) {
    const char **tags = vocab_tags(vocab);
    for (ptrdiff_t i = 0; i < arrlen(tags); i++) fprintf(results(), "%s%s", i ? " " : "tags: ", tags[i]);
    if (tags) putchar('\n');
    arrfree(tags);
}

static int print_recipe(const Translator *translator, const char *path, bool json, Err *err) {
    Recipe *recipe = recipe_parse(translator->recipe, path, err);
    if (!recipe) return -1;
    if (json) fprintf(results(), "%s\n", translator->recipe);
    else recipe_print(results(), recipe, path);
    recipe_free(recipe);
    return 0;
}

static int run(const Args *args, Err *err) {
    Translator translator;
    if (args->word_count != 1) return usage_error(err, "info needs one MODEL; see `tide info --help`");
    const bool recipe = args_has(args, "recipe");
    int json;
    if (args_choice(args, "format", &json, err)) return -1;
    if (json && !recipe) return usage_error(err, "--format json needs --recipe");
    if (models_load_one(&translator, args->words[0], err)) return -1;
    if (recipe) {
        const int status = print_recipe(&translator, args->words[0], json, err);
        translator_free(&translator);
        return status;
    }
    for (int i = 0; i < ABOUTS; i++)
        if (translator.about.text[i]) fprintf(results(), "%s: %s\n", about_names[i], translator.about.text[i]);
    fputs(translator.configuration, results());
    const ModelConfig *model = &translator.model.config;
    printf("\nvocabularies: %d source pieces", model->source_vocab);
    if (model->source_words) printf(" in %d larger ones", model->source_words);
    printf(", %d target pieces\n", model->target_vocab);
    print_tags(translator.source.vocab);
    putchar('\n');
    const Params *params = &translator.model.params;
    for (int i = 0; i < params->count; i++) {
        const Param *p = params->list[i];
        printf("%-20s [%d, %d]\n", p->name, p->var.rows, p->var.cols);
    }
    printf("%-20s %zu weights%s\n", "total", params_weights(params),
           translator.quantized ? ", matrices and their products with 8 bits (int8)" : "");
    translator_free(&translator);
    return 0;
}

const Command command_info = {
    .name = "info",
    .summary = "print configuration and parameters of a model",
    .usage = "MODEL [--recipe [--format json]]",
    .about = "Prints the configuration, the sizes of the vocabularies, and every parameter with its shape [in, out];\n"
             "or, with --recipe, the texts, options and hashes from which `tide verify` makes it again.",
    COMMAND_FLAGS(flags),
    .prints = true,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS({"tide info run1", "Print what a model is made of"},
                        {"tide info --recipe run1", "Print how it was made"}),
    .see = "train verify",
    .run = run,
};
