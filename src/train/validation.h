/* validation.h: what is looked at between updates: the loss on other data, and alignments as they emerge. */
#ifndef TIDE_VALIDATION_H
#define TIDE_VALIDATION_H

#include "score/bleu.h"
#include "translate/session.h"
#include "train/workspace.h"

/* Cross-entropy of the pairs without dropout or smoothing, nats a target token, in batches that take no more than
   `limit` bytes, unless a pair alone does. Resets the tape. -1 with *err filled where the disk is broken. */
int validation_loss(Tape *tape, const Model *model, const Pairs *pairs, const Workspace *workspace, double limit,
                    double *loss, Err *err);

/* Statistics of the attention weights α of the best translations; a row of weights belongs to a target piece. */
typedef struct AttentionStats {
    long rows;        /* 0: the model has no attention */
    double entropy;   /* mean of the rows' entropies, in nats */
    double evenness;  /* the same relative to ln n, the entropy of uniform weights; sentences of one piece left out */
    double diversity; /* distinct source pieces with a row's largest weight, relative to the most there could be */
} AttentionStats;
AttentionStats attention_stats(const Translations *found);
/* Whether the weights say nothing about an alignment: the rows are alike, or uniform. */
bool attention_degenerate(const AttentionStats *stats);

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
   [{source, target, matrix}, ...]}. Sentences without an alignment are left out. The tape is as
   after session_translate. */
int alignments_write(const char *dir, long update, Session *session, char *const *sentences, Err *err);

#endif
