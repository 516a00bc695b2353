/* glossary_flag.h: the flag of commands that translate with given terms. */
#ifndef TIDE_GLOSSARY_FLAG_H
#define TIDE_GLOSSARY_FLAG_H

#include "cli/args.h"
#include "translate/glossary.h"
#include "translate/translator.h"

#define FLAG_GLOSSARY FLAG_FILE("glossary", "translate terms as FILE says, lines of `source TAB target`")

/* Reads --glossary into *glossary, which is all zero without the flag. Says on stderr which translations cannot be
   written. Returns 0, or -1 with *err filled. Release with glossary_free in both cases. */
int glossary_flag(const Args *args, const Translator *translator, Glossary *glossary, Err *err);

#endif
