/* usage: replay FILE...
   Passes the bytes of each file to the linked fuzz target, as libFuzzer does. */
#include "fuzz.h"
#include "io/files.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        Err err;
        size_t size;
        char *bytes = file_read(argv[i], &size, &err);
        CHECK(bytes, "%s: %s", argv[i], err.reason);
        uint8_t *exact = mem_alloc(size); /* exact size: the sanitizer detects a read past the end */
        memcpy(exact, bytes, size);
        printf("%s\n", argv[i]);
        fflush(stdout); /* if the target crashes, the last name printed is the file that caused it */
        LLVMFuzzerTestOneInput(exact, size);
        mem_free(exact);
        mem_free(bytes);
    }
    return 0;
}
