/* Fuzz target: parses the input as a command line. Each argument ends with a NUL, and every option is a flag. */
#include "cli/args.h"
#include "fuzz.h"

enum { MOST_WORDS = 100 };

static int set_options(TrainOptions *options, const Args *args, Err *err) {
    for (int i = 0; i < args->given_count; i++) {
        const struct Given *given = &args->given[i];
        if (option_set(option_find(train_option_tables, given->flag->name), options, given->values, given->count, err))
            return -1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    Args args;
    TrainOptions options = {0};
    Flag *flags = NULL;
    char *text = bytes_text(data, size), *words[MOST_WORDS];
    int count = 0;
    for (char *word = text; word < text + size && count < MOST_WORDS; word += strlen(word) + 1) words[count++] = word;
    for (const Option *o = NULL; (o = option_next(train_option_tables, o));)
        arrput(
            flags,
            ((Flag){.name = o->name, .values = o->kind == OPTION_LIST ? MANY : o->values, .metavar = "N", .help = ""}));
    options_default(train_option_tables, &options);
    int status = args_parse(&args, count, words, flags, (int)arrlen(flags), &err) || set_options(&options, &args, &err);
    CHECK(!status || err.reason[0], "refused without a reason");
    if (!status) options_hold(&options);
    args_free(&args);
    arrfree(flags);
    mem_free(text);
    return 0;
}
