/* A command line of words that end in NULs, with every option as a flag. */
#include "cli/args.h"
#include "fuzz.h"

enum { MOST_WORDS = 100 };

static int set_options(Options *options, const Args *args, Err *err) {
    for (int i = 0; i < args->given_count; i++) {
        const struct Given *given = &args->given[i];
        if (option_set(options, option_find(given->flag->name), given->values, err)) return -1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    Args args;
    Options options;
    Flag *flags = NULL;
    char *text = bytes_text(data, size), *words[MOST_WORDS];
    int count = 0;
    for (char *word = text; word < text + size && count < MOST_WORDS; word += strlen(word) + 1) words[count++] = word;
    for (int i = 0; i < option_count; i++)
        arrput(flags, ((Flag){option_table[i].name, option_table[i].values, "N", ""}));
    options_default(&options);
    int status = args_parse(&args, count, words, flags, option_count, &err) || set_options(&options, &args, &err);
    CHECK(!status || err.reason[0], "refused without a reason");
    if (!status) options_hold(&options);
    args_free(&args);
    arrfree(flags);
    mem_free(text);
    return 0;
}
