/* recipe.h: shows how a model was made. */
#ifndef TIDE_CLI_RECIPE_H
#define TIDE_CLI_RECIPE_H

#include "translate/recipe.h"

#include <stdio.h>

/* Prints a recipe, those of the models from which it was made, and the commands that make the model again, in which
 * only the paths are missing. model: its path. */
void recipe_print(FILE *out, const Recipe *recipe, const char *model);

#endif
