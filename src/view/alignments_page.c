#include "view/alignments_page.h"

#include "view/web.h"

#include <math.h>

static const char markup[] =
#include "view/web/alignments.html.inc"
    ;
static const char script[] =
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
    fputs(page->hypotheses++ ? ",\n{\"text\":" : "\n{\"text\":", page->data.stream);
    web_text(page->data.stream, text);
    if (isfinite(score)) fprintf(page->data.stream, ",\"score\":%.6f", score);
    fputs(",\"alignment\":", page->data.stream);
    web_alignment(page->data.stream, alignment);
    fputc('}', page->data.stream);
}

int alignments_page_write(AlignmentsPage *page, FILE *out, const char *title, bool by_word) {
    end_sentence(page);
    fputs("],\"title\":", page->data.stream);
    web_text(page->data.stream, title);
    fprintf(page->data.stream, ",\"byWord\":%s}", by_word ? "true" : "false");
    memory_close(&page->data, NULL);
    return web_page(out, &(WebPage){.title = title, .markup = markup, .data = page->data.text, .script = script});
}
