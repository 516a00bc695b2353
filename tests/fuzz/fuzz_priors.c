/* Fuzz target: reads a file of priors. Checks that accepted priors are written as text that is read back as the same
   text, and that a pair can be aligned with them. */
#include "fuzz.h"
#include "aligner/aligner.h"
#include "scratch.h"
#include "io/files.h"

static char *priors_text(const Priors *priors) {
    MemoryFile memory;
    priors_write(priors, memory_open(&memory));
    return memory_close(&memory, NULL);
}

static void round_trip_check(const Priors *priors) {
    char *text = priors_text(priors);
    FuzzFile file = memory_file(text, strlen(text));
    Priors again;
    Err err;
    CHECK(!priors_read(&again, file.path, &err), "line %ld: %s in %s", err.line, err.reason, text);
    char *second = priors_text(&again);
    CHECK(!strcmp(text, second), "'%s' came back as '%s'", text, second);
    mem_free(text);
    mem_free(second);
    priors_free(&again);
    memory_file_close(&file);
}

/* Checks that the probabilities of each token are between 0 and 1, with a sum of at most 1. */
static int row_check(void *context, const PairAlignment *a, Err *err) {
    (void)context, (void)err;
    for (int direction = 0; direction < 2; direction++) {
        const float *row = direction ? a->reverse : a->forward;
        for (int i = 0; i < a->n[!direction]; i++, row += a->n[direction]) {
            double sum = 0;
            for (int j = 0; j < a->n[direction]; j++) {
                CHECK(row[j] >= 0, "a probability of %g", (double)row[j]);
                sum += (double)row[j];
            }
            CHECK(sum <= 1.0001, "probabilities with the sum %g", sum);
        }
    }
    return 0;
}

/* Takes the units of the priors. */
static void align_check(Priors *priors) {
    static const char zh[] = "潮水 退了\n", en[] = "the tide is out\n";
    static const int merges[2] = {0, 0};
    const AlignerOptions options = {.samplers = 1, .sweeps = 5, .seed = 1};
    FuzzFile files[2] = {memory_file(zh, strlen(zh)), memory_file(en, strlen(en))};
    Bitext bitext = bitext_new(priors->units[SOURCE], priors->units[TARGET]);
    DiskCorpus corpus;
    Err err;
    Threads *threads = threads_new(1);
    priors->units[SOURCE] = priors->units[TARGET] = NULL;
    CHECK(!disk_corpus_open(&corpus, scratch_folder(), false, &err) &&
              !disk_corpus_read(&corpus, open_line_corpus(files[0].path, files[1].path, &err), "pairs", NULL, NULL,
                                &err) &&
              !bitext_read(&bitext, &corpus, merges, MOST_UNITS, NULL, NULL, &err) &&
              !aligner_run(&bitext, priors->counts, &options, threads, NULL, row_check, NULL, NULL, &err),
          "%s", err.reason);
    threads_free(threads);
    disk_corpus_close(&corpus);
    bitext_free(&bitext);
    for (int i = 0; i < 2; i++) memory_file_close(&files[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzFile file = memory_file(data, size);
    Err err = {0};
    Priors priors;
    const int status = priors_read(&priors, file.path, &err);
    memory_file_close(&file);
    CHECK(!status || err.reason[0], "refused without a reason");
    CHECK(utf8_valid(err.reason, strlen(err.reason)), "'%s' is not UTF-8", err.reason);
    if (status) return 0;
    round_trip_check(&priors);
    align_check(&priors);
    priors_free(&priors);
    return 0;
}
