/* search_tree.h: what a beam search considered for one sentence, step by step. */
#ifndef TIDE_SEARCH_TREE_H
#define TIDE_SEARCH_TREE_H

#include "model/beam.h"
#include "text/vocab.h"

#include <stdio.h>

typedef struct TreeStep {
    int first, count; /* of its candidates in SearchTree.list */
    int kept;         /* the first ones stayed in the beam */
} TreeStep;

/* All zero: empty. */
typedef struct SearchTree {
    TreeStep *steps;     /* a stb_ds array */
    BeamCandidate *list; /* a stb_ds array: the candidates of all steps */
} SearchTree;

enum { TREE_PRUNED = 5 /* the default number of pruned candidates of a step */ };

/* Adds a step, for BeamTrace, with at most `most_pruned` of the pruned candidates. */
void search_tree_add(SearchTree *tree, const BeamCandidate *list, int kept, int count, int most_pruned);
void search_tree_free(SearchTree *tree);
/* Writes {"steps": [[{"parent", "piece", "logProbability", "total", "kept"}, ..], ..],
   "hypotheses": [{"step", "place", "score"}, ..]}: the candidates, and where the hypotheses of `found` end, best first.
   found: the result of the same search. vocab: of the target language. */
void search_tree_json(FILE *out, const SearchTree *tree, const Nbest *found, const Vocab *vocab);

#endif
