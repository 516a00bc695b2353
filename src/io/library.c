#include "io/library.h"

#include "core/base.h"

#include <dlfcn.h>
#include <errno.h>

void *library_load(const char *file, const char *const *names, void **functions) {
    errno = 0;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library && errno == ENOMEM) mem_refused(0);
    for (; library && *names; names++, functions++) {
        *functions = dlsym(library, *names);
        if (*functions) continue;
        library_close(library);
        return NULL;
    }
    return library;
}

void library_close(void *library) { dlclose(library); }
