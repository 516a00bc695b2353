#include "text/traditional.h"

#include "io/utf8.h"

/* Characters, sorted, of three bytes each. Each line has LINE of them and a newline. */
static const char sorted[] =
#include "text/traditional.txt.inc"
    ;
enum { SIZE = 3, LINE = 60, LINE_SIZE = SIZE * LINE + 1, ALL = sizeof sorted - 1 };
enum { COUNT = ALL / LINE_SIZE * LINE + ALL % LINE_SIZE / SIZE };

static bool is_traditional(const char *character) {
    ptrdiff_t low = 0, high = COUNT; /* if the table has the character, it is in [low, high) */
    while (low < high) {
        const ptrdiff_t middle = (low + high) / 2;
        const int order = memcmp(character, sorted + middle * SIZE + middle / LINE, SIZE);
        if (!order) return true;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return false;
}

bool text_has_traditional(const char *text) {
    for (size_t n; *text; text += n) {
        n = utf8_length(text);
        if (n == SIZE && is_traditional(text)) return true;
    }
    return false;
}
