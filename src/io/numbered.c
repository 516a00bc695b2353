#include "io/numbered.h"
#include "io/ds.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void numbered_path(char path[PATH_SIZE], const char *dir, long number, const char *ending) {
    snprintf(path, PATH_SIZE, "%s/%08ld%s", dir, number, ending);
}

static int ascending(const void *left, const void *right) {
    const long a = *(const long *)left, b = *(const long *)right;
    return (a > b) - (a < b);
}

int numbered_list(const char *dir, const char *ending, long **numbers, Err *err) {
    char path[PATH_SIZE];
    *numbers = NULL;
    DIR *entries = opendir(dir);
    if (!entries && errno == ENOMEM) mem_refused(0);
    if (!entries) return errno == ENOENT ? 0 : err_set(err, dir, 0, "%s", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(entries));) {
        const long number = strtol(entry->d_name, NULL, 10);
        numbered_path(path, dir, number, ending);
        if (number >= 0 && !strcmp(entry->d_name, strrchr(path, '/') + 1)) arrput(*numbers, number);
    }
    closedir(entries);
    if (*numbers) qsort(*numbers, (size_t)arrlen(*numbers), sizeof **numbers, ascending);
    return 0;
}

long spaced_index(long k, long n, long most) { return k * (n - 1) / (most - 1); }

void numbers_thin(long *numbers, long most, long keep) {
    const long n = arrlen(numbers);
    long kept = 0, k = 0;
    if (n <= most) return;
    for (long i = 0; i < n; i++) {
        const bool spaced = i == spaced_index(k, n, most);
        k += spaced;
        if (spaced || numbers[i] == keep) numbers[kept++] = numbers[i];
    }
    arrsetlen(numbers, (size_t)kept);
}
