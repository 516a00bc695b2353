#include "serve/answer.h"

#include "serve/events.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "text/entity.h"
#include "translate/prefix.h"
#include "translate/reading.h"

#include <math.h>

/* The prefix of the request, after the blanks of a text without a sentence; owned by the caller. */
static char *prefix_text(const Request *w, const char *blanks) {
    const Texts *pieces = &w->fields.prefix_pieces;
    const Translator *translator = &w->task.served->translator;
    char *joined = tokenizer_join(translator->target.tokenizer.kind, pieces->list,
                                  pieces_text_count(pieces->list, (int)arrlen(pieces->list)));
    char *alone = prefix_alone(translator, w->fields.prefix ? w->fields.prefix : joined);
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    fputs(blanks, out);
    if (w->task.html) entities_write(out, alone, strlen(alone));
    else fputs(alone, out);
    mem_free(alone);
    mem_free(joined);
    return memory_close(&memory, NULL);
}

/* The k-th translation of a text, whose sentences have their k-th hypothesis or, if there are fewer, their best one;
   owned by the caller. */
static char *text_of(const Request *w, ptrdiff_t i, int k) {
    if (!w->task.served) return mem_strdup(w->fields.q.list[i]);
    const Part *part = &w->parts[i];
    if (w->prefix.states && !w->task.count) return prefix_text(w, part->passage.between[0]);
    const ptrdiff_t n = arrlen(part->passage.sentences);
    const char **texts = mem_alloc((size_t)(n ? n : 1) * sizeof *texts);
    for (ptrdiff_t j = 0; j < n; j++) {
        const Job *job = &w->task.jobs[part->first + j];
        texts[j] = k < job->count ? job->texts[k] : job->count ? job->texts[0] : "";
    }
    char *text = passage_join(&part->passage, texts, w->spaced);
    mem_free(texts);
    return text;
}

static void write_text(FILE *out, const Request *w, ptrdiff_t i, int k) {
    char *text = text_of(w, i, k);
    json_string(out, text);
    mem_free(text);
}

/* The number of alternatives of a text: as many as its sentence with the most has. */
static int alternatives_of(const Request *w, ptrdiff_t i) {
    int most = 1;
    for (ptrdiff_t j = 0; w->task.served && j < arrlen(w->parts[i].passage.sentences); j++) {
        const Job *job = &w->task.jobs[w->parts[i].first + j];
        if (job->count > most) most = job->count;
    }
    return most - 1;
}

typedef void WriteText(FILE *out, const Request *w, ptrdiff_t i);

/* Writes a field: what `write` writes for the text, or an array of it for the texts. `before`: "{" or ",". */
static void write_texts(FILE *out, const Request *w, const char *before, const char *name, WriteText *write) {
    fprintf(out, "%s\"%s\":%s", before, name, w->fields.q.array ? "[" : "");
    for (ptrdiff_t i = 0; i < arrlen(w->fields.q.list); i++) {
        if (i) fputc(',', out);
        write(out, w, i);
    }
    if (w->fields.q.array) fputc(']', out);
}

static void write_translation(FILE *out, const Request *w, ptrdiff_t i) { write_text(out, w, i, 0); }

static void write_alternatives(FILE *out, const Request *w, ptrdiff_t i) {
    fputc('[', out);
    for (int k = 1; k <= alternatives_of(w, i); k++) {
        if (k > 1) fputc(',', out);
        write_text(out, w, i, k);
    }
    fputc(']', out);
}

/* Writes an array with the alignments, or the scores of pieces, of the sentences of a text. */
static void write_sentences(FILE *out, const Request *w, ptrdiff_t i, bool scores) {
    fputc('[', out);
    for (ptrdiff_t j = 0; w->task.served && j < arrlen(w->parts[i].passage.sentences); j++) {
        const Job *job = &w->task.jobs[w->parts[i].first + j];
        const char *json = scores ? job->scores : job->json;
        if (j) fputc(',', out);
        fputs(json ? json : "null", out);
    }
    fputc(']', out);
}

static void write_alignments(FILE *out, const Request *w, ptrdiff_t i) { write_sentences(out, w, i, false); }
static void write_piece_scores(FILE *out, const Request *w, ptrdiff_t i) { write_sentences(out, w, i, true); }

/* Writes for each sentence of a text the id of the correction that is its translation, or null. */
static void write_memory(FILE *out, const Request *w, ptrdiff_t i) {
    fputc('[', out);
    for (ptrdiff_t j = 0; w->task.served && j < arrlen(w->parts[i].passage.sentences); j++) {
        const Job *job = &w->task.jobs[w->parts[i].first + j];
        if (j) fputc(',', out);
        if (job->remembered) fprintf(out, "%ld", job->correction);
        else fputs("null", out);
    }
    fputc(']', out);
}

/* Writes the confidence of each sentence of a text; null: it was not searched, or the model has none. */
static void write_confidence(FILE *out, const Request *w, ptrdiff_t i) {
    fputc('[', out);
    for (ptrdiff_t j = 0; w->task.served && j < arrlen(w->parts[i].passage.sentences); j++) {
        const Job *job = &w->task.jobs[w->parts[i].first + j];
        if (j) fputc(',', out);
        if (job->remembered || job->confidence < 0) fputs("null", out);
        else json_print(out, "%.4f", job->confidence);
    }
    fputc(']', out);
}

/* Writes for each sentence of a text what the model cannot read of it. */
static void write_unknown(FILE *out, const Request *w, ptrdiff_t i) {
    fputc('[', out);
    for (ptrdiff_t j = 0; w->task.served && j < arrlen(w->parts[i].passage.sentences); j++) {
        const char *sentence = w->task.jobs[w->parts[i].first + j].source;
        Reading reading = reading_of(&w->task.served->translator, sentence);
        fputs(j ? ",[" : "[", out);
        for (ptrdiff_t k = 0; k < arrlen(reading.spans); k++) {
            char *text = text_span(sentence, reading.spans[k]);
            json_print(out, k ? ",{\"begin\":%d,\"end\":%d,\"text\":%s}" : "{\"begin\":%d,\"end\":%d,\"text\":%s}",
                       reading.spans[k].begin, reading.spans[k].end, text);
            mem_free(text);
        }
        fputc(']', out);
        reading_free(&reading);
    }
    fputc(']', out);
}

static void write_detected(FILE *out, const Request *w, ptrdiff_t i) {
    (void)i;
    json_print(out, "{\"confidence\":%.1f,\"language\":%s}", w->confidence, w->detected);
}

static void write_pair(FILE *out, const Request *w, ptrdiff_t i) {
    const Job *job = &w->task.jobs[i];
    if (w->task.kind != JOB_SCORE) {
        fputs(job->json, out);
        return;
    }
    json_print(out, "{\"logProbability\":%.6f,\"pieces\":%d,\"perplexity\":%.6f", job->log_probability, job->pieces,
               exp(-job->log_probability / job->pieces));
    if (job->scores) fprintf(out, ",\"pieceScores\":%s", job->scores);
    fputc('}', out);
}

void answer_write(FILE *out, const Request *w) {
    if (w->task.kind != JOB_TRANSLATE) {
        static const char *const names[] = {
            [JOB_SEARCH] = "search", [JOB_ALIGN] = "alignment", [JOB_SCORE] = "score", [JOB_EXPLAIN] = "explanation"};
        write_texts(out, w, "{", names[w->task.kind], write_pair);
    } else {
        write_texts(out, w, "{", "translatedText", write_translation);
        if (w->fields.alternatives && !w->streams) write_texts(out, w, ",", "alternatives", write_alternatives);
        if (w->fields.alignment && !w->streams) write_texts(out, w, ",", "alignment", write_alignments);
        if (w->fields.search.piece_scores && !w->streams) write_texts(out, w, ",", "pieceScores", write_piece_scores);
        if (task_remembered(&w->task) && !w->streams) write_texts(out, w, ",", "memory", write_memory);
        if (w->fields.confidence && !w->streams) write_texts(out, w, ",", "confidence", write_confidence);
        if (w->fields.unknown && !w->streams) write_texts(out, w, ",", "unknown", write_unknown);
        if (w->detected) write_texts(out, w, ",", "detectedLanguage", write_detected);
    }
    fputc('}', out);
}

/* Keeps the translation of a file, and answers with its address. */
static void answer_file(const Request *w, Reply *reply) {
    MemoryFile url, memory;
    Download file = {.type = w->file.type};
    memcpy(file.name, w->file.name, sizeof file.name);
    if (make_nonce(file.id)) {
        reply_error(reply, 500, "The file has no address");
        return;
    }
    fprintf(memory_open(&url), "%s%s%s.%s", w->file.url, route_path(ENDPOINT_DOWNLOAD), file.id, file.name);
    char *address = memory_close(&url, NULL);
    json_print(memory_open(&memory), "{\"translatedFileUrl\":%s}\n", address);
    mem_free(address);
    file.text = text_of(w, 0, 0);
    file.size = strlen(file.text);
    reply_memory(reply, "application/json", &memory);
    downloads_add(w->file.downloads, file, seconds_now()); /* the last step: what it keeps must not be released */
}

void answer_reply(const Request *w, Reply *reply) {
    MemoryFile memory;
    if (w->file.downloads) {
        answer_file(w, reply);
        return;
    }
    FILE *out = memory_open(&memory);
    if (w->streams) {
        event_write_last(out, w);
    } else {
        answer_write(out, w);
        fputc('\n', out);
    }
    reply_memory(reply, w->streams ? event_stream_type : "application/json", &memory);
}
