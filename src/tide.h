/* tide.h: the public C API of libtide: use trained models in C and C++ programs.

   A TideModel is a loaded model. It does not change, and any number of threads may share it. A TideSession uses one
   model or an ensemble; use one session for each thread. Sessions give the same bits whether they run alone or side by
   side, and for any number of threads of a session.

   No call ends the host program. Every failure is a TideStatus other than TIDE_OK. Calls with a session (see
   tide_error) and calls with a parameter `error` also give one line of text. Refused memory is such a failure: the call
   frees what it had taken, and the session can be used again or freed. The library writes to no stream, installs no
   hooks and no signal handlers, and neither uses nor changes the locale.

   Text is UTF-8 and ends in a NUL. Options may be NULL: all defaults. Otherwise set `size` to the size of the struct
   and every field without a value to zero: `TideTranslateOptions options = {.size = sizeof options};`. A new version of
   the library may append fields to a struct; it accepts the smaller struct of a program that was compiled before. A new
   field is not placed in the padding of the old struct, so that the size tells whether the program knows the field. */
#ifndef TIDE_H
#define TIDE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TIDE_API __attribute__((visibility("default")))
#else
#define TIDE_API
#endif

#define TIDE_VERSION "0.9.0"

/* The version of the library that runs, which may be newer than TIDE_VERSION. */
TIDE_API const char *tide_version(void);
/* What this library can do: names such as "translate", "align", "format-3" (of model files) or "kernels-avx2" (the
   instruction set in use). NULL ends the array, which the library owns. */
TIDE_API const char *const *tide_capabilities(void);

typedef enum TideStatus {
    TIDE_OK = 0,
    TIDE_NO_MEMORY = 1,    /* an allocation was refused */
    TIDE_BAD_ARGUMENT = 2, /* NULL where a value is required, or an option out of range */
    TIDE_BAD_FILE = 3,     /* the file cannot be read, is damaged, or is not a model */
    TIDE_BAD_TEXT = 4,     /* not valid UTF-8, or not in the required format */
    TIDE_TOO_LONG = 5,     /* a sentence has more pieces than max_length */
    TIDE_UNSUPPORTED = 6,  /* the model cannot do this: it has no attention, or its numbers overflow */
    TIDE_CANCELLED = 7,    /* the progress callback returned non-zero */
    TIDE_INTERNAL = 8      /* a bug in tide */
} TideStatus;

/* A few words about a status, such as "out of memory"; the library owns them. */
TIDE_API const char *tide_status_text(TideStatus status);

/* ---- models ---------------------------------------------------------------------------------------------------- */

typedef struct TideModel TideModel;

/* Loads a model: `path` is a directory with model.safetensors, or such a file. The model is read into memory, so that
   later changes of the file do not matter. Sets *model; on failure to NULL. If `error` is not NULL, writes one line
   about a failure to it, at most error_size bytes with the NUL; an empty line on success. Release with tide_free. */
TIDE_API TideStatus tide_load(const char *path, TideModel **model, char *error, size_t error_size);
/* The same for the `size` bytes of a model.safetensors in memory, which are copied. Errors call them "memory". */
TIDE_API TideStatus tide_load_memory(const void *bytes, size_t size, TideModel **model, char *error, size_t error_size);
/* Releases the caller's reference to a model. Its memory is freed when no session and no shortlist uses it. NULL: does
   nothing. */
TIDE_API void tide_free(TideModel *model);

/* Facts about a model; the texts belong to the model. */
typedef struct TideModelInfo {
    size_t size;                 /* sizeof(TideModelInfo); set by the caller */
    const char *source_language; /* a code such as "zh" */
    const char *target_language;
    const char *configuration; /* lines `key = value`: all options of the model and of its training */
    const char *warning;       /* for example that the file has no checksum; NULL: none */
    long parameters;           /* number of weights */
    int source_pieces;         /* sizes of the vocabularies */
    int target_pieces;
    int heads;  /* of the attention from which alignments are read; 0: no attention, so there are no alignments */
    int layers; /* with such an attention */
    int beam;   /* the model's own search options */
    double normalize, word_penalty;
    const char *const *tags; /* of the training corpora, for the option `tag`; NULL ends the array */
} TideModelInfo;
/* Fills *info. TIDE_BAD_ARGUMENT: an argument is NULL, or info->size cannot be the size of the struct. */
TIDE_API TideStatus tide_model_info(const TideModel *model, TideModelInfo *info);

/* ---- sessions -------------------------------------------------------------------------------------------------- */

typedef struct TideSession TideSession;

typedef struct TideSessionOptions {
    size_t size;
    int threads; /* that compute for this session, the caller included; 0: 1; at most 1024 */
} TideSessionOptions;

/* Starts a session with one model, or with `count` models as an ensemble: they must have the same source and target
   pieces. The session keeps a reference to each model: they may be freed before it. *session and error are set as by
   tide_load. Release with tide_session_free. Two threads must not use a session at the same time. */
TIDE_API TideStatus tide_session_new(TideModel *const *models, int count, const TideSessionOptions *options,
                                     TideSession **session, char *error, size_t error_size);
TIDE_API void tide_session_free(TideSession *session);
/* One line about the last call with this session: why it failed; "" if it succeeded. Valid until the next call. */
TIDE_API const char *tide_error(const TideSession *session);

/* ---- results --------------------------------------------------------------------------------------------------- */

/* Which source pieces each target piece was read from. Without attention, or if the options ask for none, only pieces.
   The last piece of each side is "</s>", the end of the sentence; a translation that was cut at the length limit has no
   target </s>. "▁" in a piece stands for a space. */
typedef struct TideAlignment {
    int source_count, target_count;
    const char *const *source; /* [source_count] */
    const char *const *target; /* [target_count] */
    const float *weights;      /* [target_count][source_count], each row sums to 1; NULL: there are none */
} TideAlignment;

typedef struct TideHypothesis {
    const char *text;
    double log_probability; /* Σ ln p of all pieces with </s>, in nats */
    double score;           /* with the normalisation of the search; the best hypothesis has the largest */
    int pieces;             /* with </s> */
    TideAlignment alignment;
    const double *piece_scores; /* [pieces] ln p of each piece; NULL: tide_align, or an empty or copied sentence */
    double confidence; /* of tide_translate: how good the translation probably is, 0 to 1: the chrF2 that its probability
                          predicts; -1: the first model has no such prediction, which `tide tune` fits, or
                          the sentence is empty or copied */
} TideHypothesis;

/* The hypotheses of one sentence, best first. An empty sentence has one hypothesis, without alignment: its prefix, or
   "" if it has none. So does a sentence of which the model knows nothing but punctuation: a copy of it, after NFKC. */
typedef struct TideSentence {
    int count;
    const TideHypothesis *const *hypotheses; /* [count] */
} TideSentence;

typedef struct TideResult {
    int count;
    const TideSentence *const *sentences; /* [count], in the order of the input */
} TideResult;
/* NULL: does nothing. Any thread may free a result, also after its session and models. */
TIDE_API void tide_result_free(TideResult *result);

/* ---- translating ----------------------------------------------------------------------------------------------- */

/* Called before each step of a search, in the thread of the call. `done` of `all` sentences are translated. Returns
   non-zero to cancel. It must not use the session and must not leave the call by longjmp or by an exception. */
typedef int TideProgress(void *context, int done, int all);

/* Called during a search, in the thread of the call, when more words of a sentence, counted from 0, are settled: no
   open hypothesis can change them any more, so its best translation begins with them. `text` has all settled words, and
   pieces [count] their pieces, where <unk> is not replaced yet; both are valid during the call. It has the same limits
   as TideProgress. */
typedef void TideSettled(void *context, int sentence, const char *text, const char *const *pieces, int count);

/* The words that translations may contain, for each source text: a search with a shortlist is faster, but some
   translations become worse. It belongs to a model and never changes; any number of threads may share it. */
typedef struct TideShortlist TideShortlist;

typedef struct TideShortlistOptions {
    size_t size;
    int first; /* also the most frequent pieces of the model; 0: 1000; negative: none */
    int best;  /* the most probable translations of a source text; 0: 100 */
} TideShortlistOptions;

/* Makes a shortlist of lines of source, tab, target, tab, probability, such as `tide lexicon` writes. It keeps a
   reference to the model, which may be freed before it. *shortlist and error are set as by tide_load. Release with
   tide_shortlist_free. */
TIDE_API TideStatus tide_shortlist_new(TideModel *model, const char *lines, const TideShortlistOptions *options,
                                       TideShortlist **shortlist, char *error, size_t error_size);
/* NULL: does nothing. No call may be using the shortlist. */
TIDE_API void tide_shortlist_free(TideShortlist *shortlist);

typedef struct TideTranslateOptions {
    size_t size;
    int beam;         /* hypotheses of the search, 1 to 1000; 0: the model's */
    int n_best;       /* at most this many hypotheses for each sentence, 1 to beam; 0: 1 */
    double normalize; /* the score is divided by length^normalize; 0: the model's; negative: not at all */
    double coverage;  /* weight of a penalty for source words that are not translated, up to 10; 0: none */
    int max_length;   /* most pieces of a source sentence; 0: 1000. Memory grows with its square. */
    int mini_batch;   /* most sentences decoded together, 1 to 4096; 0: 64. The results are the same. */
    int words;        /* non-zero: alignments of words: rows of pieces are averaged, columns are summed */
    int shift;       /* non-zero: row i has the weights of the step that reads piece i, not of the one that writes it */
    int hard;        /* non-zero: read only the annotation with the largest score */
    int layer, head; /* whose weights are the alignment, counted from 1; 0: the last layer, the mean of its heads */
    int allow_han;   /* non-zero: Han characters may occur in every target language */
    TideProgress *progress; /* NULL: none */
    void *context;          /* for progress */
    /* [count] texts with which the translations begin, character for character. The translation may continue the
       last word of the text, unless a space follows this word. An item may be NULL: free. NULL: none. A text that the
       target vocabulary cannot spell, or with more pieces than max_length, is TIDE_BAD_TEXT. */
    const char *const *prefixes;
    /* Lines of source, tab, target: wherever a sentence has the source text, each hypothesis contains the target, as
       whole words. NULL: none. A line of another form, or a target that the vocabulary cannot write, is TIDE_BAD_TEXT.
     */
    const char *glossary;
    const char *tag;            /* read the sentences as text of the training corpora with this tag; NULL: none */
    const double *word_penalty; /* subtracted from ln p for each piece, -10 to 10; NULL: the model's */
    /* non-zero: draw each word by its probability, for n_best translations of each sentence. There is no search, so
       beam, glossary and shortlist must be zero. The draws depend on the seed and on the index of the sentence only. */
    int sample;
    int top_k;          /* draw from the k most probable words; 0: from all */
    double top_p;       /* draw from the fewest words whose probabilities sum to p; 0: from all */
    double temperature; /* draw by p^(1 / temperature), 0.01 at least; 0: 1 */
    int seed;           /* 0: 1 */
    /* non-zero: the model may write <unk>, and the text has in its place the source word that it is aligned to */
    int replace_unknown;
    /* for replace_unknown: lines of source, tab, target: translations of these words; NULL: none */
    const char *lexicon;
    const TideShortlist *shortlist; /* of one of the session's models; NULL: all words */
    TideSettled *settled;           /* with the context of progress; NULL: none */
    int no_alignments;              /* non-zero: alignments have no weights, and the search is faster */
    /* "float32" or "bfloat16": what products with weights multiply; their sums are float32. bfloat16 has the bits of a
       matrix unit (AMX), but is not faster yet, and needs more memory for the weights. A model of int8 cannot use it.
       NULL: float32. */
    const char *precision;
} TideTranslateOptions;

/* Translates `count` sentences by beam search. Sets *result, to be released with tide_result_free; NULL on failure. */
TIDE_API TideStatus tide_translate(TideSession *session, const char *const *sentences, int count,
                                   const TideTranslateOptions *options, TideResult **result);

/* ---- given translations ---------------------------------------------------------------------------------------- */

typedef struct TideForceOptions {
    size_t size;
    int max_length; /* as above, for both sides */
    int words, shift, hard, layer, head;
    TideProgress *progress; /* called before each pair, or before each group of pairs */
    void *context;
    const char *tag;       /* of the sources, as above */
    const char *precision; /* as above */
} TideForceOptions;

/* Decode `count` given pairs. Each sentence of the result has one hypothesis: the target, normalised. tide_align fills
   its alignment by the session's first model, which needs attention; log_probability and score are 0. tide_score fills
   log_probability and score (both ln p), and piece_scores, not the alignment; if the session has several models, the
   probabilities are those with which they translate together. */
TIDE_API TideStatus tide_align(TideSession *session, const char *const *sources, const char *const *targets, int count,
                               const TideForceOptions *options, TideResult **result);
TIDE_API TideStatus tide_score(TideSession *session, const char *const *sources, const char *const *targets, int count,
                               const TideForceOptions *options, TideResult **result);

/* ---- a step of the decoder, opened ------------------------------------------------------------------------------ */

/* A matrix of a step. `of` and `name` are letters of docs/model.md:
     encoder    h: the annotations, a row for each source piece
     attention  e, alpha: scores and weights, a row for each head; c: the context; with coverage beta; with multi-head
   v, the values that alpha weighs, and c_heads, their sums state      s_prev, s_read, s: the state before the step, the
   one that the attention reads, the one after the step output     t: the input of the output layer A Transformer has no
   state; its attentions are called decoder.1.self, decoder.1.cross, decoder.2.self and so on, where `self` reads the
   target pieces and `cross` the source. Only names that the model has are there. */
typedef struct TideNumbers {
    const char *of, *name;
    int rows, columns;   /* a vector has one row */
    const float *values; /* [rows][columns] */
} TideNumbers;

typedef struct TideWord {
    const char *piece;
    double probability;
} TideWord;

typedef struct TideExplanation {
    int step; /* counted from 0 */
    int source_count, target_count;
    const char *const *source; /* [source_count] with </s> */
    const char *const *target; /* [target_count] the pieces that the decoder has read: <s> and `step` more */
    int number_count;
    const TideNumbers *const *numbers; /* [number_count] those of one `of` are neighbours */
    const TideWord *next;              /* the piece of the given translation at this step */
    int best_count;
    const TideWord *const *best; /* [best_count] the most probable pieces, the best one first */
} TideExplanation;

typedef struct TideExplainOptions {
    size_t size;
    int max_length; /* as above, for both sides */
    int hard;
    int top; /* most pieces in `best`, at most 1000; 0: 10; negative: none */
    /* [piece_count] the pieces of the translation, as the alignment of a result has them, with or without </s>; the
       target is ignored. NULL: the target has the pieces of tide_tokenize. */
    const char *const *pieces;
    int piece_count;
    const char *tag;       /* as above */
    const char *precision; /* as above */
} TideExplainOptions;

/* Computes the numbers of one step of the session's first model: step i, counted from 0, has read i pieces of the given
   translation and finds its next one; the last step finds </s>. TIDE_BAD_ARGUMENT: the translation has no such step.
   Sets *explanation, to be released with tide_explanation_free, also after its session and models; NULL on failure. */
TIDE_API TideStatus tide_explain(TideSession *session, const char *source, const char *target, int step,
                                 const TideExplainOptions *options, TideExplanation **explanation);
/* NULL: does nothing. */
TIDE_API void tide_explanation_free(TideExplanation *explanation);

/* ---- pieces ---------------------------------------------------------------------------------------------------- */

typedef enum TideSide { TIDE_SOURCE, TIDE_TARGET } TideSide;

typedef struct TidePieces {
    int count;
    const char *const *pieces; /* [count] */
} TidePieces;

/* Splits a text into the pieces of one language of a model, as `tide tokenize` does: normalised to NFKC, with "▁" for a
   space, without "</s>"; also pieces that are not in the vocabulary. *pieces and error are set as by tide_load. Release
   with tide_pieces_free. */
TIDE_API TideStatus tide_tokenize(const TideModel *model, TideSide side, const char *text, TidePieces **pieces,
                                  char *error, size_t error_size);
/* NULL: does nothing. */
TIDE_API void tide_pieces_free(TidePieces *pieces);

/* ---- measures -------------------------------------------------------------------------------------------------- */

typedef struct TideScoreOptions {
    size_t size;
    int lowercase;   /* non-zero: case is ignored */
    int chinese;     /* BLEU: non-zero: tokenisation zh instead of 13a */
    long references; /* number of references of each hypothesis; 0: 1 */
} TideScoreOptions;

typedef struct TideScore {
    double value;   /* 0..100 */
    char line[256]; /* as sacreBLEU prints it */
} TideScore;

/* Corpus BLEU and chrF2 of `count` hypotheses, at least 1, as sacreBLEU computes them. references: one reference of
   each hypothesis, or, if options->references is n, [n][count]: first the first reference of each hypothesis, then the
   second one of each, and so on. */
TIDE_API TideStatus tide_bleu(const char *const *hypotheses, const char *const *references, int count,
                              const TideScoreOptions *options, TideScore *score);
TIDE_API TideStatus tide_chrf(const char *const *hypotheses, const char *const *references, int count,
                              const TideScoreOptions *options, TideScore *score);

typedef struct TideAer {
    double rate, precision, recall; /* 0..1 */
} TideAer;

/* Alignment error rate of `count` lines of links against as many lines of a gold standard: `i-j` is a sure link, `ipj`
   a possible one; words are counted from 0. On failure, writes one line with the number of the bad line to error. */
TIDE_API TideStatus tide_aer(const char *const *links, const char *const *gold, int count, TideAer *aer, char *error,
                             size_t error_size);

/* ---- pictures -------------------------------------------------------------------------------------------------- */

typedef enum TidePicture {
    TIDE_SVG,    /* a stand-alone picture */
    TIDE_HTML,   /* a stand-alone interactive page */
    TIDE_PHARAOH /* links "0-0 1-2" from source to target, without </s>: the largest weight of each target piece */
} TidePicture;

/* Draws an alignment. It needs weights, and at least one piece on each side. Sets *text, to be released with
   tide_text_free; NULL on failure. */
TIDE_API TideStatus tide_draw(const TideAlignment *alignment, TidePicture picture, char **text);
TIDE_API void tide_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
