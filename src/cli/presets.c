#include "cli/presets.h"
#include "cli/suggest.h"
#include "io/system.h"
#include "io/ds.h"
#include "io/lines.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The presets of the source tree. */
static const struct {
    const char *name, *text;
} own[] = {
#include "cli/presets.inc"
};
enum { OWN = sizeof own / sizeof *own };

/* Folders of presets, relative to the folder of the program; the last one is relative to the current folder. */
static const char *const places[] = {"../share/tide", "../../models", "models", "models"};
enum { PLACES = sizeof places / sizeof *places };

/* Writes the path of a folder of presets to `path`. */
static void place(int number, char path[PATH_SIZE]) {
    if (number < PLACES - 1) program_path(path, PATH_SIZE, places[number]);
    else snprintf(path, PATH_SIZE, "%s", places[PLACES - 1]);
}

/* ---- the list ------------------------------------------------------------------------------------------------- */

/* Adds the names of the presets in a folder to a stb_ds array of owned strings. A folder that does not exist has none.
 */
static void add_names(const char *folder, char ***names) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const size_t length = strlen(entry->d_name);
        if (length <= 5 || strcmp(entry->d_name + length - 5, ".conf") != 0) continue;
        char *name = mem_strdup(entry->d_name);
        name[length - 5] = '\0';
        arrput(*names, name);
    }
    if (dir) closedir(dir);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The names of all presets, sorted: a stb_ds array of owned strings, in which a name may stand several times. */
static char **all_names(void) {
    char **names = NULL, folder[PATH_SIZE];
    for (int i = 0; i < PLACES; i++) {
        place(i, folder);
        add_names(folder, &names);
    }
    for (int i = 0; i < OWN; i++) arrput(names, mem_strdup(own[i].name));
    qsort(names, arrlenu(names), sizeof *names, by_name);
    return names;
}

static int no_preset(const char *name, Err *err) {
    char **names = all_names();
    Nearest nearest = {.word = name, .distance = UNLIKE};
    for (ptrdiff_t i = 0; i < arrlen(names); i++) suggest_nearest(&nearest, names[i]);
    if (strchr(name, '/') || strchr(name, '.')) err_set(err, NULL, 0, "no preset '%s'; --config reads a file", name);
    else if (nearest.name) err_set(err, NULL, 0, "no preset '%s'; did you mean %s?", name, nearest.name);
    else err_set(err, NULL, 0, "no preset '%s'; `tide help --presets` lists them", name);
    strings_free(names);
    return -1;
}

char *configuration_read(const char *path, Err *err) {
    size_t size;
    char *text = text_read(path, &size, err);
    if (!text || strlen(text) == size) return text;
    err_set(err, path, 0, "the file holds a NUL");
    mem_free(text);
    return NULL;
}

char *preset_read(const char *name, char path[PATH_SIZE], Err *err) {
    char folder[PATH_SIZE];
    for (int i = 0; i < PLACES && !strchr(name, '/'); i++) {
        place(i, folder);
        const int length = snprintf(path, PATH_SIZE, "%s/%s.conf", folder, name);
        if (length < PATH_SIZE && !access(path, R_OK)) return configuration_read(path, err);
    }
    snprintf(path, PATH_SIZE, "preset %.100s", name);
    for (int i = 0; i < OWN; i++)
        if (!strcmp(own[i].name, name)) return mem_strdup(own[i].text);
    no_preset(name, err);
    return NULL;
}

/* Prints a name and the first sentence of the comment with which the preset begins, without "# NAME: ". */
static int print_preset(const char *name, Err *err) {
    char path[PATH_SIZE];
    char *text = preset_read(name, path, err);
    if (!text) return -1;
    const size_t length = strlen(name);
    const char *first = text[0] == '#' ? text + 1 + strspn(text + 1, " ") : "";
    if (!strncmp(first, name, length) && first[length] == ':') first += length + 1 + strspn(first + length + 1, " ");
    size_t end = strcspn(first, "\n");
    for (size_t i = 0; i < end; i++)
        if (first[i] == ';' || (first[i] == '.' && first[i + 1] == ' ')) end = i;
    if (end && first[end - 1] == '.') end--;
    printf("%-14s %.*s\n", name, (int)end, first);
    mem_free(text);
    return 0;
}

int presets_print(Err *err) {
    char **names = all_names();
    int status = 0;
    for (ptrdiff_t i = 0; i < arrlen(names) && !status; i++)
        if (!i || strcmp(names[i], names[i - 1]) != 0) status = print_preset(names[i], err);
    strings_free(names);
    return status;
}
