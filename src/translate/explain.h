/* explain.h: the numbers of one step of the decoder, with the letters of docs/model.md. */
#ifndef TIDE_EXPLAIN_H
#define TIDE_EXPLAIN_H

#include "core/notes.h"
#include "translate/session.h"

/* A matrix or a vector of a step. `of` and `name` tell which one, as in the names of weights:
   encoder      h [source pieces, a]
   attention    e and alpha [heads, pieces that it reads]; c; coverage: beta; multi-head: v [pieces, n'], c_heads
   state        s_prev, s_read, s: s_{i-1}; s_{i-1} or s', which the attention reads; s_i
   output       t, the input of the output layer
   A Transformer has no state; its attentions are decoder.1.self, decoder.1.cross, decoder.2.self and so on, where
   `self` reads the target pieces. */
typedef struct StepNumbers {
    const char *of, *name;
    int rows, cols;
    bool vector; /* rows is 1 */
    const real *values;
} StepNumbers;

typedef struct StepWord {
    const char *piece; /* the vocabulary owns it */
    double probability;
} StepWord;

/* Pieces are those of the tokenizer. */
typedef struct Explanation {
    int step;             /* counted from 0 */
    char **source;        /* a stb_ds array of owned texts; </s> is the last one */
    char **target;        /* a stb_ds array: the pieces that the decoder has read, <s> and `step` more */
    StepNumbers *numbers; /* a stb_ds array; those of one `of` are neighbours */
    StepWord next;        /* the piece of the translation at this step */
    StepWord *best;       /* a stb_ds array: the most probable pieces, the best one first */
    Notes notes;          /* owns the values */
} Explanation;

enum { STEP_WORDS = 10 /* the default number of words in `best` */ };

/* Explains step `step` of the translation with the ids target[0..step] of a normalised source sentence, by the
   session's first model: what it computed from the pieces before target[step]. top: at most this many pieces in `best`.
   Release with explanation_free, before the model. Afterwards the tape is as after session_translate. */
Explanation session_explain(Session *session, char *source, const int *target, int step, int top,
                            AttentionOptions attention);
void explanation_free(Explanation *explanation);
/* Checks that the probabilities are finite; they are not if the numbers of a model overflow. Returns 0, or -1
   with *err's reason filled. */
int explanation_check(const Explanation *explanation, Err *err);
/* Writes {"step", "source", "target", "numbers": {"attention": {"e": [[..]], ..}, ..}, "next", "best"}, with numbers of
   six digits. */
void explanation_json(FILE *out, const Explanation *explanation);

#endif
