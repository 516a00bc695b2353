/* Fuzz target: parses the recipe of a model. Checks that an accepted recipe is written as text that is read back as the
   same text, that its parts are well-formed, and that it can be shown. */
#include "fuzz.h"
#include "cli/recipe.h"
#include "io/ds.h"
#include "io/files.h"

static void check_sum(const Sum *sum) { CHECK(strlen(sum->hex) == 64, "a sum '%s'", sum->hex); }

static void check_training(const Recipe *r) {
    CHECK(r->configuration && arrlen(r->corpora) > 0, "a training of nothing");
    for (ptrdiff_t i = 0; i < arrlen(r->corpora); i++) {
        const RecipeCorpus *c = &r->corpora[i];
        check_sum(&c->side[0]);
        check_sum(&c->side[1]);
        CHECK(c->name[0] && !c->name[1] == (c->form != FORM_LINES), "the files of corpus %td", i);
        CHECK(c->weight >= 0.001 && c->weight <= 1000 && c->pairs >= 0, "corpus %td", i);
    }
    for (ptrdiff_t i = 0; i < arrlen(r->chain); i++)
        CHECK(r->chain[i].update > (i ? r->chain[i - 1].update : 0) && r->chain[i].update <= r->update, "link %td", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    char *text = mem_strndup((const char *)data, size), *again;
    Recipe *recipe = recipe_parse(text, "fuzz", &err), *copy;
    mem_free(text);
    CHECK(recipe || (err.reason[0] && !strcmp(err.path, "fuzz")), "no reason");
    if (!recipe) return 0;
    if (recipe->kind == RECIPE_TRAIN) check_training(recipe);
    else check_sum(&recipe->parent.file);
    text = recipe_format(recipe);
    CHECK((copy = recipe_parse(text, "fuzz", &err)), "%s in %s", err.reason, text);
    again = recipe_format(copy);
    CHECK(!strcmp(text, again), "'%s' came back as '%s'", text, again);
    mem_free(text);
    mem_free(again);
    MemoryFile memory;
    recipe_print(memory_open(&memory), recipe, "model");
    mem_free(memory_close(&memory, NULL));
    recipe_free(copy);
    recipe_free(recipe);
    return 0;
}
