#include "serve/events.h"

#include "core/scope.h"
#include "serve/answer.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "translate/reading.h"

const char event_stream_type[] = "text/event-stream";

static FILE *begin(MemoryFile *memory, const char *name) {
    FILE *out = memory_open(memory);
    fprintf(out, "event: %s\ndata: ", name);
    return out;
}

/* Takes the text in memory. */
static Event *make_event(MemoryFile *memory) {
    size_t size;
    char *text = memory_close(memory, &size);
    Event *event = mem_alloc(sizeof *event);
    *event = (Event){.text = scope_keep(text), .size = size};
    return scope_keep(event);
}

static Event *end(MemoryFile *memory) {
    fputs("\n\n", memory->stream);
    return make_event(memory);
}

Event *event_free(Event *event) {
    if (!event) return NULL;
    Event *next = event->next;
    mem_free(event->text);
    mem_free(event);
    return next;
}

static void write_source_pieces(FILE *out, const Side *side, const char *sentence) {
    char **pieces = side_spell(side, sentence);
    json_strings(out, pieces, (int)arrlen(pieces), ",");
    strings_free(pieces);
}

/* The numbers of the source pieces that the model cannot read. */
static void write_unknown(FILE *out, const Translator *translator, const char *sentence) {
    Reading reading = reading_of(translator, sentence);
    const char *comma = "[";
    for (ptrdiff_t i = 0; i < arrlen(reading.pieces); i++) {
        if (!reading.unknown[i] && !reading.foreign) continue;
        fprintf(out, "%s%td", comma, i);
        comma = ",";
    }
    fputs(*comma == '[' ? "[]" : "]", out);
    reading_free(&reading);
}

static void write_source(FILE *out, const Request *w) {
    const Served *served = w->task.served;
    json_print(out, "{\"model\":%s,\"source\":%s,\"target\":%s,\"sentences\":[", served ? served->name : "",
               served ? served->translator.options.langs[0] : w->fields.target,
               served ? served->translator.options.langs[1] : w->fields.target);
    for (int i = 0; i < w->task.count; i++) json_print(out, i ? ",%s" : "%s", w->task.jobs[i].source);
    fputs("],\"pieces\":[", out);
    for (int i = 0; i < w->task.count; i++) {
        if (i) fputc(',', out);
        write_source_pieces(out, &served->translator.source, w->task.jobs[i].source);
    }
    fputs("],\"unknown\":[", out);
    for (int i = 0; i < w->task.count; i++) {
        if (i) fputc(',', out);
        write_unknown(out, &served->translator, w->task.jobs[i].source);
    }
    fputs("]}", out);
}

static int number_of(const Job *job) { return (int)(job - job->task->jobs); }
static const Side *target_of(const Job *job) { return &job->task->served->translator.target; }

/* Writes the events of the sentences that are remembered. */
static void write_remembered(FILE *out, const Request *w) {
    for (const Job *job = w->task.jobs; job < w->task.jobs + w->task.count; job++) {
        if (!job->remembered) continue;
        fprintf(out, "event: sentence\ndata: {\"sentence\":%d,\"correction\":%ld,\"translatedText\":", number_of(job),
                job->correction);
        json_string(out, job->texts[0]);
        fputs("}\n\n", out);
    }
}

static void write_opening(FILE *out, const Request *w) {
    fputs("event: source\ndata: ", out);
    write_source(out, w);
    fputs("\n\n", out);
    write_remembered(out, w);
}

Event *event_opening(const Request *request) {
    MemoryFile memory;
    write_opening(memory_open(&memory), request);
    return make_event(&memory);
}

static void write_text(FILE *out, const Translator *translator, const Hypothesis *h) {
    char *text = hypothesis_text(translator, h);
    json_string(out, text);
    mem_free(text);
}

static void write_pieces(FILE *out, const Side *side, const Hypothesis *h) {
    char **pieces = side_pieces(side, h->ids, h->length);
    json_strings(out, pieces, h->length, ",");
    arrfree(pieces);
}

Event *event_settled(const Job *job, const Hypothesis *words) {
    MemoryFile memory;
    FILE *out = begin(&memory, "settled");
    fprintf(out, "{\"sentence\":%d,\"text\":", number_of(job));
    write_text(out, &job->task->served->translator, words);
    fputs(",\"pieces\":", out);
    write_pieces(out, target_of(job), words);
    if (words->alpha) {
        fputs(",\"rows\":", out);
        alignment_json_rows(out, words->alpha, words->length, job->length);
    }
    fputc('}', out);
    return end(&memory);
}

static void write_alternatives(FILE *out, const Job *job, const Nbest *nbest) {
    fputs(",\"alternatives\":[", out);
    for (int k = 1; k < job->count; k++) {
        json_print(out, k > 1 ? ",{\"text\":%s,\"pieces\":" : "{\"text\":%s,\"pieces\":", job->texts[k]);
        write_pieces(out, target_of(job), &nbest->list[k]);
        json_print(out, ",\"score\":%.6f}", nbest->list[k].score);
    }
    fputc(']', out);
}

static void write_candidates(FILE *out, const Job *job, int length, const WordCandidate *candidates) {
    const int count = job->task->candidates;
    fputs(",\"candidates\":[", out);
    for (int i = 0; i < length; i++) {
        fputs(i ? ",[" : "[", out);
        for (int k = 0; k < count; k++) {
            const WordCandidate *word = &candidates[(ptrdiff_t)i * count + k];
            if (word->id < 0) break;
            if (k) fputc(',', out);
            json_print(out, "{\"piece\":%s,\"probability\":%.6f}", vocab_piece(target_of(job)->vocab, word->id),
                       word->probability);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

Event *event_copied(const Job *job) {
    MemoryFile memory;
    FILE *out = begin(&memory, "sentence");
    json_print(out, "{\"sentence\":%d,\"copied\":true,\"translatedText\":%s,\"pieces\":", number_of(job),
               job->texts[0]);
    write_source_pieces(out, &job->task->served->translator.source, job->source);
    if (job->task->search.n_best > 1) fputs(",\"alternatives\":[]", out);
    fputc('}', out);
    return end(&memory);
}

Event *event_sentence(const Job *job, const Nbest *nbest, const WordCandidate *candidates) {
    MemoryFile memory;
    FILE *out = begin(&memory, "sentence");
    const Hypothesis empty = {0}, *best = nbest->count ? nbest->list : &empty;
    json_print(out, "{\"sentence\":%d,\"translatedText\":%s,\"pieces\":", number_of(job),
               job->count ? job->texts[0] : "");
    write_pieces(out, target_of(job), best);
    json_print(out, ",\"score\":%.6f,\"logProbability\":%.6f", best->score, best->log_probability);
    if (job->confidence >= 0) json_print(out, ",\"confidence\":%.4f", job->confidence);
    if (job->task->search.n_best > 1) write_alternatives(out, job, nbest);
    if (job->json) fprintf(out, ",\"alignment\":%s", job->json);
    if (job->scores) fprintf(out, ",\"pieceScores\":%s", job->scores);
    if (candidates) write_candidates(out, job, best->length, candidates);
    fputc('}', out);
    return end(&memory);
}

void event_write_last(FILE *out, const Request *request) {
    if (!request->searches) write_opening(out, request);
    fputs("event: done\ndata: ", out);
    answer_write(out, request);
    fputs("\n\n", out);
}
