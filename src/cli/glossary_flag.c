#include "cli/glossary_flag.h"

#include "cli/messages.h"

int glossary_flag(const Args *args, const Translator *translator, Glossary *glossary, Err *err) {
    const char *path = args_value(args, "glossary", 0);
    *glossary = (Glossary){0};
    if (!path) return 0;
    if (glossary_read(glossary, path, &translator->target, err)) return -1;
    if (glossary->unwritable)
        message("%s: the model cannot write %d of the translations, such as '%.100s'", path, glossary->unwritable,
                glossary->example);
    return 0;
}
