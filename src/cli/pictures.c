#include "cli/pictures.h"
#include "text/files.h"

#include <errno.h>
#include <string.h>

int pictures_begin(Pictures *pictures, Err *err) { return directory_make(pictures->dir, err); }
void pictures_skip(Pictures *pictures) { pictures->count++; }

int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err) {
    FILE *out = file_open(path, "w", err);
    if (!out) return -1;
    int failed = heatmap_svg(out, alignment, transpose);
    if ((fclose(out) != 0) | (failed != 0)) return err_set(err, path, 0, "cannot be written: %s", strerror(errno));
    return 0;
}

int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err) {
    char path[512];
    if (snprintf(path, sizeof path, "%s/%04d.svg", pictures->dir, ++pictures->count) >= (int)sizeof path)
        return err_set(err, path, 0, "the path is too long");
    return picture_write(path, alignment, pictures->transpose, err);
}
