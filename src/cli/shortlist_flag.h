/* shortlist_flag.h: the flags of commands that translate with the likely words of each sentence only. */
#ifndef TIDE_SHORTLIST_FLAG_H
#define TIDE_SHORTLIST_FLAG_H

#include "cli/args.h"
#include "translate/shortlist.h"
#include "translate/translator.h"

#define FLAGS_SHORTLIST_SIZE                                                                                           \
    {"shortlist-first", 1,    "N",   "with --shortlist: and the N most frequent pieces", VALUE_INT, 0,                 \
     1000000,           NULL, "1000"},                                                                                 \
    {                                                                                                                  \
        "shortlist-best", 1, "N", "with --shortlist: the N best translations of a source text", VALUE_INT, 1, 1000000, \
            NULL, "100"                                                                                                \
    }

#define FLAGS_SHORTLIST                                                                                                \
    {"shortlist", 1, "FILE", "use only words that FILE gives for the source: `source TAB target TAB probability`",     \
     .kind = VALUE_FILE},                                                                                              \
        FLAGS_SHORTLIST_SIZE

/* Reads --shortlist into *shortlist, which is all zero without the flag. Returns 0, or -1 with *err filled. Release
   with shortlist_free in both cases. */
int shortlist_flag(const Args *args, const Translator *translator, Shortlist *shortlist, Err *err);
/* Whether --shortlist is missing where another flag needs it, or is given with samples; then *err is filled. */
bool shortlist_misused(const Args *args, Err *err);

#endif
