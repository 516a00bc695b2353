/* validation.h: what a validation measures in the translations of the validation set; training.h has the functions that
   need the state of the training. */
#ifndef TIDE_VALIDATION_H
#define TIDE_VALIDATION_H

#include "score/bleu.h"
#include "translate/session.h"

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
/* Writes the BLEU of all lengths as train.jsonl has it: "bleu_by_length": [{"to", "sentences", "bleu"}], without
   lengths that no sentence has; to: null if there is no limit. */
void bleu_by_length_print(FILE *out, const LengthBleu lengths[LENGTHS]);
void bleu_by_length(const Translations *found, char *const *hypotheses, char *const *references, BleuOptions options,
                    LengthBleu lengths[LENGTHS]);

#endif
