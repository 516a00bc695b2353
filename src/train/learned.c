#include "train/learned.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "io/output.h"

#include <stdio.h>
#include <string.h>

enum { EXAMPLES = 5 };

void learned_judge(Learned *found) {
    const Measure *before = &found->held_out[BEFORE], *after = &found->held_out[AFTER];
    const double dev = found->dev[AFTER].bleu;
    char *reason = found->reason;
    const size_t size = sizeof found->reason;
    if (!(after->perplexity < before->perplexity))
        snprintf(reason, size, "the perplexity of the held-out corrections is not lower: %.4g before, %.4g after",
                 printable(before->perplexity), printable(after->perplexity));
    else if (after->bleu < before->bleu && found->p < LEARNED_P)
        snprintf(reason, size, "the BLEU of the held-out corrections is lower: %.2f before, %.2f after (p = %.3f)",
                 before->bleu, after->bleu, found->p);
    else if (dev < found->against - found->most_loss)
        snprintf(reason, size, "the development set loses more than %g BLEU: %.2f before, %.2f after", found->most_loss,
                 found->against, dev);
    found->accepted = !*reason;
}

void learned_choose_examples(Learned *learned, const TextPairs *held_out, char **const texts[2]) {
    for (int i = 0; i < text_pairs_count(held_out) && arrlen(learned->examples) < EXAMPLES; i++) {
        if (!strcmp(texts[BEFORE][i], texts[AFTER][i])) continue;
        const LearnExample example = {mem_strdup(held_out->text[SOURCE][i]), mem_strdup(held_out->text[TARGET][i]),
                                      mem_strdup(texts[BEFORE][i]), mem_strdup(texts[AFTER][i])};
        arrput(learned->examples, example);
    }
}

static void print_measures(FILE *out, const char *name, int pairs, const Measure measures[2]) {
    json_print(out, ", %s: {\"pairs\": %d", name, pairs);
    for (int when = BEFORE; when <= AFTER; when++)
        json_print(out, ", %s: {\"bleu\": %.6f, \"perplexity\": %.6f}", when ? "after" : "before", measures[when].bleu,
                   measures[when].perplexity);
    fputc('}', out);
}

int learned_write(const Learned *f, const char *path, Err *err) {
    MemoryFile memory;
    const CorrectionCounts *c = &f->counts;
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"accepted\": %s", f->accepted ? "true" : "false");
    json_print(out, ", \"reason\": %s, \"updates\": %d, \"learn_rate\": %.9f, \"share\": %.6f, \"seed\": %d", f->reason,
               f->updates, f->learn_rate, f->share, f->seed);
    json_print(out,
               ", \"corrections\": {\"read\": %d, \"foreign\": %d, \"refused\": %d, \"too_long\": %d, "
               "\"replaced\": %d, \"learned\": %d, \"held_out\": %d}, \"kept\": %d",
               c->read, c->foreign, c->refused, c->too_long, c->replaced, c->learned, c->held_out, f->kept);
    print_measures(out, "held_out", c->held_out, f->held_out);
    print_measures(out, "dev", f->valid, f->dev);
    json_print(out, ", \"p\": %.6f, \"against\": %.6f, \"most_loss\": %.6f, \"examples\": [", f->p, f->against,
               f->most_loss);
    for (ptrdiff_t i = 0; i < arrlen(f->examples); i++) {
        const LearnExample *e = &f->examples[i];
        fputs(i ? ", " : "", out);
        json_print(out, "{\"source\": %s, \"correction\": %s, \"before\": %s, \"after\": %s}", e->source, e->correction,
                   e->before, e->after);
    }
    fputs("]}\n", out);
    size_t size;
    char *text = memory_close(&memory, &size);
    const int status = output_write(path, text, size, err);
    mem_free(text);
    return status;
}

void learned_free(Learned *learned) {
    for (ptrdiff_t i = 0; i < arrlen(learned->examples); i++) {
        char *const texts[] = {learned->examples[i].source, learned->examples[i].correction,
                               learned->examples[i].before, learned->examples[i].after};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) mem_free(texts[k]);
    }
    arrfree(learned->examples);
}
