#include "cli/test_set.h"

#include "cli/models.h"
#include "text/normal_lines.h"

/* The targets of the file become the only set of references. */
static int read_file(TestSet *set, const CorpusFiles *file, const Translator *translator, Err *err) {
    char ***sets = mem_zalloc(sizeof *sets);
    set->references = (References){(char *const *const *)sets, 1};
    const int status = given_pairs_of_file(&set->pairs, file, translator, true, err);
    sets[0] = set->pairs.text[TARGET];
    set->pairs.text[TARGET] = NULL;
    set->paths = &set->pairs.path[TARGET];
    return status;
}

static int read_lines(TestSet *set, const Args *args, Err *err) {
    set->pairs.path[SOURCE] = args_value(args, "src", 0);
    set->paths = args_values(args, "ref");
    return !(set->pairs.text[SOURCE] = lines_read(set->pairs.path[SOURCE], 0, err)) ||
                   references_read(&set->references, set->paths, args_count(args, "ref"), err)
               ? -1
               : 0;
}

int test_set_read(TestSet *set, const Args *args, const Translator *translator, int max_length, Err *err) {
    CorpusFiles file;
    int columns[2];
    *set = (TestSet){0};
    if (pairs_columns(args, columns, err)) return -1;
    if (pairs_find(args, columns, &file) ? read_file(set, &file, translator, err) : read_lines(set, args, err))
        return -1;
    const References *references = &set->references;
    if (metric_check(set->pairs.text[SOURCE], set->pairs.path[SOURCE], references, set->paths, err) ||
        given_pairs_check_side(&set->pairs, translator, SOURCE, false, max_length, err))
        return -1;
    for (int i = 0; i < references->count; i++) language_warn(translator, TARGET, references->sets[i], set->paths[i]);
    return 0;
}

void test_set_free(TestSet *set) {
    given_pairs_free(&set->pairs);
    references_free(&set->references);
}
