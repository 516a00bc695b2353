#include "text/library.h"

#include <dlfcn.h>
#include <stddef.h>

void *library_load(const char *file, const char *const *names, void **functions) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (; library && *names; names++, functions++) {
        *functions = dlsym(library, *names);
        if (*functions) continue;
        library_close(library);
        return NULL;
    }
    return library;
}

void library_close(void *library) { dlclose(library); }
