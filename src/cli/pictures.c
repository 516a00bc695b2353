#include "cli/pictures.h"
#include "text/files.h"
#include "text/output.h"

int pictures_open(Pictures *pictures, Err *err) { return directory_make(pictures->dir, err); }
void pictures_skip(Pictures *pictures) { pictures->count++; }

int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err) {
    OutputFile output;
    if (output_open(&output, path, err)) return -1;
    heatmap_svg(output.stream, alignment, transpose);
    return output_commit(&output, err);
}

int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err) {
    char path[512];
    if (snprintf(path, sizeof path, "%s/%04d.svg", pictures->dir, ++pictures->count) >= (int)sizeof path)
        return err_set(err, path, 0, "the path is too long");
    return picture_write(path, alignment, pictures->transpose, err);
}
