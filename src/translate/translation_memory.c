#include "translate/translation_memory.h"

#include "core/scope.h"
#include "io/ds.h"
#include "text/edit_distance.h"
#include "text/unicode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { STEPS = 1 << 22 }; /* of edit distances, in a search; translation_memory.h tells it */

/* ---- signatures ------------------------------------------------------------------------------------------------ */

enum { CHARACTER_WORDS = 2, PAIR_WORDS = 4, BINS = 256 };

/* What occurs in a text: its characters, and its pairs of adjacent characters (each end of the text counts as a
   character of pairs). They are counted in bins; a bin with k of them sets the first k of a row of bits, which all bins
   share. An edit removes at most one character and two pairs. So if a text has n bits of characters, or 2n bits of
   pairs, that another text lacks, their distance is at least n. Bits that coincide only make this bound smaller. */
typedef struct Signature {
    uint64_t characters[CHARACTER_WORDS], pairs[PAIR_WORDS];
} Signature;

static uint64_t mix(uint64_t x) { return x * 0x9e3779b97f4a7c15u ^ x * 0x9e3779b97f4a7c15u >> 32; }

/* Counts a character or a pair in its bin, and sets the next bit of the bin. */
static void count_in(uint64_t *bits, int words, uint16_t counts[BINS], uint64_t what) {
    const uint64_t bin = mix(what) % BINS, bit = mix(bin << 16 | counts[bin]++) % (64 * (uint64_t)words);
    bits[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* The signature of a text of at most TM_LONGEST characters. */
static Signature signature_of(const char *text) {
    uint16_t characters[BINS] = {0}, pairs[BINS] = {0};
    Signature s = {{0}, {0}};
    uint64_t last = 0;
    while (*text) {
        const uint64_t c = (uint64_t)utf8_next(&text);
        count_in(s.characters, CHARACTER_WORDS, characters, c);
        count_in(s.pairs, PAIR_WORDS, pairs, last << 32 | c);
        last = c;
    }
    count_in(s.pairs, PAIR_WORDS, pairs, last << 32);
    return s;
}

/* The number of bits of `in` that are not in `out`, which have an even number of words. */
static inline int missing(const uint64_t *in, const uint64_t *out, int words) {
    const uint64_t odd = 0x5555555555555555u, twos = 0x3333333333333333u, fours = 0x0f0f0f0f0f0f0f0fu;
    int count = 0;
    for (int i = 0; i < words; i += 2) { /* two words at a time; sums of 2, then 4, then 8 bits, then of all bytes */
        uint64_t a = in[i] & ~out[i], b = in[i + 1] & ~out[i + 1];
        a -= a >> 1 & odd;
        b -= b >> 1 & odd;
        a = (a & twos) + (a >> 2 & twos) + (b & twos) + (b >> 2 & twos);
        a = (a & fours) + (a >> 4 & fours);
        count += (int)(a * 0x0101010101010101u >> 56);
    }
    return count;
}

/* A lower bound of the distance between two texts; useful if the first one is not the shorter one. */
static inline int distance_bound(const Signature *one, const Signature *other) {
    const int characters = missing(one->characters, other->characters, CHARACTER_WORDS);
    const int pairs = missing(one->pairs, other->pairs, PAIR_WORDS);
    return larger(characters, (pairs + 1) / 2);
}

/* ---- the memory ------------------------------------------------------------------------------------------------ */

typedef struct Entry {
    struct Entry *next; /* in its chain of the hash table */
    long id, order;     /* order: later ones are larger */
    uint32_t hash;      /* of the source */
    int length;         /* of the source, in characters */
    int place;          /* on its shelf */
    int target;         /* offset in `text` */
    char text[];        /* source and target, each with its NUL */
} Entry;

/* The entries of one length in characters, in any order. */
typedef struct Shelf {
    Signature *signatures;
    Entry **entries;
    int count, room;
} Shelf;

struct TranslationMemory {
    pthread_mutex_t entrance; /* held while a thread waits for `lock`, so that new readers wait behind a writer */
    pthread_rwlock_t lock;
    Entry **chains; /* [slots] the hash table */
    size_t slots;   /* 0 or a power of two, at least `count` */
    size_t count;
    long orders;                   /* how many entries were put */
    Shelf shelves[TM_LONGEST + 1]; /* by length; longer entries are on none */
};

static void unlock(void *lock) { pthread_rwlock_unlock(lock); }

/* Takes the lock with pthread_rwlock_rdlock or _wrlock. If the scope of the thread fails, it releases the lock. */
static void lock_with(TranslationMemory *tm, int (*take)(pthread_rwlock_t *lock)) {
    pthread_mutex_lock(&tm->entrance);
    take(&tm->lock);
    pthread_mutex_unlock(&tm->entrance);
    scope_own(&tm->lock, unlock);
}
static void lock_to_read(TranslationMemory *tm) { lock_with(tm, pthread_rwlock_rdlock); }
static void lock_to_write(TranslationMemory *tm) { lock_with(tm, pthread_rwlock_wrlock); }
static void release_lock(TranslationMemory *tm) {
    scope_disown(&tm->lock, unlock);
    unlock(&tm->lock);
}

/* mem_realloc for the memory of *tm, which outlives the scope of a call. */
static void *resize(void *old, size_t bytes) { return scope_keep(mem_realloc(old, bytes)); }

TranslationMemory *tm_new(void) {
    TranslationMemory *tm = scope_keep(mem_zalloc(sizeof *tm));
    pthread_mutex_init(&tm->entrance, NULL);
    pthread_rwlock_init(&tm->lock, NULL);
    return tm;
}

void tm_free(TranslationMemory *tm) {
    if (!tm) return;
    for (size_t i = 0; i < tm->slots; i++)
        for (Entry *e = tm->chains[i], *next; e; e = next) {
            next = e->next;
            mem_free(e);
        }
    for (int i = 0; i <= TM_LONGEST; i++) {
        mem_free(tm->shelves[i].signatures);
        mem_free(tm->shelves[i].entries);
    }
    mem_free(tm->chains);
    pthread_rwlock_destroy(&tm->lock);
    pthread_mutex_destroy(&tm->entrance);
    mem_free(tm);
}

long tm_count(TranslationMemory *tm) {
    lock_to_read(tm);
    const long count = (long)tm->count;
    release_lock(tm);
    return count;
}

/* ---- one source ------------------------------------------------------------------------------------------------ */

static char *normalised(const char *source) {
    char *text = text_normalise(source, strlen(source), NULL);
    CHECK(text, "a translation memory has texts of valid UTF-8");
    return text;
}

static uint32_t hash_of(const char *source) { return (uint32_t)XXH3_64bits(source, strlen(source)); }

/* Where the pointer to the entry of a normalised source is, or the NULL at the end of its chain. NULL: no slots. */
static Entry **find(const TranslationMemory *tm, const char *source, uint32_t hash) {
    if (!tm->slots) return NULL;
    Entry **at = &tm->chains[hash & (tm->slots - 1)];
    while (*at && ((*at)->hash != hash || strcmp((*at)->text, source) != 0)) at = &(*at)->next;
    return at;
}

char *tm_find(TranslationMemory *tm, const char *source, long *id) {
    char *text = normalised(source), *target = NULL;
    lock_to_read(tm);
    Entry **at = find(tm, text, hash_of(text)), *e = at ? *at : NULL;
    if (e) target = mem_strdup(e->text + e->target);
    if (e && id) *id = e->id;
    release_lock(tm);
    mem_free(text);
    return target;
}

/* A new entry with copies of a normalised source and a target. */
static Entry *new_entry(const char *source, const char *target, long id) {
    const size_t n = strlen(source) + 1, m = strlen(target) + 1;
    Entry *e = mem_alloc(sizeof *e + n + m);
    *e = (Entry){.id = id, .hash = hash_of(source), .length = (int)utf8_count(source), .target = (int)n};
    memcpy(e->text, source, n);
    memcpy(e->text + n, target, m);
    return e;
}

/* Makes room for one more entry in the hash table. */
static void grow_chains(TranslationMemory *tm) {
    if (tm->count < tm->slots) return;
    const size_t slots = tm->slots ? 2 * tm->slots : 64;
    Entry **chains = resize(NULL, slots * sizeof *chains);
    memset(chains, 0, slots * sizeof *chains);
    for (size_t i = 0; i < tm->slots; i++)
        for (Entry *e = tm->chains[i], *next; e; e = next) {
            Entry **chain = &chains[e->hash & (slots - 1)];
            next = e->next;
            e->next = *chain;
            *chain = e;
        }
    mem_free(tm->chains);
    tm->chains = chains;
    tm->slots = slots;
}

static void grow_shelf(Shelf *shelf) {
    if (shelf->count < shelf->room) return;
    CHECK(shelf->room < 1 << 30, "too many sentences of one length");
    const int room = shelf->room + shelf->room / 2 + 4;
    shelf->signatures = resize(shelf->signatures, (size_t)room * sizeof *shelf->signatures);
    shelf->entries = resize(shelf->entries, (size_t)room * sizeof(Entry *));
    shelf->room = room;
}

/* The shelf of an entry; NULL: it is too long for one. */
static Shelf *shelf_of(TranslationMemory *tm, const Entry *e) {
    return e->length <= TM_LONGEST ? &tm->shelves[e->length] : NULL;
}

/* Puts a new entry at the end of its chain and its shelf, which have room. */
static void insert(TranslationMemory *tm, Entry *e) {
    Shelf *shelf = shelf_of(tm, e);
    *find(tm, e->text, e->hash) = e;
    tm->count++;
    if (!shelf) return;
    e->place = shelf->count++;
    shelf->entries[e->place] = e;
    shelf->signatures[e->place] = signature_of(e->text);
}

/* Takes an entry from its chain and its shelf, where the last one moves to its place. */
static void take_out(TranslationMemory *tm, Entry *e) {
    Shelf *shelf = shelf_of(tm, e);
    *find(tm, e->text, e->hash) = e->next;
    tm->count--;
    if (!shelf) return;
    const int last = --shelf->count;
    shelf->entries[e->place] = shelf->entries[last];
    shelf->signatures[e->place] = shelf->signatures[last];
    shelf->entries[e->place]->place = e->place;
}

void tm_put(TranslationMemory *tm, const char *source, const char *target, long id) {
    char *text = normalised(source);
    CHECK(*text, "a translation memory has no empty sources");
    Entry *e = new_entry(text, target, id);
    Shelf *shelf = shelf_of(tm, e);
    lock_to_write(tm);
    grow_chains(tm);
    if (shelf) grow_shelf(shelf);
    scope_keep(e);
    Entry *old = *find(tm, text, e->hash);
    if (old) take_out(tm, old);
    e->order = tm->orders++;
    insert(tm, e);
    release_lock(tm);
    mem_free(old);
    mem_free(text);
}

bool tm_remove(TranslationMemory *tm, const char *source, long id) {
    char *text = normalised(source);
    lock_to_write(tm);
    Entry **at = find(tm, text, hash_of(text)), *e = at ? *at : NULL;
    const bool found = e && e->id == id;
    if (found) take_out(tm, e);
    release_lock(tm);
    if (found) mem_free(e);
    mem_free(text);
    return found;
}

/* ---- similar sources ------------------------------------------------------------------------------------------- */

typedef struct Hit {
    const Entry *entry;
    double similarity;
} Hit;

/* An entry that may be similar. */
typedef struct Candidate {
    const Entry *entry;
    int length; /* of the longer one of its source and the pattern, in characters */
    int next;   /* candidate with the same rank; -1: none */
} Candidate;

enum { RANKS = 1000 };

typedef struct Search {
    EditPattern pattern;
    Signature signature;
    double least;
    Hit *hits; /* [room] the first `count` are used, the most similar first */
    int count, room;
    Candidate *candidates;
    int candidate_count;
    int first[RANKS + 1]; /* candidate of each rank; -1: none. Rank: RANKS × the largest similarity that the bound of
                             its distance allows */
} Search;

static double similarity(int distance, int length) { return 1 - (double)distance / length; }

/* The similarity without which no entry enters the hits. */
static double needed(const Search *s) {
    const double last = s->count && s->count == s->room ? s->hits[s->count - 1].similarity : 0;
    return last > s->least ? last : s->least;
}

/* The largest distance with which an entry enters the hits; negative: none. length: of the longer text. */
static int most_distance(const Search *s, int length) {
    const double least = needed(s);
    int distance = smaller((int)((1 - least) * length) + 1, length);
    while (distance >= 0 && similarity(distance, length) < least) distance--;
    return distance;
}

static bool is_before(const Hit *a, const Hit *b) {
    return a->similarity != b->similarity ? a->similarity > b->similarity : a->entry->order > b->entry->order;
}

/* Adds a hit; if there is no room, the last one is dropped. */
static void add_hit(Search *s, Hit hit) {
    if (s->count < s->room) s->hits[s->count++] = hit;
    else if (is_before(&hit, &s->hits[s->count - 1])) s->hits[s->count - 1] = hit;
    for (int at = s->count - 1; at > 0 && is_before(&hit, &s->hits[at - 1]); at--) {
        s->hits[at] = s->hits[at - 1];
        s->hits[at - 1] = hit;
    }
}

/* Lists the entries of a shelf that may be similar. */
static void list_candidates(Search *s, const Shelf *shelf, int entry_length) {
    const int length = larger(entry_length, s->pattern.length), most = most_distance(s, length);
    const bool longer = entry_length > s->pattern.length;
    if (abs(entry_length - s->pattern.length) > most) return;
    for (int i = 0; i < shelf->count; i++) {
        const Signature *its = &shelf->signatures[i], *ours = &s->signature;
        const int bound = longer ? distance_bound(its, ours) : distance_bound(ours, its);
        if (bound > most) continue;
        int *first = &s->first[(int)(similarity(bound, length) * RANKS)];
        s->candidates[s->candidate_count] = (Candidate){shelf->entries[i], length, *first};
        *first = s->candidate_count++;
    }
}

/* Compares the pattern with the candidates, the most promising first. */
static void compare_candidates(Search *s) {
    long steps = STEPS;
    for (int rank = RANKS; rank >= 0; rank--)
        for (int i = s->first[rank], next; i >= 0; i = next) {
            if (needed(s) * RANKS >= rank + 1) return; /* no other one can enter */
            const Candidate *c = &s->candidates[i];
            const int most = most_distance(s, c->length);
            next = c->next;
            if (next >= 0) __builtin_prefetch(s->candidates[next].entry->text);
            const int distance = edit_distance(&s->pattern, c->entry->text, c->entry->length, most);
            if (distance <= most) add_hit(s, (Hit){c->entry, similarity(distance, c->length)});
            steps -= (long)c->entry->length * s->pattern.blocks;
            if (steps < 0) return;
        }
}

/* Copies of the hits: a stb_ds array. */
static Similar *copies(const Search *s) {
    Similar *list = NULL;
    for (int i = 0; i < s->count; i++) {
        const Entry *e = s->hits[i].entry;
        Similar similar = {mem_strdup(e->text), mem_strdup(e->text + e->target), e->id, s->hits[i].similarity};
        arrput(list, similar);
    }
    return list;
}

/* tm_similar for a normalised source of 1 to TM_LONGEST characters. */
static Similar *similar_to(TranslationMemory *tm, const char *source, int most, double least) {
    Search *s = mem_zalloc(sizeof *s);
    s->pattern = edit_pattern(source);
    s->signature = signature_of(source);
    s->least = least;
    for (int rank = 0; rank <= RANKS; rank++) s->first[rank] = -1;
    lock_to_read(tm);
    s->room = tm->count < (size_t)most ? (int)tm->count : most;
    s->hits = mem_alloc((size_t)s->room * sizeof *s->hits);
    s->candidates = mem_alloc(tm->count * sizeof *s->candidates);
    for (int length = 1; length <= TM_LONGEST; length++) list_candidates(s, &tm->shelves[length], length);
    compare_candidates(s);
    Similar *list = copies(s);
    release_lock(tm);
    mem_free(s->hits);
    mem_free(s->candidates);
    edit_pattern_free(&s->pattern);
    mem_free(s);
    return list;
}

Similar *tm_similar(TranslationMemory *tm, const char *source, int most, double least) {
    CHECK(least >= 0 && least <= 1, "a similarity of at least %g", least);
    char *text = normalised(source);
    const size_t n = utf8_count(text);
    Similar *list = n && n <= TM_LONGEST && most > 0 ? similar_to(tm, text, most, least) : NULL;
    mem_free(text);
    return list;
}

void tm_similar_free(Similar *similar) {
    for (ptrdiff_t i = 0; i < arrlen(similar); i++) {
        mem_free(similar[i].source);
        mem_free(similar[i].target);
    }
    arrfree(similar);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

int tm_read(TranslationMemory *tm, const CorpusFiles *files, const char *const langs[2], long first_id,
            TmCounts *counts, Err *err) {
    *counts = (TmCounts){0};
    Reader *reader = reader_open(files, langs, err);
    if (!reader) return -1;
    RawPair pair;
    int status;
    while ((status = reader_next(reader, &pair, err)) > 0) {
        char *text[2];
        for (int i = 0; i < 2; i++) text[i] = text_normalise(pair.text[i], pair.size[i], NULL);
        const bool good = !pair.short_of && text[SOURCE] && text[TARGET] && *text[SOURCE] && *text[TARGET];
        if (good) tm_put(tm, text[SOURCE], text[TARGET], first_id + counts->added);
        ++*(good ? &counts->added : &counts->dropped);
        for (int i = 0; i < 2; i++) mem_free(text[i]);
    }
    reader_close(reader);
    return status;
}
