#include "view/alignments_page.h"

#include "view/spelling.h"
#include "view/web.h"

#include <math.h>
#include <string.h>

static const char markup[] =
#include "view/web/alignments.html.inc"
    ;
static const char script[] =
#include "view/web/explanations_few.js.inc"
#include "view/web/alignments_texts.js.inc"
#include "view/web/lines.js.inc"
#include "view/web/marks.js.inc"
#include "view/web/alignments.js.inc"
    ;

void alignments_page_init(AlignmentsPage *page) {
    *page = (AlignmentsPage){0};
    fputs("{\"sentences\":[", memory_open(&page->data));
}

void alignments_page_free(AlignmentsPage *page) {
    if (page->data.stream) memory_close(&page->data, NULL);
    mem_free(page->data.text);
    *page = (AlignmentsPage){0};
}

static void end_sentence(AlignmentsPage *page) {
    if (page->hypotheses) fputc('}', page->data.stream);
    if (page->sentences) fputs("]}", page->data.stream);
}

void alignments_page_sentence(AlignmentsPage *page, const char *text) {
    end_sentence(page);
    fputs(page->sentences++ ? ",\n{\"text\":" : "\n{\"text\":", page->data.stream);
    web_text(page->data.stream, text);
    fputs(",\"hypotheses\":[", page->data.stream);
    page->hypotheses = 0;
}

void alignments_page_hypothesis(AlignmentsPage *page, const Alignment *alignment, const char *text, double score) {
    CHECK(page->sentences, "alignments_page_hypothesis: there is no sentence yet");
    fputs(page->hypotheses++ ? "},\n{\"text\":" : "\n{\"text\":", page->data.stream);
    web_text(page->data.stream, text);
    if (isfinite(score)) fprintf(page->data.stream, ",\"score\":%.6f", score);
    fputs(",\"alignment\":", page->data.stream);
    web_alignment(page->data.stream, alignment);
}

/* {"links": [[source, target, possible], ..], "aer": 0.25} */
static void write_links(FILE *out, const PageLinks *set) {
    fprintf(out, "\"%s\":{\"links\":[", set->name);
    for (int k = 0; k < set->n; k++)
        fprintf(out, "%s[%d,%d,%d]", k ? "," : "", set->links[k].source, set->links[k].target, set->links[k].possible);
    fputc(']', out);
    if (isfinite(set->aer)) fprintf(out, ",\"aer\":%.4f", set->aer);
    fputc('}', out);
}

void alignments_page_links(AlignmentsPage *page, const PageLinks *sets, int count) {
    CHECK(page->hypotheses, "alignments_page_links: there is no hypothesis yet");
    for (int i = 0; i < count; i++) {
        fputs(i ? "," : ",\"links\":{", page->data.stream);
        write_links(page->data.stream, &sets[i]);
    }
    if (count) fputc('}', page->data.stream);
}

void alignments_page_pair(AlignmentsPage *page, const Alignment *alignment) {
    char *source = pieces_sentence(alignment->source, alignment->n_source);
    char *target = pieces_sentence(alignment->target, alignment->n_target);
    alignments_page_sentence(page, source);
    alignments_page_hypothesis(page, alignment, target, NAN);
    mem_free(source);
    mem_free(target);
}

int alignments_page_write(AlignmentsPage *page, FILE *out, const char *made, const char *name, bool by_word) {
    end_sentence(page);
    fputs("],\"made\":", page->data.stream);
    web_text(page->data.stream, made);
    fputs(",\"name\":", page->data.stream);
    web_text(page->data.stream, name);
    fprintf(page->data.stream, ",\"byWord\":%s}", by_word ? "true" : "false");
    memory_close(&page->data, NULL);
    char *title = mem_alloc(strlen(made) + strlen(name) + 1);
    stpcpy(stpcpy(title, made), name);
    const WebPage whole = {.title = title, .markup = markup, .data = page->data.text, .script = script};
    const int status = web_page(out, &whole);
    mem_free(title);
    return status;
}
