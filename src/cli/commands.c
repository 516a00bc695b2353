/* commands.c: the list of commands. */
#include "cli/cli.h"

#include <string.h>

const Command *const commands[] = {&command_train,
                                   &command_translate,
                                   &command_align,
                                   &command_aer,
                                   &command_bleu,
                                   &command_chrf,
                                   &command_corpus,
                                   &command_tokenize,
                                   &command_score,
                                   &command_evaluate,
                                   &command_tune,
                                   &command_info,
                                   &command_attend,
                                   &command_report,
                                   &command_bench,
                                   &command_lexicon,
                                   &command_serve,
                                   &command_quantize,
                                   &command_export,
                                   &command_verify,
                                   &command_learn,
                                   &command_help,
                                   NULL};

const Command *command_find(const char *name) {
    for (int i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    return NULL;
}
