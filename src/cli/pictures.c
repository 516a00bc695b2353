#include "cli/pictures.h"
#include "text/files.h"

#include <errno.h>
#include <string.h>

int pictures_begin(Pictures *pictures, Err *err) { return directory_make(pictures->dir, err); }
void pictures_skip(Pictures *pictures) { pictures->count++; }

int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err) {
    char path[512];
    if (snprintf(path, sizeof path, "%s/%04d.svg", pictures->dir, ++pictures->count) >= (int)sizeof path)
        return err_set(err, path, 0, "the path is too long");
    FILE *out = file_open(path, "w", err);
    if (!out) return -1;
    int failed = heatmap_svg(out, alignment, pictures->transpose);
    if ((fclose(out) != 0) | (failed != 0)) return err_set(err, path, 0, "cannot be written: %s", strerror(errno));
    return 0;
}
