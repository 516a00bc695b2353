/* session.h: everything that changes while models are used. Any number of sessions may share a model, each in a
   thread of its own; a session that runs beside others computes the same bits as without them. */
#ifndef TIDE_SESSION_H
#define TIDE_SESSION_H

#include "translate/translations.h"

#include "model/batch.h"

/* One model or an ensemble, and the tape that runs it. Training uses a session whose tape records. */
typedef struct Session {
    const Translator **members; /* [count]; the session owns the list, not the models */
    int count;
    Tape tape;
    const char *tag; /* of all source sentences, not owned; NULL: none. All members must have it: see vocab_add_tag */
    PanelFormat products; /* of weights: PANELS_F32, or PANELS_BF16 if no member has integers: see Tape */
    bool copies; /* session_translate copies a sentence of which the first model knows nothing (reads_nothing), unless
                    it has a prefix or constraints */
} Session;

/* The members must form an ensemble (see ensemble_check). Models and threads must live longer than the session. Two
   sessions that run at the same time need two thread pools. */
void session_init(Session *session, const Translator *const *members, int count, Threads *threads);
void session_free(Session *session);
/* Ends recording, and sets the format of the products. The functions below call it, except session_logits, whose caller
   must. */
void session_begin(Session *session);
/* The ids of n source sentences. Each ends in the session's tag, or in </s> if there is none. Release with
   side_ids_free. */
int **session_encode(const Session *session, char *const *sentences, int n);

/* The default limit of pieces in a sentence. The memory of a search grows with the square of the length. */
enum { MOST_PIECES = 1000 };

/* The number of sentences, from the first one, to pass to one call of session_translate, so that their hypotheses
   need at most a few hundred megabytes; at least 1. */
int translate_most(char *const *sentences, int n, int beam);

/* Called from time to time: `done` of `all` sentences that are not empty are translated. */
typedef void SessionProgress(void *context, long done, long all);

/* Translates n normalised sentences, sorted by length, in batches of at most `batch` sentences; batches are smaller
   if the sentences are long or the beam is wide. options->settled gets the index of a sentence; options->numbers is
   ignored.
   Afterwards the tape does not record, and it is rewound. Call tape_reset before if the tape has records, or if weights
   that are not shared, or `products`, have changed since the tape packed them. Release with translations_free. */
Translations session_translate(Session *session, char *const *sentences, int n, const BeamOptions *options, int batch,
                               SessionProgress *progress, void *context);

/* The number of pairs, from the first one, to pass to one call of session_align: 1 to MOST_PAIRS. Long pairs give small
   batches. */
enum { MOST_PAIRS = 64 };
int align_most(char *const *source, char *const *target, int n);

/* Forced decoding of n normalised pairs in one batch by the first model, which must have attention: alignments[n]
   receives their alignments by piece. Release each with alignment_free. Afterwards the tape is as after
   session_translate. */
void session_align(Session *session, char *const *source, char *const *target, int n, AttentionOptions attention,
                   Alignment *alignments);

/* log p(target | source) of a normalised pair, in nats, and the number of target pieces; both include </s>. The
   probability is that of a search: for an ensemble that of the mean of the logits. Afterwards the tape is as after
   session_translate. */
typedef struct PairScore {
    double log_probability;
    int pieces;
} PairScore;
PairScore session_score(Session *session, char *source, char *target, AttentionOptions attention);
/* The same for n pairs in one batch, with the same bits: scores [n]; by_piece: NULL, or [n]: receives ln p of each
   target piece of a pair, owned by the caller. */
void session_scores(Session *session, char *const *source, char *const *target, int n, AttentionOptions attention,
                    PairScore *scores, double **by_piece);
/* The logits of the target words of a batch of pairs, [target.rows, V], on the tape, which must not record: the mean
   over the members. */
Var *session_logits(Session *session, const Batch *pairs, AttentionOptions attention);
/* ln Σ exp x_k over logits x [V]. */
double logits_log_sum(int V, const real *x);
/* The number of pairs, from the first one, to pass to one call of session_scores: 1 to MOST_PAIRS. */
int score_most(char *const *source, char *const *target, int n);

#endif
