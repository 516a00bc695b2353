/* draw.c: tide_draw: an alignment as a picture, a page, or links. */
#include "api/api.h"
#include "io/ds.h"
#include "io/files.h"
#include "text/unicode.h"
#include "view/alignments_page.h"
#include "view/heatmap.h"
#include "view/spelling.h"

#include <string.h>

typedef struct DrawCall {
    Call call;
    const TideAlignment *alignment;
    TidePicture picture;
    char **text;
} DrawCall;

static bool pieces_given(Call *call, const char *name, const char *const *pieces, int n) {
    if (!texts_given(call, name, pieces, n)) return false;
    for (int i = 0; i < n; i++)
        if (!utf8_valid(pieces[i], strlen(pieces[i])))
            return call_fail(call, TIDE_BAD_TEXT, "%s %d is not valid UTF-8", name, i + 1);
    return true;
}

static bool alignment_given(DrawCall *c) {
    enum { MOST = 10000 /* pieces: a picture has one cell for each pair of pieces */ };
    const TideAlignment *a = c->alignment;
    if (!argument_given(&c->call, "text", c->text)) return false;
    if (!a || !a->weights) return call_fail(&c->call, TIDE_BAD_ARGUMENT, "an alignment without weights");
    return option_between(&c->call, "source_count", a->source_count, 1, MOST) &&
           option_between(&c->call, "target_count", a->target_count, 1, MOST) &&
           option_between(&c->call, "picture", (int)c->picture, TIDE_SVG, TIDE_PHARAOH) &&
           pieces_given(&c->call, "source piece", a->source, a->source_count) &&
           pieces_given(&c->call, "target piece", a->target, a->target_count);
}

static void write_page(FILE *out, const Alignment *alignment) {
    AlignmentsPage page;
    char *title = pieces_sentence(alignment->target, alignment->n_target);
    alignments_page_init(&page);
    alignments_page_pair(&page, alignment);
    alignments_page_write(&page, out, "", title, false);
    alignments_page_free(&page);
    mem_free(title);
}

static void write_links(FILE *out, const Alignment *alignment) {
    Link *links = alignment_links(alignment, 0, false);
    links_print(out, links, (int)arrlen(links));
    arrfree(links);
}

static void draw(void *context) {
    DrawCall *c = context;
    MemoryFile memory;
    if (!alignment_given(c)) return;
    const TideAlignment *given = c->alignment;
    const Alignment alignment = {.source = (char *const *)given->source,
                                 .n_source = given->source_count,
                                 .target = (char *const *)given->target,
                                 .n_target = given->target_count,
                                 .weight = given->weights};
    FILE *out = memory_open(&memory);
    switch (c->picture) {
    case TIDE_SVG: heatmap_svg(out, &(Heatmap){.alignments = &alignment, .count = 1}); break;
    case TIDE_HTML: write_page(out, &alignment); break;
    case TIDE_PHARAOH: write_links(out, &alignment); break;
    }
    *c->text = scope_keep(memory_close(&memory, NULL));
}

TideStatus tide_draw(const TideAlignment *alignment, TidePicture picture, char **text) {
    DrawCall c = {.alignment = alignment, .picture = picture, .text = text};
    if (text) *text = NULL;
    return call_once(&c.call, draw, NULL, 0);
}

void tide_text_free(char *text) { mem_free(text); }
