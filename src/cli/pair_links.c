#include "cli/pair_links.h"

#include "io/ds.h"
#include "text/normal_lines.h"

int pair_links_read(PairLinks *links, const char *path, int pairs, Err *err) {
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

void pair_links_free(PairLinks *links) {
    for (ptrdiff_t i = 0; i < arrlen(links->of); i++) arrfree(links->of[i]);
    arrfree(links->of);
}
