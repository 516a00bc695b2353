/* A host program with libtide.so: no refused allocation ends it, costs memory, or changes the results of later calls;
   its hooks, signal handler, streams and locale stay as they are. It uses the public API only.

   usage: host MODEL [all]. It refuses the first allocation of each call stack; with `all`, every allocation.
   The host defines malloc and its family, so that it sees the allocations of every library. Its own messages go to
   copies of its streams, so that every byte on standard output and standard error is of the library. */
#include "tide.h"

#include <cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <execinfo.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEMAND(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) demand_failed(__LINE__, #condition, __VA_ARGS__);                                            \
    } while (0)
static _Noreturn void demand_failed(int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- the allocator of the host ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { PLACES = 1 << 14, DEPTH = 20 };

static atomic_long calls, held;        /* allocations so far; blocks that are not freed yet */
static long refuse_first, refuse_last; /* numbers of the allocations that are refused; 0: none */
static atomic_bool noting;             /* note the numbers of allocations with a new call stack */
static long numbers[PLACES];
static int places;
static _Thread_local bool inside; /* backtrace may allocate */

#if !SANITIZED
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): glibc's names of the original functions */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static void note(long number) {
    static uint64_t stacks[PLACES];
    void *stack[DEPTH];
    uint64_t hash = 0xcbf29ce484222325u;
    const int depth = backtrace(stack, DEPTH);
    for (int i = 0; i < depth; i++) hash = (hash ^ (uint64_t)(uintptr_t)stack[i]) * 0x100000001b3u;
    for (int i = 0; i < places; i++)
        if (stacks[i] == hash) return;
    if (places == PLACES) return;
    stacks[places] = hash;
    numbers[places++] = number;
}

/* Counts an allocation; returns whether it is refused. */
static bool refused(void) {
    if (inside) return false;
    const long number = ++calls;
    inside = true;
    if (noting) note(number);
    inside = false;
    if (number < refuse_first || number > refuse_last) return false;
    errno = ENOMEM;
    return true;
}
static void *counted(void *block) {
    held += block && !inside;
    return block;
}
#pragma GCC visibility push(default) /* the libraries call these */
void *malloc(size_t n) { return refused() ? NULL : counted(__libc_malloc(n)); }
void *calloc(size_t n, size_t size) { return refused() ? NULL : counted(__libc_calloc(n, size)); }
void *aligned_alloc(size_t align, size_t n) { return refused() ? NULL : counted(__libc_memalign(align, n)); }
void *memalign(size_t align, size_t n) { return aligned_alloc(align, n); }
int posix_memalign(void **block, size_t align, size_t n) { return (*block = aligned_alloc(align, n)) ? 0 : ENOMEM; }
void *realloc(void *old, size_t n) {
    if (refused()) return NULL;
    if (!old) return counted(__libc_realloc(NULL, n));
    return __libc_realloc(old, n);
}
void free(void *block) {
    held -= block && !inside;
    __libc_free(block);
}
#pragma GCC visibility pop
#endif

/* ---- what the host does with libtide ---- */

enum { SENTENCES = 3, RESULTS = 10 };
static const char *const sources[SENTENCES] = {"潮水退了。", "", "ﬁ水 e\xcc\x81 大家"},
                         *const targets[SENTENCES] = {"a", "b c", "d"}, *const links[] = {"0-0 1-1"},
                         *const gold[] = {"0-0 1p1"};
static const char *model_path;
static char *expected[RESULTS]; /* what the calls give when no memory is refused */
static const char *now;         /* what is being done, for messages */
static int streams[2], kept[2]; /* files in place of standard output and standard error; copies of these */

static void demand_failed(int line, const char *condition, const char *format, ...) {
    va_list args;
    refuse_last = 0;
    va_start(args, format);
    dprintf(kept[1], "host:%d: %s: %s: ", line, now ? now : "start", condition);
    vdprintf(kept[1], format, args);
    dprintf(kept[1], "\n");
    va_end(args);
    exit(1);
}

static long refused_calls; /* that returned TIDE_NO_MEMORY */

/* Whether a call is to be repeated because memory was refused; then nothing more is refused. Any other failure is
 * wrong. */
static bool again(TideStatus status, const char *error) {
    if (status == TIDE_OK) return false;
    DEMAND(status == TIDE_NO_MEMORY && refuse_last, "status %d, %s", (int)status, error);
    DEMAND(!strcmp(error, "out of memory"), "%s", error);
    refuse_last = 0;
    refused_calls++;
    return true;
}

/* Compares a result with what the call gives when no memory is refused, or stores it. */
static void compare(int which, const char *text) {
    if (!expected[which]) {
        const long before = held;
        expected[which] = strdup(text);
        held = before;
    }
    DEMAND(!strcmp(expected[which], text), "result %d is '%s', not '%s'", which, text, expected[which]);
}

/* The bits of a number, because "%a" has the decimal point of the locale. */
static unsigned long long bits(double number) {
    unsigned long long bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void compare_result(int which, const TideResult *result) {
    static char text[1 << 14];
    int at = 0;
    for (int i = 0; i < result->count; i++)
        for (int k = 0; k < result->sentences[i]->count; k++) {
            const TideHypothesis *h = result->sentences[i]->hypotheses[k];
            at += snprintf(text + at, sizeof text - (size_t)at, "%d.%d %s %llx %llx", i, k, h->text,
                           bits(h->log_probability), bits(h->score));
            for (int j = 0; h->alignment.weights && j < h->alignment.source_count; j++)
                at += snprintf(text + at, sizeof text - (size_t)at, " %s %llx", h->alignment.source[j],
                               bits((double)h->alignment.weights[j]));
        }
    compare(which, text);
}

/* Counts the threads of this process, and those that a signal to the process may interrupt. */
static void count_threads(int *all, int *interruptible) {
    const unsigned long long every = 0x7fffffff & ~(1ULL << (SIGKILL - 1)) & ~(1ULL << (SIGSTOP - 1));
    DIR *threads = opendir("/proc/self/task");
    *all = *interruptible = 0;
    for (const struct dirent *entry; (entry = readdir(threads));) {
        char path[512], line[128];
        unsigned long long blocked = 0;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *in = fopen(path, "r");
        while (fgets(line, sizeof line, in))
            if (!strncmp(line, "SigBlk:", 7)) blocked = strtoull(line + 7, NULL, 16);
        fclose(in);
        ++*all;
        *interruptible += (blocked & every) != every;
    }
    closedir(threads);
}

typedef struct Steps {
    int count;
    bool check_threads;
    int threads, interruptible; /* during the first step, if check_threads */
} Steps;

static int go_on(void *context, int done, int all) {
    Steps *steps = context;
    if (steps->check_threads && !steps->count) count_threads(&steps->threads, &steps->interruptible);
    steps->count++;
    return done > all;
}

static void note_settled(void *context, int sentence, const char *text, const char *const *pieces, int count) {
    const Steps *steps = context;
    DEMAND(steps->count > 0 && sentence < SENTENCES && text && pieces[count - 1], "sentence %d", sentence);
}

static void draw(const TideAlignment *alignment, TidePicture picture, int which) {
    char *text;
    while (again(tide_draw(alignment, picture, &text), "out of memory")) {}
    compare(which, text);
    tide_text_free(text);
}

/* Translates, and returns the result, which must be the same for each call. */
static TideResult *translate(TideSession *s, Steps *steps) {
    TideResult *result;
    const TideTranslateOptions options = {.size = sizeof options,
                                          .beam = 3,
                                          .n_best = 2,
                                          .words = 1,
                                          .progress = go_on,
                                          .settled = note_settled,
                                          .context = steps};
    while (again(tide_translate(s, sources, SENTENCES, &options, &result), tide_error(s))) {}
    DEMAND(steps->count > 0, "%d steps", steps->count);
    compare_result(0, result);
    return result;
}

static void use_session(TideSession *s, Steps *steps) {
    now = "tide_translate";
    TideResult *result = translate(s, steps);
    now = "tide_draw";
    for (int picture = TIDE_SVG; picture <= TIDE_PHARAOH; picture++)
        draw(&result->sentences[0]->hypotheses[0]->alignment, (TidePicture)picture, 1 + picture);
    tide_result_free(result);
    now = "tide_align";
    while (again(tide_align(s, sources, targets, SENTENCES, NULL, &result), tide_error(s))) {}
    compare_result(4, result);
    tide_result_free(result);
    now = "tide_score";
    while (again(tide_score(s, sources, targets, SENTENCES, NULL, &result), tide_error(s))) {}
    compare_result(5, result);
    tide_result_free(result);
    now = "tide_explain";
    TideExplanation *explanation;
    while (again(tide_explain(s, sources[0], targets[0], 1, NULL, &explanation), tide_error(s))) {}
    DEMAND(explanation->target_count == 2 && explanation->number_count > 0, "%d numbers", explanation->number_count);
    tide_explanation_free(explanation);
    now = "tide_translate again";
    tide_result_free(translate(s, steps));
}

static void measure(void) {
    TideScore score;
    TideAer aer;
    char error[256] = "out of memory", line[64];
    now = "tide_bleu";
    while (again(tide_bleu(sources, sources, SENTENCES, NULL, &score), error)) {}
    compare(6, score.line);
    now = "tide_chrf";
    while (again(tide_chrf(sources, sources, SENTENCES, NULL, &score), error)) {}
    compare(7, score.line);
    now = "tide_aer";
    while (again(tide_aer(links, gold, 1, &aer, error, sizeof error), error)) {}
    snprintf(line, sizeof line, "%llx %llx %llx", bits(aer.rate), bits(aer.precision), bits(aer.recall));
    compare(8, line);
}

/* Splits a text into pieces, and loads the model from memory. */
static void use_memory(const TideModel *model) {
    static char bytes[1 << 20];
    char path[4096];
    TidePieces *pieces;
    TideModel *second;
    char error[256];
    now = "tide_tokenize";
    while (again(tide_tokenize(model, TIDE_SOURCE, sources[0], &pieces, error, sizeof error), error)) {}
    DEMAND(pieces->count == 5, "%d pieces", pieces->count);
    tide_pieces_free(pieces);
    snprintf(path, sizeof path, "%s/model.safetensors", model_path);
    const int file = open(path, O_RDONLY);
    const ssize_t size = read(file, bytes, sizeof bytes);
    close(file);
    now = "tide_load_memory";
    while (again(tide_load_memory(bytes, (size_t)size, &second, error, sizeof error), error)) {}
    tide_free(second);
}

/* Translates with a shortlist and a lexicon. */
static void use_lists(TideSession *s, TideModel *model) {
    TideShortlist *shortlist;
    TideResult *result;
    char error[256];
    now = "tide_shortlist_new";
    while (again(tide_shortlist_new(model, "潮\tb\t1\n", NULL, &shortlist, error, sizeof error), error)) {}
    const TideTranslateOptions options = {
        .size = sizeof options, .shortlist = shortlist, .replace_unknown = 1, .lexicon = "水\tc", .glossary = "退\ta"};
    now = "tide_translate with lists";
    while (again(tide_translate(s, sources, SENTENCES, &options, &result), tide_error(s))) {}
    compare_result(9, result);
    tide_result_free(result);
    tide_shortlist_free(shortlist);
}

/* Uses every function, and frees everything. threads: of the session. */
static void use_library(int threads, Steps *steps) {
    TideModel *models[2];
    TideSession *session;
    char error[256];
    const TideSessionOptions options = {.size = sizeof options, .threads = threads};
    now = "tide_load";
    for (int i = 0; i < 2; i++)
        while (again(tide_load(model_path, &models[i], error, sizeof error), error)) {}
    now = "tide_session_new";
    while (again(tide_session_new(models, 2, &options, &session, error, sizeof error), error)) {}
    use_lists(session, models[0]);
    use_memory(models[0]);
    for (int i = 0; i < 2; i++) tide_free(models[i]);
    use_session(session, steps);
    tide_session_free(session);
    measure();
}

/* The smallest number that is not an open file. */
static int free_descriptor(void) {
    const int fd = dup(0);
    close(fd);
    return fd;
}

/* Refuses `count` allocations from number n of the next run on. Returns whether the run had so many. */
static bool refuse_from(long n, long count, int threads) {
    const long began = calls, before = held;
    const int descriptor = free_descriptor();
    refuse_first = began + n;
    refuse_last = began + n + count - 1;
    use_library(threads, &(Steps){0});
    const bool reached = calls >= began + n;
    refuse_last = 0;
    DEMAND(held == before, "allocation %ld of %ld, refused %ld times: %ld blocks are not freed", n, calls - began,
           count, held - before);
    DEMAND(free_descriptor() == descriptor, "allocation %ld: a file is left open", n);
    return reached;
}

/* ---- what must stay as it is ---- */

static atomic_int interrupts;
static void on_interrupt(int signal) {
    (void)signal;
    interrupts++;
}

static atomic_long cjson_calls;
static void *cjson_malloc(size_t n) {
    cjson_calls++;
    return malloc(n);
}

/* Puts files in memory in place of standard output and standard error. */
static void replace_streams(void) {
    for (int i = 0; i < 2; i++) {
        kept[i] = dup(1 + i);
        streams[i] = memfd_create("stream", 0);
        dup2(streams[i], 1 + i);
    }
#if SANITIZED
    __sanitizer_set_report_fd((void *)(intptr_t)kept[1]); /* NOLINT(performance-no-int-to-ptr): the type of the API */
#endif
}

/* The library wrote nothing to these files, and left the descriptors as they are. */
static void keeps_the_streams(void) {
    fflush(NULL);
    now = "the streams of the host";
    for (int i = 0; i < 2; i++) {
        struct stat file, stream;
        DEMAND(!fstat(streams[i], &file) && !fstat(1 + i, &stream), "fstat");
        DEMAND(file.st_ino == stream.st_ino && file.st_dev == stream.st_dev, "descriptor %d", 1 + i);
        DEMAND(file.st_size == 0, "%ld bytes on descriptor %d", (long)file.st_size, 1 + i);
    }
}

static void *no_work(void *nothing) { return nothing; }

static void keeps_the_state_of_the_host(void) {
    struct sigaction mine = {.sa_handler = on_interrupt}, theirs;
    const bool comma = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    char *locale = strdup(setlocale(LC_ALL, NULL));
    cJSON_InitHooks(&(cJSON_Hooks){cjson_malloc, free});
    sigaction(SIGINT, &mine, NULL);
    TideModel *none;
    char error[256];
    Steps steps[2] = {{.check_threads = true}, {.check_threads = true}};
    int before, interruptible;
    pthread_t first; /* with the first thread of a process, the thread sanitizer starts one of its own */
    DEMAND(!pthread_create(&first, NULL, no_work, NULL) && !pthread_join(first, NULL), "no thread");
    count_threads(&before, &interruptible);
    for (int i = 0; i < 2; i++) use_library(1 + i, &steps[i]);
    now = "the state of the host";
    for (int i = 0; i < 2; i++)
        DEMAND(steps[i].threads == before + i && steps[i].interruptible == interruptible,
               "%d threads in a session with %d, %d before; %d may be interrupted, %d before", steps[i].threads, 1 + i,
               before, steps[i].interruptible, interruptible);
    const TideStatus missing = tide_load("/nowhere", &none, error, sizeof error);
    DEMAND(missing == TIDE_BAD_FILE, "status %d", (int)missing);
    kill(getpid(), SIGINT);
    sigaction(SIGINT, NULL, &theirs);
    DEMAND(interrupts == 1 && theirs.sa_handler == on_interrupt, "%d interrupts", (int)interrupts);
    DEMAND(!strcmp(setlocale(LC_ALL, NULL), locale), "the locale is %s", setlocale(LC_ALL, NULL));
    DEMAND(uselocale((locale_t)0) == LC_GLOBAL_LOCALE, "the locale of the thread");
    const long hooked = cjson_calls;
    cJSON_Delete(cJSON_CreateObject());
    DEMAND(hooked > 0 && cjson_calls == hooked + 1, "%ld calls of the hook", (long)cjson_calls);
    cJSON_InitHooks(NULL);
    dprintf(kept[0], "hooks, signal handler%s stay as they are\n", comma ? " and a locale with a comma" : "");
    setlocale(LC_ALL, "C");
    free(locale);
}

enum { ALL_LATER = 1 << 30 };

/* Refuses the first allocation of each call stack: in turns alone or with all later ones of the call. Returns the
   number of runs. */
static long refuse_new_stacks(void) {
    for (int i = 0; i < places; i++) refuse_from(numbers[i], i % 2 ? ALL_LATER : 1, 1);
    return places;
}

/* Refuses every allocation, alone and with all later ones of the call, in a session with `threads` threads. Returns the
   number of runs. */
static long refuse_all(int threads) {
    long n = 1;
    while (refuse_from(n, 1, threads) && refuse_from(n, ALL_LATER, threads)) n++;
    return 2 * (n - 1);
}

int main(int argc, char **argv) {
    if (argc < 2) return fputs("usage: host MODEL [all]\n", stderr), 2;
    model_path = argv[1];
    replace_streams();
    keeps_the_state_of_the_host();
    keeps_the_streams();
    if (SANITIZED)
        return dprintf(kept[0], "skipped: refused allocations, because the sanitizer has its own allocator\n") < 0;
    void *stack[1];
    inside = true; /* the first backtrace loads a library */
    (void)backtrace(stack, 1);
    inside = false;
    use_library(1, &(Steps){0}); /* what the first use allocates for good, such as the locale, is there now */
    const long began = calls;
    noting = true;
    use_library(1, &(Steps){0});
    noting = false;
    for (int i = 0; i < places; i++) numbers[i] -= began;
    DEMAND(places > 100 && places < PLACES, "%d call stacks", places);
    const long runs = argc > 2 ? refuse_all(1) + refuse_all(2) : refuse_new_stacks();
    DEMAND(refused_calls > runs / 2, "%ld calls failed in %ld runs", refused_calls, runs);
    DEMAND(refuse_from(numbers[places / 2], 1, 2), "with two threads");
    keeps_the_streams();
    dprintf(kept[0], "%d call stacks with an allocation; %ld runs, in which %ld calls reported refused memory\n",
            places, runs, refused_calls);
    return 0;
}
