#include "cli/word_lists.h"

#include "cli/messages.h"

int glossary_flag(const Args *args, const Translator *translator, Glossary *glossary, Err *err) {
    const char *path = args_value(args, "glossary", 0);
    *glossary = (Glossary){0};
    if (!path) return 0;
    if (glossary_init(glossary, lexicon_read(path, err), &translator->target)) return -1;
    if (glossary->unwritable)
        message("%s: the model cannot write %d of the translations, such as '%.100s'", path, glossary->unwritable,
                glossary->example);
    return 0;
}

int shortlist_flag(const Args *args, const Translator *translator, Shortlist *shortlist, Err *err) {
    const char *path = args_value(args, "shortlist", 0);
    int first = 0, best = 0;
    *shortlist = (Shortlist){0};
    if (!path) return 0;
    if (args_int(args, "shortlist-first", &first, err) || args_int(args, "shortlist-best", &best, err)) return -1;
    return shortlist_read(shortlist, path, &translator->target, first, best, err);
}

int shortlist_check(const Args *args, Err *err) {
    if (args_has(args, "shortlist") || (!args_has(args, "shortlist-first") && !args_has(args, "shortlist-best")))
        return 0;
    return usage_error(err, "--shortlist-first and --shortlist-best need --shortlist");
}
