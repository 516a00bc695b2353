/* word_lists.h: the flags for lists with which commands translate: a glossary has the translations of terms, a
   shortlist the words that a translation may contain. */
#ifndef TIDE_WORD_LISTS_H
#define TIDE_WORD_LISTS_H

#include "cli/args.h"
#include "translate/glossary.h"
#include "translate/shortlist.h"
#include "translate/translator.h"

#define FLAG_GLOSSARY FLAG_FILE("glossary", "translate terms as FILE says, lines of `source TAB target`")

/* Reads --glossary into *glossary, which is all zero without the flag. Says on stderr which translations cannot be
   written. Returns 0, or -1 with *err filled. Release with glossary_free in both cases. */
int glossary_flag(const Args *args, const Translator *translator, Glossary *glossary, Err *err);

#define FLAGS_SHORTLIST_SIZE                                                                                           \
    FLAG_INT("shortlist-first", "with --shortlist: and the N most frequent pieces", 0, 1000000, "1000"),               \
        FLAG_INT("shortlist-best", "with --shortlist: the N best translations of a source text", 1, 1000000, "100")

#define FLAGS_SHORTLIST                                                                                                \
    FLAG_FILE("shortlist", "use only words that FILE gives for the source: `source TAB target TAB probability`"),      \
        FLAGS_SHORTLIST_SIZE

/* Reads --shortlist into *shortlist, which is all zero without the flag. Returns 0, or -1 with *err filled. Release
   with shortlist_free in both cases. */
int shortlist_flag(const Args *args, const Translator *translator, Shortlist *shortlist, Err *err);
/* Checks that --shortlist is given if another flag needs it. Returns 0, or -1 with *err filled. */
int shortlist_check(const Args *args, Err *err);

#endif
