/* validation.h: what is looked at between updates: the loss on other data, and alignments as they emerge. */
#ifndef TIDE_VALIDATION_H
#define TIDE_VALIDATION_H

#include "train/bleu.h"
#include "train/translator.h"
#include "train/workspace.h"

/* Cross-entropy of the pairs without dropout or smoothing, nats a target token, in batches that take no more than
   `limit` bytes, unless a pair alone does. Resets the tape. -1 with *err filled where the disk is broken. */
int validation_loss(Tape *tape, const Model *model, const Pairs *pairs, const Workspace *workspace, double limit,
                    double *loss, Err *err);

/* How the attention looks at sentences, over the best translations. */
typedef struct Looks {
    long rows;        /* target pieces that were looked at; 0: there is no attention */
    double entropy;   /* of a row of weights, in nats, on average */
    double evenness;  /* the same as a share of what even weights have; pieces of one-piece sentences left out */
    double diversity; /* of the source pieces that could be a row's largest weight, the share that is */
} Looks;
Looks looks_of(const Translations *found);
/* Whether the attention tells nothing: all rows alike, or each row even. */
bool looks_stuck(const Looks *looks);

/* BLEU of the sentences of some length alone. */
enum { LENGTHS = 7 };
typedef struct LengthBleu {
    int most; /* source pieces, without </s>; 0: any number, more than before */
    int sentences;
    double bleu; /* undefined where there are no sentences */
} LengthBleu;
void bleu_by_length(const Translations *found, char *const *hypotheses, char *const *references, BleuOptions options,
                    LengthBleu lengths[LENGTHS]);

/* Translates the sentences (normalised, a stb_ds array) and writes DIR/align/UPDATE.json: {"update": .., "alignments":
   [{source, target, matrix}, ...]}. Sentences without an alignment are left out. Resets the tape. */
int alignments_write(const char *dir, long update, Tape *tape, const Translator *translator, char *const *sentences,
                     Err *err);

#endif
