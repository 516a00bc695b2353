/* commands.c: the list of commands and their flags. */
#include "cli/cli.h"
#include "io/ds.h"

#include <string.h>

const Command *const commands[] = {&command_train,    &command_translate, &command_align,
                                   &command_aer,      &command_bleu,      &command_chrf,
                                   &command_corpus,   &command_tokenize,  &command_score,
                                   &command_evaluate, &command_tune,      &command_info,
                                   &command_attend,   &command_report,    &command_bench,
                                   &command_lexicon,  &command_serve,     &command_quantize,
                                   &command_export,   &command_help,      NULL};

const Command *command_find(const char *name) {
    for (int i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    return NULL;
}

static Flag option_flag(const Option *o) {
    static const char *const metavars[][2] = {[OPTION_INT] = {"N", "N N"},
                                              [OPTION_INT_OR_ZERO] = {"N", "N N"},
                                              [OPTION_REAL] = {"R", "R R"},
                                              [OPTION_TEXT] = {"NAME", "SRC TGT"},
                                              [OPTION_CHOICE] = {"NAME", "SRC TGT"},
                                              [OPTION_SWITCH] = {"NAME", "SRC TGT"},
                                              [OPTION_LIST] = {"NAME..."}};
    static const ValueKind kinds[] = {[OPTION_INT] = VALUE_INT,     [OPTION_INT_OR_ZERO] = VALUE_INT_OR_ZERO,
                                      [OPTION_REAL] = VALUE_REAL,   [OPTION_TEXT] = VALUE_TEXT,
                                      [OPTION_CHOICE] = VALUE_TEXT, [OPTION_SWITCH] = VALUE_TEXT,
                                      [OPTION_LIST] = VALUE_TEXT};
    const bool list = o->kind == OPTION_LIST;
    return (Flag){.name = o->name,
                  .values = list ? MANY : o->values,
                  .metavar = metavars[o->kind][list ? 0 : o->values - 1],
                  .help = o->help,
                  .kind = kinds[o->kind],
                  .least = o->least,
                  .most = o->most,
                  .choices = o->choices,
                  .fallback = o->fallback};
}

Flag *command_flags(const Command *command) {
    Flag *flags = NULL;
    for (int i = 0; i < command->flag_count; i++) arrput(flags, command->flags[i]);
    for (const Option *o = NULL; command->options && (o = option_next(command->options, o));)
        arrput(flags, option_flag(o));
    return flags;
}

const Option *command_option(const Command *command, const Flag *flag) {
    return command->options ? option_find(command->options, flag->name) : NULL;
}
