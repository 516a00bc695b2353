/* session.h: what changes while models are used. Any number of sessions share a model, each in a thread of its own; two
   sessions that work at the same time compute the bits that each computes alone. */
#ifndef TIDE_SESSION_H
#define TIDE_SESSION_H

#include "translate/translations.h"

/* One model, or an ensemble, and the tape that runs it. A training is a session whose tape records. */
typedef struct Session {
    const Translator **members; /* [count]; the list is the session's, the models are not */
    int count;
    Tape tape;
} Session;

/* The members are an ensemble: see ensemble_check. Models and threads must live longer than the session; two sessions
   that work at the same time need two pools of threads. */
void session_init(Session *session, const Translator *const *members, int count, Threads *threads);
void session_free(Session *session);

/* Pieces of a sentence if the caller sets no other limit. The memory of a search grows with the square. */
enum { MOST_PIECES = 1000 };

/* How many of n sentences, from the first on, may be translated in one call, so that their hypotheses take some
   hundreds of megabytes at most; 1 at least. */
int translate_most(char *const *sentences, int n, int beam);

/* Called now and then with the number of sentences that are done. */
typedef void SessionProgress(void *context, long done, long all);

/* Translates n normalised sentences, at most `batch` at a time by length: fewer if they are long or the beam is wide.
   Afterwards the tape does not record, and is rewound. If the values of the weights have changed since the tape packed
   them, or if it has records, tape_reset must come before. Release with translations_free. */
Translations session_translate(Session *session, char *const *sentences, int n, const BeamOptions *options, int batch,
                               SessionProgress *progress, void *context);

/* Forced decoding by the first model of n normalised pairs at once: fills in their alignments, by piece; release each
   with alignment_free. The model must have attention. The tape is as after session_translate. */
void session_align(Session *session, char *const *source, char *const *target, int n, AttentionOptions attention,
                   Alignment *alignments);

/* log p(target | source) in nats of a normalised pair by the first model, and the number of target pieces; both with
   </s>. The tape is as after session_translate. */
typedef struct PairScore {
    double log_probability;
    int pieces;
} PairScore;
PairScore session_score(Session *session, char *source, char *target, AttentionOptions attention);

#endif
