/* search_options.h: what a search can be told: one struct, and one table of its options, for the command line, the
   server and libtide, and so for Python. Each of them fills the struct in its own way. The checks, and what the options
   mean, are here. */
#ifndef TIDE_SEARCH_OPTIONS_H
#define TIDE_SEARCH_OPTIONS_H

#include "translate/glossary.h"
#include "translate/session.h"
#include "translate/shortlist.h"

/* See search_options_default for what is not zero by default. The struct owns nothing that it points to. */
typedef struct SearchOptions {
    int beam;                       /* hypotheses of the search; 0: the model's */
    int n_best;                     /* wanted hypotheses of each sentence; 0: 1 */
    double normalize, word_penalty; /* see BeamOptions; NAN: the model's */
    double coverage;                /* see BeamOptions */
    int max_length;                 /* most pieces of a sentence; 0: MOST_PIECES */
    int mini_batch;                 /* most sentences decoded together; 0: 64 */
    AttentionOptions attention;     /* how attention is read, and whose weights are the alignment */
    bool shift;                     /* see alignment_shift */
    bool alignments;                /* alignments are wanted */
    const char *tag;                /* read the sources as text of the training corpora with this tag; NULL: none */
    const char *precision;          /* what products with weights multiply: "float32" or "bfloat16"; NULL: float32 */
    bool sample;                    /* draw words instead of searching; the next four options are for this */
    int top_k;                      /* from the k most probable words; 0: from all */
    double top_p;                   /* from the fewest words whose probabilities sum to p; 0: from all */
    double temperature;             /* see Sampling */
    int seed;
    bool replace_unknown;       /* see unknown_replace */
    bool allow_han;             /* Han characters may occur in every target language */
    bool piece_scores;          /* ln p of each piece is wanted */
    bool use_shortlist;         /* the shortlist that the server has for the model */
    const Glossary *glossary;   /* NULL: none */
    const Shortlist *shortlist; /* NULL: none */
    const Lexicon *lexicon;     /* for replace_unknown; NULL: none */
} SearchOptions;

typedef enum SearchKind {
    SEARCH_INT,    /* int */
    SEARCH_REAL,   /* double; NAN: not given */
    SEARCH_SWITCH, /* bool */
    SEARCH_TEXT,   /* const char * */
    SEARCH_LIST    /* a list of words, which each place reads by itself; the name is for errors */
} SearchKind;

typedef struct SearchOption {
    const char *name; /* of the field of a request, of a struct in tide.h, and of the argument in Python */
    const char *flag; /* of the command line, without the dashes; NULL: the option has another form there */
    bool request;     /* a request can have the field; false: the option has another form there, or none */
    bool search;      /* changes the search: all sentences of one search have the same value */
    SearchKind kind;
    size_t offset;      /* in SearchOptions */
    double least, most; /* limits of a number */
} SearchOption;

/* All options; `name` NULL ends the table. */
extern const SearchOption search_option_rows[];

/* The options of a search that was told nothing. */
SearchOptions search_options_default(void);
/* Whether sentences with these options can be searched together. */
bool search_options_agree(const SearchOptions *a, const SearchOptions *b);

/* How errors name an option: by its flag, or by its name. */
typedef enum SearchNames { NAMES_OF_FLAGS, NAMES_OF_FIELDS } SearchNames;
enum { SEARCH_WRONG = -1, SEARCH_UNSUPPORTED = -2 };
/* Checks that a number is within the limits of its option. Returns 0, or SEARCH_WRONG with *err's reason filled. */
int search_option_check(const SearchOption *option, double value, SearchNames names, Err *err);
/* Checks that the options agree with their limits and with each other, and that the models can do what they ask for.
   paths: of the models, for errors. Returns 0; or, with *err filled, SEARCH_WRONG if the options are wrong, or
   SEARCH_UNSUPPORTED if the models cannot do it. */
int search_options_check(const SearchOptions *options, const Translator *const *members, const char *const *paths,
                         int count, SearchNames names, Err *err);
/* The options of a beam search by models of which `first` is the first, without the lists that differ between
   sentences. *sampling is used if words are drawn; the caller sets `first` in it. */
BeamOptions search_options_beam(const SearchOptions *options, const Translator *first, Sampling *sampling);
/* Sets the tag and the products of the session. The options must have passed search_options_check; the text of the tag
   must stay valid while the session uses it. */
void search_options_session(const SearchOptions *options, Session *session);
/* The text of hypothesis k of sentence i, with <unk> replaced if the options say so; "" if there is no such hypothesis;
   owned by the caller. */
char *search_options_text(const SearchOptions *options, const Translations *translations, int i, int k);

#endif
