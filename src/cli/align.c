/* tide align: forced decoding of given sentence pairs. */
#include "cli/align_document.h"
#include "cli/messages.h"
#include "cli/models.h"
#include "cli/pairs.h"
#include "cli/pictures.h"
#include "cli/rasterize.h"
#include "cli/streams.h"
#include "io/ds.h"
#include "text/normal_lines.h"
#include "view/alignments_page.h"
#include "view/svg_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FORMATS "pharaoh|soft|matrix|json|svg|html"
typedef enum { PHARAOH, SOFT, MATRIX, JSON, SVG, HTML } Format;

static const Flag flags[] = {
    FLAGS_GIVEN_PAIRS,
    FLAG_CHOICE("format", "output format; svg needs --output; html: an interactive page; with --document: tsv or tmx",
                FORMATS "|tsv|tmx", "pharaoh"),
    FLAGS_ALIGNMENT_VIEW,
    FLAG_MAX_LENGTH,
    FLAG_TAG,
    FLAG_PRECISION,
    FLAG_ATTENTION_MODE,
    FLAGS_ALIGNMENT,
    {"reverse", 1, "MODEL", "a model of the other direction: symmetrise the alignments of both; needs --level word",
     .kind = VALUE_FILE},
    {"symmetrize", 1, "METHOD",
     "intersection, union or grow-diag-final-and; soft, mean: link where the harmonic or the arithmetic mean of both "
     "weights is at least --threshold (default: 0.25); the other formats show this mean",
     .choices = symmetrization_names, .fallback = "grow-diag-final-and"},
    {"minus", 1, "MODEL",
     "show the weights of MODEL minus those of this model; by word if their pieces differ; formats svg, soft, matrix, "
     "json",
     .kind = VALUE_FILE},
    {"each", 1, NULL, "with the format svg: draw the matrices of each head, and of each layer, in one picture",
     .choices = "head"},
    FLAG_FILE("links", "with the format html: also mark the links of FILE, for example those of `tide lexicon`"),
    FLAG_FILE("gold", "with the format html: also mark these sure and possible links, and show error rates"),
    {"output", 1, "PATH",
     "with the format svg: a directory, for DIR/0001.svg ..., or FILE.pdf, FILE.png; else a FILE in place of standard "
     "output",
     .kind = VALUE_FILE},
    FLAGS_PICTURES,
    FLAG_SWITCH("document", "find the sentence pairs of --src, a document, and --tgt, its translation; needs no MODEL"),
    {"langs", 2, "SRC TGT", "with --document: the languages (default: zh en)", .kind = VALUE_TEXT},
    FLAG_SWITCH("keep-lines", "with --document: a line is a sentence, also if several sentence marks are in it"),
    FLAG_FILE("priors", "with --document: what `tide lexicon` learned from another corpus, its priors.tsv"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

/* A file with the links of each pair. */
typedef struct PairLinks {
    const char *path; /* NULL: no file was given */
    Link **of;        /* a stb_ds array of the links of each pair, which are stb_ds arrays */
} PairLinks;

/* A model and the session that uses it. */
typedef struct Direction {
    Translator translator;
    Session session;
} Direction;

typedef struct Aligner {
    Direction forward, second; /* second: that of --reverse or --minus */
    bool reverse, minus;
    bool each_head;
    SearchOptions search;
    Symmetrization symmetrization;
    AlignmentView view;
    Format format;
    Pictures pictures;
    AlignmentsPage page;
    bool page_by_word;
    char names[1024]; /* of both models, for the legend of a difference */
    GivenPairs input;
    PairLinks given, gold; /* what the page also marks */
    int pairs;             /* printed so far */
} Aligner;

/* Reads a file with a line for each of `pairs` pairs, in the formats of links_parse. path NULL: *links becomes empty.
   Release with pair_links_free, after an error too. Returns 0, or -1 with *err filled. */
static int pair_links_read(PairLinks *links, const char *path, int pairs, Err *err) {
    *links = (PairLinks){.path = path};
    char **lines = path ? lines_read(path, 0, err) : NULL;
    int status = path && !lines ? -1 : 0;
    if (lines && arrlen(lines) != pairs)
        status = err_set(err, path, 0, "has %td lines, but there are %d pairs", arrlen(lines), pairs);
    for (ptrdiff_t i = 0; i < arrlen(lines) && !status; i++) {
        arrput(links->of, NULL);
        status = links_parse(lines[i], 0, path, (long)i + 1, &links->of[i], err);
    }
    strings_free(lines);
    return status;
}

static void pair_links_free(PairLinks *links) {
    for (ptrdiff_t i = 0; i < arrlen(links->of); i++) arrfree(links->of[i]);
    arrfree(links->of);
}

static int direction_open(Direction *direction, const char *path, const SearchOptions *search, Err *err) {
    Translator *const tr = &direction->translator;
    if (models_load_one(tr, path, err)) return -1;
    if (!model_aligns(&tr->model))
        return err_set(err, path, 0, "this model has no attention, so there is no alignment");
    return search_options_check(search, (const Translator *[]){tr}, &path, 1, NAMES_OF_FLAGS, err);
}

/* Computes the alignments of n pairs, shifted and merged into words if the flags say so; release each with
   alignment_free. */
static void direction_align(Direction *direction, const Aligner *a, AttentionOptions attention, char *const *source,
                            char *const *target, int n, Alignment *alignments) {
    session_align(&direction->session, source, target, n, attention, alignments);
    for (int i = 0; i < n; i++) alignment_view_apply(&a->view, &alignments[i]);
}

static void print_links(Link *links) {
    links_print(stdout, links, (int)arrlen(links));
    putchar('\n');
    arrfree(links);
}

/* The sets of links of a page, in this order; those of a file that was not given are left out. */
enum { GOLD, GIVEN, OWN, LINK_SETS };

/* Adds the links of a pair to its matrix on the page. `words`: the alignment by word. */
static int page_add_links(Aligner *a, const Alignment *words, Err *err) {
    static const char *const names[] = {"gold", "aligner", "attention"};
    PageLinks sets[LINK_SETS];
    int count = 0;
    Link *own = alignment_links(words, a->view.threshold, false);
    for (int i = 0; i < LINK_SETS; i++) {
        const PairLinks *file = i == GOLD ? &a->gold : &a->given;
        if (i != OWN && !file->path) continue;
        const Link *links = i == OWN ? own : file->of[a->pairs];
        const int n = (int)arrlen(links);
        if (links_check(links, n, words->n_source - 1, words->n_target - 1, file->path, a->pairs + 1, err))
            return arrfree(own), -1;
        sets[count++] = (PageLinks){names[i], links, n, NAN};
    }
    for (int i = 1; i < count && a->gold.path; i++) {
        Aer aer = {0};
        aer_add(&aer, sets[i].links, sets[i].n, sets[GOLD].links, sets[GOLD].n);
        sets[i].aer = aer_rate(&aer);
    }
    alignments_page_links(&a->page, sets, count);
    arrfree(own);
    return 0;
}

static int page_add(Aligner *a, const Alignment *alignment, Err *err) {
    alignments_page_pair(&a->page, alignment);
    if (!a->gold.path && !a->given.path) return 0;
    Alignment words = alignment_new(alignment->source, alignment->n_source, alignment->target, alignment->n_target,
                                    alignment->weight);
    alignment_merge_words(&words);
    const int status = page_add_links(a, &words, err);
    alignment_free(&words);
    return status;
}

static int emit(Aligner *a, const Alignment *alignment, Err *err) {
    switch (a->format) {
    case SVG: return pictures_add(&a->pictures, (Heatmap){.alignments = alignment, .count = 1}, err);
    case HTML: return page_add(a, alignment, err);
    case PHARAOH: print_links(alignment_links(alignment, a->view.threshold, a->view.end)); return 0;
    case SOFT: alignment_soft(stdout, alignment); break;
    case MATRIX: alignment_matrix(results(), alignment, a->pairs); break;
    case JSON: alignment_json(results(), alignment); break;
    }
    putchar('\n');
    return 0;
}

/* The links of the mean of both matrices. `reverse` is the alignment from target to source. Both have </s> last. */
static Link *soft_links(const Aligner *a, const Alignment *forward, const Alignment *reverse) {
    const double usual = 0.25;
    Link *all = links_of_matrices(a->symmetrization, forward->weight, reverse->weight, forward->n_target,
                                  forward->n_source, a->view.threshold > 0 ? a->view.threshold : usual);
    Link *links = NULL;
    for (ptrdiff_t i = 0; i < arrlen(all); i++)
        if (a->view.end || (all[i].source < forward->n_source - 1 && all[i].target < forward->n_target - 1))
            arrput(links, all[i]);
    arrfree(all);
    return links;
}

/* Writes the mean of both matrices. */
static int emit_mean(Aligner *a, const Alignment *forward, const Alignment *reverse, Err *err) {
    Alignment mean =
        alignment_new(forward->source, forward->n_source, forward->target, forward->n_target, forward->weight);
    matrices_mean(a->symmetrization, forward->weight, reverse->weight, mean.n_target, mean.n_source,
                  (float *)mean.weight);
    const int status = emit(a, &mean, err);
    alignment_free(&mean);
    return status;
}

/* Writes the symmetrised alignment of a pair. `reverse` is the alignment from target to source. */
static int emit_symmetrized(Aligner *a, const Alignment *forward, const Alignment *reverse, Err *err) {
    if (forward->n_source != reverse->n_target || forward->n_target != reverse->n_source)
        return err_set(
            err, NULL, 0, "pair %d: MODEL finds %d source and %d target words, but the --reverse model finds %d and %d",
            a->pairs + 1, forward->n_source - 1, forward->n_target - 1, reverse->n_target - 1, reverse->n_source - 1);
    if (a->format != PHARAOH) return emit_mean(a, forward, reverse, err);
    if (symmetrization_is_soft(a->symmetrization)) {
        print_links(soft_links(a, forward, reverse));
        return 0;
    }
    Link *forward_links = alignment_links(forward, a->view.threshold, a->view.end),
         *reverse_links = alignment_links(reverse, a->view.threshold, a->view.end);
    for (ptrdiff_t i = 0; i < arrlen(reverse_links); i++)
        reverse_links[i] = (Link){reverse_links[i].target, reverse_links[i].source, false};
    print_links(links_symmetrize(a->symmetrization, forward_links, (int)arrlen(forward_links), reverse_links,
                                 (int)arrlen(reverse_links)));
    arrfree(forward_links);
    arrfree(reverse_links);
    return 0;
}

static bool same_pieces(const Alignment *a, const Alignment *b) {
    return strings_same(a->source, a->n_source, b->source, b->n_source) &&
           strings_same(a->target, a->n_target, b->target, b->n_target);
}

/* Writes the weights of a pair minus those of the --minus model. */
static int emit_difference(Aligner *a, Alignment *alignment, Alignment *other, Err *err) {
    if (!same_pieces(alignment, other) && !a->view.words) {
        alignment_merge_words(alignment);
        alignment_merge_words(other);
    }
    if (!same_pieces(alignment, other))
        return err_set(err, NULL, 0, "pair %d: MODEL and the --minus model divide it into different words",
                       a->pairs + 1);
    float *weight = (float *)alignment->weight;
    for (int k = 0; k < alignment->n_source * alignment->n_target; k++) weight[k] -= other->weight[k];
    return emit(a, alignment, err);
}

/* Aligns the first of n pairs in one batch and prints them in order. A batch takes little more time than one pair. */
static int align_some(Aligner *a, char *const *source, char *const *target, int n, Err *err) {
    Alignment first[MOST_PAIRS], second[MOST_PAIRS];
    const bool reverse = a->reverse, both = reverse || a->minus;
    int status = 0;
    n = align_most(source, target, n);
    direction_align(&a->forward, a, a->search.attention, source, target, n, first);
    if (both)
        direction_align(&a->second, a, a->search.attention, reverse ? target : source, reverse ? source : target, n,
                        second);
    for (int i = 0; i < n; i++) {
        if (!status) status = alignment_check(&first[i], a->pairs, err);
        if (!status && both) status = alignment_check(&second[i], a->pairs, err);
        if (!status && !both) status = emit(a, &first[i], err);
        else if (!status)
            status = reverse ? emit_symmetrized(a, &first[i], &second[i], err)
                             : emit_difference(a, &first[i], &second[i], err);
        alignment_free(&first[i]);
        if (both) alignment_free(&second[i]);
        a->pairs++;
    }
    return status;
}

/* Draws the matrices of all heads of a pair, the layers below each other. Runs the model once for each head. */
static int draw_heads(Aligner *a, char *const *source, char *const *target, Err *err) {
    const Alignments has = model_alignments(&a->forward.translator.model);
    const int layer = a->search.attention.layer, first = layer ? layer : 1, last = layer ? layer : has.layers;
    Alignment *alignments = NULL;
    char **captions = NULL;
    int status = 0;
    for (int k = 0; k < (last - first + 1) * has.heads && !status; k++) {
        AttentionOptions attention = a->search.attention;
        attention.layer = first + k / has.heads;
        attention.head = 1 + k % has.heads;
        direction_align(&a->forward, a, attention, source, target, 1, arraddnptr(alignments, 1));
        arrput(captions,
               heatmap_head_caption(a->pictures.style.language, has.layers > 1 ? attention.layer : 0, attention.head));
        status = alignment_check(&alignments[k], a->pairs, err);
    }
    const Heatmap heatmap = {
        .alignments = alignments, .count = (int)arrlen(alignments), .captions = captions, .across = has.heads};
    if (!status) status = pictures_add(&a->pictures, heatmap, err);
    for (int k = 0; k < heatmap.count; k++) alignment_free(&alignments[k]);
    arrfree(alignments);
    strings_free(captions);
    a->pairs++;
    return status;
}

static int align_all(Aligner *a, Err *err) {
    ProgressView view;
    char **source = a->input.text[SOURCE], **target = a->input.text[TARGET];
    const int n = (int)arrlen(source);
    int status = 0;
    messages_progress(&view);
    while (a->pairs < n && !status) {
        status = a->each_head ? draw_heads(a, source + a->pairs, target + a->pairs, err)
                              : align_some(a, source + a->pairs, target + a->pairs, n - a->pairs, err);
        progress_count(&view, "aligning", a->pairs, n, seconds_now(), false);
    }
    progress_clear(&view);
    return status;
}

/* Reads the pairs and their links. */
static int read_pairs(Aligner *a, const Args *args, Err *err) {
    const Translator *forward = &a->forward.translator, *second = &a->second.translator;
    const int most = a->search.max_length;
    if (given_pairs_read(&a->input, args, forward, err)) return -1;
    const int n = (int)arrlen(a->input.text[SOURCE]);
    return given_pairs_check(&a->input, forward, false, most, err) ||
           ((a->reverse || a->minus) && given_pairs_check(&a->input, second, a->reverse, most, err)) ||
           pair_links_read(&a->given, args_value(args, "links", 0), n, err) ||
           pair_links_read(&a->gold, args_value(args, "gold", 0), n, err);
}

/* Writes the page to standard output. main reports an error of standard output. */
static void write_page(Aligner *a, const char *model) {
    alignments_page_write(&a->page, results(), "Alignments of ", model, a->page_by_word);
}

/* The options for the second model. */
static SearchOptions second_search(const Aligner *a) {
    SearchOptions search = a->search;
    if (a->reverse) search.tag = NULL; /* it is for the sources of MODEL, which are the targets of this model */
    return search;
}

/* Aligns the pairs with models that are loaded. */
static int run_on(Aligner *a, const Args *args, int threads, Err *err) {
    const Translator *forward = &a->forward.translator, *second = &a->second.translator;
    const SearchOptions search = second_search(a);
    Threads *pool = threads_new(threads);
    alignments_page_init(&a->page);
    session_init(&a->forward.session, &forward, 1, pool);
    search_options_session(&a->search, &a->forward.session);
    session_init(&a->second.session, &second, 1, pool);
    search_options_session(&search, &a->second.session);
    const bool failed = read_pairs(a, args, err) ||
                        (a->pictures.dir && pictures_open(&a->pictures, forward, args->words[0], err)) ||
                        align_all(a, err) || pictures_close(&a->pictures, err);
    if (!failed && a->format == HTML) write_page(a, args->words[0]);
    pictures_free(&a->pictures);
    alignments_page_free(&a->page);
    session_free(&a->forward.session);
    session_free(&a->second.session);
    threads_free(pool);
    pair_links_free(&a->given);
    pair_links_free(&a->gold);
    given_pairs_free(&a->input);
    return failed ? -1 : 0;
}

/* Checks that the flags do not contradict each other. */
static int check_flags(const Args *args, const Aligner *a, Err *err) {
    static const char *const of_documents[] = {"langs", "keep-lines", "priors"};
    for (int i = 0; i < 3; i++)
        if (args_has(args, of_documents[i])) return usage_error(err, "--%s needs --document", of_documents[i]);
    if (a->format == SVG && !a->pictures.dir) return usage_error(err, "--format svg needs --output DIR");
    if (a->format != HTML && (args_has(args, "links") || args_has(args, "gold")))
        return usage_error(err, "--links and --gold need the format html");
    if (a->each_head && (a->format != SVG || a->reverse || a->minus || args_has(args, "alignment-head")))
        return usage_error(err, "--each head needs --format svg, without --reverse, --minus and --alignment-head");
    if (a->minus && (a->reverse || a->pictures.style.row_scale || a->format == PHARAOH || a->format == HTML))
        return usage_error(err,
                           "--minus is for the formats svg, soft, matrix and json, without --reverse and --row-scale");
    if (args_has(args, "symmetrize") && !a->reverse) return usage_error(err, "--symmetrize needs --reverse MODEL");
    if (a->reverse && (!a->view.words || a->format == HTML))
        return usage_error(err, "--reverse needs --level word, and has no format html");
    if (a->reverse && a->format != PHARAOH && !symmetrization_is_soft(a->symmetrization))
        return usage_error(err, "--reverse with this format needs --symmetrize soft or mean");
    return 0;
}

/* Loads the --reverse model and checks that it does not have the direction of MODEL. */
static int reverse_open(Aligner *a, const char *path, Err *err) {
    const char(*langs)[16] = a->forward.translator.options.langs, (*other)[16] = a->second.translator.options.langs;
    const SearchOptions search = second_search(a);
    if (direction_open(&a->second, path, &search, err)) return -1;
    const bool same = !strcmp(langs[0], other[0]) && !strcmp(langs[1], other[1]);
    if (!same || !strcmp(langs[0], langs[1])) return 0;
    return err_set(err, path, 0, "translates from %s to %s, as MODEL does; --reverse needs a model from %s to %s",
                   langs[0], langs[1], langs[1], langs[0]);
}

/* Loads the --minus model, which must have the languages of MODEL, and names both in the legend. */
static int minus_open(Aligner *a, const char *path, const char *model, Err *err) {
    enum { NAME_EMS = 14 };
    const char(*langs)[16] = a->forward.translator.options.langs, (*other)[16] = a->second.translator.options.langs;
    const SearchOptions search = second_search(a);
    if (direction_open(&a->second, path, &search, err)) return -1;
    if (strcmp(langs[0], other[0]) != 0 || strcmp(langs[1], other[1]) != 0)
        return err_set(err, path, 0, "translates from %s to %s, but MODEL from %s to %s", other[0], other[1], langs[0],
                       langs[1]);
    char *first = text_cut(model, NAME_EMS), *second = text_cut(path, NAME_EMS);
    snprintf(a->names, sizeof a->names, "%s − %s", first, second);
    a->pictures.style.difference = a->names;
    mem_free(first);
    mem_free(second);
    return 0;
}

static int run(const Args *args, Err *err) {
    int threads, format, method, each = -1;
    Aligner a = {.reverse = args_has(args, "reverse"), .minus = args_has(args, "minus")};
    if (args_has(args, "document")) return machine_flags(args, &threads, err) ? -1 : align_document(args, threads, err);
    if (given_pairs_exclude(args, "tgt", err)) return -1;
    if (args->word_count != 1 || !given_pairs_flags(args, "tgt"))
        return usage_error(err, "align needs MODEL, and --src with --tgt, --tsv, --csv or --jsonl; see `tide align "
                                "--help`");
    if (args_choice(args, "format", &format, err)) return -1;
    if (format > HTML) return usage_error(err, "the formats tsv and tmx need --document");
    const char *output = args_value(args, "output", 0);
    const bool raster = output && raster_format(output) && !args_has(args, "format");
    a.format = raster ? SVG : (Format)format;
    if (machine_flags(args, &threads, err) || pictures_flags(args, a.format == SVG ? output : NULL, &a.pictures, err) ||
        search_flags(args, &a.search, err) || alignment_view_flags(args, &a.view, err) ||
        args_choice(args, "symmetrize", &method, err) || args_choice(args, "each", &each, err))
        return -1;
    struct stat info;
    if (output && a.format != SVG && !stat(output, &info) && S_ISDIR(info.st_mode))
        return usage_error(err, "--output DIR needs --format svg; the other formats need a file");
    a.each_head = each >= 0;
    a.symmetrization = (Symmetrization)method;
    if (check_flags(args, &a, err)) return -1;
    if (a.format == HTML) { /* the page needs pieces; its script merges them into words */
        a.page_by_word = a.view.words;
        a.view.words = false;
    }
    const bool failed = (output && a.format != SVG && streams_output(args, output, true, err)) ||
                        direction_open(&a.forward, args->words[0], &a.search, err) ||
                        (a.reverse && reverse_open(&a, args_value(args, "reverse", 0), err)) ||
                        (a.minus && minus_open(&a, args_value(args, "minus", 0), args->words[0], err)) ||
                        run_on(&a, args, threads, err);
    translator_free(&a.forward.translator);
    translator_free(&a.second.translator);
    return failed ? -1 : 0;
}

const Command command_align = {
    .name = "align",
    .summary = "align given sentence pairs (forced decoding), or the sentences of two documents",
    .usage = "MODEL --src FILE --tgt FILE | --tsv FILE | --csv FILE | --jsonl FILE  [--format " FORMATS "]   or   "
             "--document --src FILE --tgt FILE  [--format tsv|tmx] [--output FILE]",
    .about =
        "Runs the decoder on the given translations (forced decoding) and prints to which source pieces each target\n"
        "piece attends. --level word: words are separated by spaces, as in segmented Chinese; a side without spaces\n"
        "keeps its pieces. --reverse MODEL: a model of the other direction (--langs en zh); the links of both\n"
        "directions are combined into one set.\n\n"
        "--document: FILE and FILE are a document and its translation, whose sentences are not paired. Writes the "
        "pairs:\n"
        "source, tab, target, tab, probability, or a translation memory. A line break ends a sentence. Sentences "
        "without\n"
        "a partner are left out and counted; up to three sentences may belong to one. The lengths of the sentences "
        "and\n"
        "the words of the document itself decide, and --priors FILE, if there is one. --threshold R leaves out pairs "
        "of a\n"
        "smaller probability (default: 0.3).",
    COMMAND_FLAGS(flags),
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS(
        {"tide align run1 --src dev.zh --tgt dev.en --level word > links", "Print the links of words"},
        {"tide align run1 --src dev.zh --tgt dev.en --reverse run2 --level word | tide aer gold",
         "Combine the links of both directions, and compare them with links made by people"},
        {"tide align run1 --src dev.zh --tgt dev.en --level word --reverse run2 --symmetrize soft --output "
         "pictures.pdf",
         "Draw what both directions find"},
        {"tide align run1 --src dev.zh --tgt dev.en --format html > page.html", "Write a page with the alignments"},
        {"tide align run1 --src dev.zh --tgt dev.en --format html --level word --links links --gold gold > page.html",
         "Compare them on the page with the links of an aligner and of people"},
        {"tide align --document --src book.zh --tgt book.en --output book.tsv", "Make a corpus from a book"}),
    .see = "aer corpus lexicon score translate",
    .run = run,
};
