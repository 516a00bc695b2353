/* replay FILE...: gives each file to the fuzz target that this is linked with, as libFuzzer does. */
#include "fuzz.h"
#include "text/files.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        Err err;
        size_t size;
        char *bytes = file_read(argv[i], &size, &err);
        CHECK(bytes, "%s: %s", argv[i], err.reason);
        uint8_t *exact = mem_alloc(size); /* no byte behind it, for the sanitizer to watch */
        memcpy(exact, bytes, size);
        printf("%s\n", argv[i]);
        fflush(stdout); /* the last one named is the one that failed */
        LLVMFuzzerTestOneInput(exact, size);
        mem_free(exact);
        mem_free(bytes);
    }
    return 0;
}
