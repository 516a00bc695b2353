#include "view/alignments_page.h"

#include "text/files.h"
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
    page->data = memory_open(&page->text, &page->size);
    fputs("{\"sentences\":[", page->data);
}

void alignments_page_free(AlignmentsPage *page) {
    if (page->data) fclose(page->data);
    mem_free(page->text);
    *page = (AlignmentsPage){0};
}

static void end_sentence(AlignmentsPage *page) {
    if (page->sentences) fputs("]}", page->data);
}

void alignments_page_sentence(AlignmentsPage *page, const char *text) {
    end_sentence(page);
    fputs(page->sentences++ ? ",\n{\"text\":" : "\n{\"text\":", page->data);
    web_text(page->data, text);
    fputs(",\"hypotheses\":[", page->data);
    page->hypotheses = 0;
}

void alignments_page_hypothesis(AlignmentsPage *page, const Alignment *alignment, const char *text, double score) {
    CHECK(page->sentences, "alignments_page_hypothesis: there is no sentence yet");
    fputs(page->hypotheses++ ? ",\n{\"text\":" : "\n{\"text\":", page->data);
    web_text(page->data, text);
    if (isfinite(score)) fprintf(page->data, ",\"score\":%.6f", score);
    fputs(",\"alignment\":", page->data);
    web_alignment(page->data, alignment);
    fputc('}', page->data);
}

int alignments_page_write(AlignmentsPage *page, FILE *out, const char *title, bool by_word) {
    end_sentence(page);
    fputs("],\"title\":", page->data);
    web_text(page->data, title);
    fprintf(page->data, ",\"byWord\":%s}", by_word ? "true" : "false");
    fclose(page->data);
    page->data = NULL;
    return web_page(out, &(WebPage){.title = title, .markup = markup, .data = page->text, .script = script});
}
