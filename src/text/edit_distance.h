/* edit_distance.h: how many characters must be inserted, deleted or replaced to make one text of another (Levenshtein
   distance), for one text that is compared with many: Myers, "A fast bit-vector algorithm for approximate string
   matching" (1999), with the blocks of Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit
   distances" (2003). */
#ifndef TIDE_EDIT_DISTANCE_H
#define TIDE_EDIT_DISTANCE_H

#include <stdint.h>

/* The text that is compared with others. Threads may not share it, because a comparison writes to `column`. */
typedef struct EditPattern {
    int length, blocks; /* in characters; 64 of them are a block */
    int32_t *slots;     /* [mask + 1] a hash table of the characters; 0: empty */
    uint64_t *places;   /* [mask + 1, blocks] bit i of row k: character i of the text is the one in slot k */
    uint32_t mask;
    struct EditBlock *column; /* [blocks] */
} EditPattern;

/* Prepares a text of valid UTF-8. Release with edit_pattern_free. */
EditPattern edit_pattern(const char *text);
void edit_pattern_free(EditPattern *pattern);

/* The distance to a text of `length` characters, valid UTF-8; a number above `most` if the distance is above it. At
   most length × pattern->blocks steps of a few nanoseconds. */
int edit_distance(const EditPattern *pattern, const char *text, int length, int most);

#endif
