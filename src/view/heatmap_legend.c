#include "view/heatmap_legend.h"

#include <math.h>

#include "io/files.h"
#include "view/heatmap_grid.h"
#include "view/ramp.h"
#include "view/svg_text.h"

enum { STEPS = 50, STEP = 4, RAMP_WIDTH = STEPS * STEP, RAMP_HEIGHT = 14, RAMP_GAP = 14, DIFFERENCE_EMS = 30 };

/* What the colours mean; owned by the caller. */
static char *meaning(const HeatmapStyle *style) {
    const bool zh = style->language == HEATMAP_ZH;
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    char *what = text_cut(style->difference ? style->difference : "", DIFFERENCE_EMS);
    if (style->difference) fprintf(out, zh ? "注意力权重之差：%s" : "difference of attention weights: %s", what);
    else if (!style->row_scale) fputs(zh ? "注意力权重 α" : "attention weight α", out);
    else if (style->transpose) fputs(zh ? "占该列最大权重的比例" : "share of the column's largest weight", out);
    else fputs(zh ? "占该行最大权重的比例" : "share of the row's largest weight", out);
    mem_free(what);
    return memory_close(&memory, NULL);
}

int legend_width(const HeatmapStyle *style, int font) {
    char *text = meaning(style);
    const int width = RAMP_WIDTH + RAMP_GAP + (int)ceil(text_em(text) * font);
    mem_free(text);
    return width;
}

void legend_draw(FILE *out, const HeatmapStyle *style, int font, int x, int y) {
    const int ticks = font + 16, least = style->difference ? -100 : 0;
    fprintf(out, "<g transform=\"translate(%d %d)\" font-size=\"%d\" fill=\"" HEATMAP_PALE_INK "\">\n", x, y, font);
    for (int i = 0; i < STEPS; i++) {
        const double share = (i + 0.5) / STEPS;
        char fill[8];
        ramp_colour(style->difference ? 2 * share - 1 : share, fill);
        fprintf(out, "<rect x=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", i * STEP, STEP, RAMP_HEIGHT, fill);
    }
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"" HEATMAP_EDGE "\"/>\n", RAMP_WIDTH,
            RAMP_HEIGHT);
    fputs("<g text-anchor=\"middle\">", out);
    for (int i = 0; i < 3; i++) {
        const int percent = least + i * (100 - least) / 2;
        fprintf(out, "<text x=\"%d\" y=\"%d\">%s%d%%</text>", i * RAMP_WIDTH / 2, ticks, percent < 0 ? "−" : "",
                percent < 0 ? -percent : percent);
    }
    fprintf(out, "</g>\n<text x=\"%d\" y=\"12\">", RAMP_WIDTH + RAMP_GAP);
    char *text = meaning(style);
    svg_text(out, text);
    mem_free(text);
    fputs("</text>\n</g>\n", out);
}

void heatmap_describe(FILE *out, const Heatmap *h) {
    const Alignment *a = h->alignments;
    const HeatmapStyle *style = &h->style;
    const bool zh = style->language == HEATMAP_ZH;
    const char *what = zh ? "注意力权重" : "Attention weights", *end = ".";
    const char *across = zh ? "横向" : "across the top", *down = zh ? "纵向" : "down the side";
    if (style->blank) what = zh ? "待填的注意力权重" : "Empty cells for the attention weights";
    else if (style->difference) what = zh ? "注意力权重之差" : "Differences of the attention weights";
    else
        end = zh ? "：格子颜色越深，译文单元越多地读取原文单元。"
                 : ": the darker a cell, the more of the target piece was read from the source piece.";
    fputs("<desc>", out);
    if (h->count > 1) fprintf(out, zh ? "%d 个矩阵：" : "%d matrices: ", h->count);
    fprintf(out, zh ? "%s，%d 个原文单元（%s）与" : "%s of %d source pieces (%s) and", what, a->n_source,
            style->transpose ? down : across);
    if (heatmap_one_target(h)) fprintf(out, zh ? " %d 个" : " %d", a->n_target);
    fprintf(out, zh ? "译文单元（%s）%s</desc>\n" : " target pieces (%s)%s</desc>\n", style->transpose ? across : down,
            end);
}

/* ---- captions --------------------------------------------------------------------------------------------------- */

char *heatmap_head_caption(HeatmapLanguage language, int layer, int head) {
    const bool zh = language == HEATMAP_ZH;
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    if (layer) fprintf(out, zh ? "层 %d，" : "layer %d, ", layer);
    fprintf(out, zh ? "头 %d" : "head %d", head);
    return memory_close(&memory, NULL);
}

char *heatmap_hypothesis_caption(HeatmapLanguage language, int rank, double score) {
    MemoryFile memory;
    fprintf(memory_open(&memory), language == HEATMAP_ZH ? "%d：得分 %s%.3f" : "%d: score %s%.3f", rank,
            score < 0 ? "−" : "", fabs(score));
    return memory_close(&memory, NULL);
}
