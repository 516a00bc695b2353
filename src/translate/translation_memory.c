#include "translate/translation_memory.h"

#include "core/scope.h"
#include "io/ds.h"
#include "text/edit_distance.h"
#include "text/unicode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { STEPS = 1 << 24 }; /* of edit distances, in a search */

/* ---- signatures ------------------------------------------------------------------------------------------------ */

enum { WORDS = 2, SIGNATURE_BITS = 64 * WORDS, BINS = 256 };

/* What occurs in a text: its characters, and its pairs of adjacent characters (the ends of the text count as a
   character). Each is counted in a bin; a bin that has k of them sets its first k bits. An edit removes at most one
   character and two pairs. So if a text lacks n of the characters or 2n of the pairs of another one, their distance is
   at least n; two bits that coincide make this bound smaller, never larger. */
typedef struct Signature {
    uint64_t bits[2][WORDS]; /* of characters, of pairs */
} Signature;

/* Sets the next bit of the bin of a character or a pair. */
static void set_bit(uint64_t bits[WORDS], uint16_t counts[BINS], uint64_t gram) {
    const uint64_t hash = gram * 0x9e3779b97f4a7c15u, bin = hash >> 56;
    const uint64_t bit = (bin * 0x9e3779b97f4a7c15u ^ counts[bin]++ * 0xc2b2ae3d27d4eb4fu) >> 32 & (SIGNATURE_BITS - 1);
    bits[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* The signature of a text of at most TM_LONGEST characters. */
static Signature signature_of(const char *text) {
    uint16_t counts[2][BINS] = {{0}};
    Signature s = {{{0}}};
    for (uint64_t c = 0, last = 0; last || *text; last = c) {
        c = *text ? (uint64_t)utf8_next(&text) : 0;
        if (c) set_bit(s.bits[0], counts[0], c);
        set_bit(s.bits[1], counts[1], last << 32 | c);
    }
    return s;
}

/* The number of bits that are set in two words. */
static int ones(uint64_t a, uint64_t b) {
    const uint64_t odd = 0x5555555555555555u, twos = 0x3333333333333333u, fours = 0x0f0f0f0f0f0f0f0fu;
    a -= a >> 1 & odd;
    b -= b >> 1 & odd;
    a = (a & twos) + (a >> 2 & twos) + (b & twos) + (b >> 2 & twos);
    a = (a & fours) + (a >> 4 & fours);
    return (int)(a * 0x0101010101010101u >> 56);
}

/* A lower bound of the distance between a text and a shorter one or one of the same length. */
static int distance_bound(const Signature *longer, const Signature *shorter) {
    int missing[2];
    for (int i = 0; i < 2; i++)
        missing[i] = ones(longer->bits[i][0] & ~shorter->bits[i][0], longer->bits[i][1] & ~shorter->bits[i][1]);
    return larger(missing[0], (missing[1] + 1) / 2);
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
    pthread_rwlock_t lock;
    Entry **chains; /* [slots] the hash table; slots: 0 or a power of two, at least `count` */
    size_t slots, count;
    long orders;                   /* how many entries were put */
    Shelf shelves[TM_LONGEST + 1]; /* by length; longer entries are on none */
};

static void unlock(void *lock) { pthread_rwlock_unlock(lock); }

/* Take and release the lock. A scope that ends by a failure also releases it. */
static void lock_to_read(TranslationMemory *tm) {
    pthread_rwlock_rdlock(&tm->lock);
    scope_own(&tm->lock, unlock);
}
static void lock_to_write(TranslationMemory *tm) {
    pthread_rwlock_wrlock(&tm->lock);
    scope_own(&tm->lock, unlock);
}
static void release_lock(TranslationMemory *tm) {
    scope_disown(&tm->lock, unlock);
    unlock(&tm->lock);
}

/* mem_realloc for the memory of *tm, which outlives the scope of a call. */
static void *resize(void *old, size_t bytes) { return scope_keep(mem_realloc(old, bytes)); }

TranslationMemory *tm_new(void) {
    TranslationMemory *tm = scope_keep(mem_zalloc(sizeof *tm));
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

/* A copy of the entries' texts; belongs to no scope. */
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

typedef struct Search {
    EditPattern pattern;
    Signature signature;
    double least;
    Hit *hits; /* [room] the most similar first */
    int count, room;
    long steps;                /* that are left */
    int heads[TM_LONGEST + 1]; /* of scan_shelf */
    int *next;
} Search;

static double similarity(int distance, int length) { return 1 - (double)distance / length; }

/* The largest distance with which an entry enters the hits; negative: none. length: of the longer text. */
static int most_distance(const Search *s, int length) {
    const double last = s->count && s->count == s->room ? s->hits[s->count - 1].similarity : s->least;
    const double least = last > s->least ? last : s->least;
    int distance = smaller((int)((1 - least) * length) + 1, length);
    while (distance >= 0 && similarity(distance, length) < least) distance--;
    return distance;
}

static bool is_before(const Hit *a, const Hit *b) {
    return a->similarity != b->similarity ? a->similarity > b->similarity : a->entry->order > b->entry->order;
}

static void add_hit(Search *s, Hit hit) {
    int at = s->count < s->room ? s->count++ : s->room - 1;
    if (at == s->room - 1 && s->hits[at].entry && is_before(&s->hits[at], &hit)) return;
    for (; at > 0 && is_before(&hit, &s->hits[at - 1]); at--) s->hits[at] = s->hits[at - 1];
    s->hits[at] = hit;
}

/* Compares the pattern with an entry. length: of the longer text. */
static void compare(Search *s, const Entry *e, int length) {
    const int most = most_distance(s, length), distance = edit_distance(&s->pattern, e->text, e->length, most);
    s->steps -= (long)e->length * s->pattern.blocks;
    if (distance <= most) add_hit(s, (Hit){e, similarity(distance, length)});
}

/* Compares the pattern with the entries of a shelf that may be similar, those with the smallest bound of the distance
   first. */
static void search_shelf(Search *s, const Shelf *shelf, int entry_length) {
    const int length = larger(entry_length, s->pattern.length), most = most_distance(s, length);
    const bool longer = entry_length > s->pattern.length;
    if (!shelf->count || length - smaller(entry_length, s->pattern.length) > most) return;
    for (int d = 0; d <= most; d++) s->heads[d] = -1;
    for (int i = 0; i < shelf->count; i++) {
        const Signature *other = &shelf->signatures[i];
        const int bound = longer ? distance_bound(other, &s->signature) : distance_bound(&s->signature, other);
        if (bound > most) continue;
        s->next[i] = s->heads[bound];
        s->heads[bound] = i;
    }
    for (int d = 0; d <= most; d++)
        for (int i = s->heads[d]; i >= 0 && d <= most_distance(s, length) && s->steps > 0; i = s->next[i])
            compare(s, shelf->entries[i], length);
}

/* The length of the fullest shelf. */
static int fullest(const TranslationMemory *tm) {
    int most = 0;
    for (int i = 0; i <= TM_LONGEST; i++) most = larger(most, tm->shelves[i].count);
    return most;
}

/* Searches all shelves, those of the nearest lengths first. */
static void search(Search *s, const TranslationMemory *tm) {
    const int n = s->pattern.length;
    for (int d = 0; d <= TM_LONGEST; d++) {
        if (n + d <= TM_LONGEST) search_shelf(s, &tm->shelves[n + d], n + d);
        if (d > 0 && n - d > 0) search_shelf(s, &tm->shelves[n - d], n - d);
    }
}

Similar *tm_similar(TranslationMemory *tm, const char *source, int most, double least) {
    CHECK(least >= 0 && least <= 1, "a similarity of at least %g", least);
    Similar *list = NULL;
    char *text = normalised(source);
    const size_t n = utf8_count(text);
    if (n && n <= TM_LONGEST && most > 0) {
        Search *s = mem_zalloc(sizeof *s);
        *s = (Search){.pattern = edit_pattern(text), .signature = signature_of(text), .least = least, .steps = STEPS};
        lock_to_read(tm);
        s->room = smaller(most, (int)tm->count);
        s->hits = mem_zalloc((size_t)s->room * sizeof *s->hits);
        s->next = mem_alloc((size_t)fullest(tm) * sizeof *s->next);
        search(s, tm);
        for (int i = 0; i < s->count; i++) {
            const Entry *e = s->hits[i].entry;
            arrput(list,
                   ((Similar){mem_strdup(e->text), mem_strdup(e->text + e->target), e->id, s->hits[i].similarity}));
        }
        release_lock(tm);
        mem_free(s->hits);
        mem_free(s->next);
        edit_pattern_free(&s->pattern);
        mem_free(s);
    }
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
