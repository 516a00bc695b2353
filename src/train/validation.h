/* validation.h: measurements between updates: the loss on the validation set, statistics of the attention,
   alignments. */
#ifndef TIDE_VALIDATION_H
#define TIDE_VALIDATION_H

#include "score/bleu.h"
#include "train/ranks.h"
#include "translate/session.h"
#include "train/workspace.h"

/* The cross-entropy of the pairs in nats per target token, without dropout and label smoothing. Batches need at most
   `limit` bytes, except a single pair that needs more. Resets the tape. Returns 0, or -1 with *err filled if the
   disk fails. Ranks share the batches; the loss has the same bits for any number of them. */
int validation_loss(Tape *tape, const Model *model, const Pairs *pairs, const Workspace *workspace, double limit,
                    Ranks *ranks, double *loss, Err *err);

/* Translates the sentences as session_translate does, in batches of `batch`. Ranks share the sentences; the result is
   complete on rank 0, with the best hypothesis of each sentence, and has no sentences on the others. Returns 0, or -1
   with *err filled. Release with translations_free. */
int validation_translate(Session *session, char *const *sentences, int n, const BeamOptions *options, int batch,
                         Ranks *ranks, SessionProgress *progress, void *context, Translations *found, Err *err);

/* Statistics of the attention weights α of the best translations. A row has the weights of one target piece. */
typedef struct AttentionStats {
    long rows;       /* 0: the model has no attention */
    double entropy;  /* mean of the rows' entropies, in nats */
    double evenness; /* mean of entropy / ln n, where ln n is the entropy of n uniform weights; without sentences of one
                        piece */
    /* different source pieces that are the argmax of a row, divided by min(rows, source pieces); both numbers are
       summed over the sentences */
    double diversity;
} AttentionStats;
AttentionStats attention_stats(const Translations *found);
/* Whether the weights contain no alignment: most rows have their largest weights on the same few source pieces, or
   the weights are almost uniform. */
bool attention_degenerate(const AttentionStats *stats);

/* BLEU of the sentences in a range of lengths: longer than `most` of the entry before, at most `most`. */
enum { LENGTHS = 7 };
typedef struct LengthBleu {
    int most; /* source pieces, without </s>; 0: no limit */
    int sentences;
    double bleu; /* 0 if there are no sentences */
} LengthBleu;
void bleu_by_length(const Translations *found, char *const *hypotheses, char *const *references, BleuOptions options,
                    LengthBleu lengths[LENGTHS]);

/* Translates normalised sentences (a stb_ds array) and writes DIR/align/UPDATE.json: {"update": .., "alignments":
   [{source, target, matrix}, ...]}. Sentences without an alignment are left out. Afterwards the tape is as after
   session_translate. Returns 0, or -1 with *err filled. */
int alignments_write(const char *dir, long update, Session *session, char *const *sentences, Err *err);

#endif
