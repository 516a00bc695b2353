/* system.c: tests of src/io/system/windows.c and src/core/system/windows.c that the commands of tide do not reach. Run
   in an empty folder, whose files it leaves. tests/soak/windows.sh runs it under wine. */
#include "core/system.h"
#include "io/files.h"
#include "io/output.h"
#include "io/system.h"

#include <locale.h>

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno);                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static bool is_text(const char *path, const char *text) {
    Err err;
    size_t n;
    char *read = file_read(path, &n, &err);
    const bool same = read && n == strlen(text) && !memcmp(read, text, n);
    mem_free(read);
    return same;
}

static void put(const char *path, const char *text) {
    Err err;
    EXPECT(!output_write(path, text, strlen(text), &err));
    EXPECT(is_text(path, text));
}

/* A file that is read is replaced; the reader goes on with the old one. */
static void test_replaced_while_read(void) {
    char bytes[4] = "";
    put("模型.txt", "old");
    FILE *reader = fopen("模型.txt", "r");
    EXPECT(reader);
    put("模型.txt", "new!");
    EXPECT(fread(bytes, 1, 3, reader) == 3 && !strcmp(bytes, "old"));
    fclose(reader);
    const int fd = open("模型.txt", O_RDONLY | O_CLOEXEC);
    EXPECT(fd >= 0 && !file_is_removed(fd) && !unlink("模型.txt"));
    close(fd); /* until then, wine and older Windows keep the name */
    EXPECT(access("模型.txt", F_OK) && errno == ENOENT);
}

static void test_paths(void) {
    char path[2000] = "", other[2100], real[PATH_MAX];
    struct stat info;
    Err err;
    for (int i = 0; i < 12; i++) strcat(path, "一个很长的文件夹的名字，有空格 and more letters/");
    put("a file", "x");
    EXPECT(!opendir("a file") && errno == ENOTDIR && !opendir("nothing") && errno == ENOENT);
    EXPECT(strlen(path) > 260 * 2 && !directory_make(path, &err));
    snprintf(other, sizeof other, "%sfile", path);
    put(other, "far");
    EXPECT(!stat(other, &info) && S_ISREG(info.st_mode) && info.st_size == 3 &&
           file_changed(&info) > 1500000000LL * 1000000000);
    EXPECT(file_is_same(other, other) && !file_is_same(other, path) && !file_is_special(other) &&
           file_is_special(path));
    EXPECT(realpath(other, real) && strstr(real, "文件夹") && !strchr(real, '\\') && file_is_same(real, other));
    EXPECT(!realpath("not there", real) && errno == ENOENT);
    EXPECT(realpath("./", real) && real[strlen(real) - 1] != '/');
    snprintf(path + strlen(path), 100, "renamed");
    EXPECT(!file_rename(other, path) && is_text(path, "far") && access(other, F_OK));
    put("file", "x");
    EXPECT(!file_link("file", "second") && file_is_same("file", "second"));
    EXPECT(access("file/below", F_OK) && errno == ENOENT);
    EXPECT(open("file/below", O_RDONLY) < 0 && errno == ENOTDIR);
    const FILE *none = fopen(".", "r");
    EXPECT(!none && errno == EISDIR);
    none = fopen("\xff", "r");
    EXPECT(!none && errno == EILSEQ);
    EXPECT(directory_create(".", false) && errno == EEXIST);
    DIR *dir = opendir(".");
    bool found = false;
    for (struct dirent *entry; (entry = readdir(dir));) found |= !strcmp(entry->d_name, "second");
    EXPECT(found && !closedir(dir));
}

static void test_locks(void) {
    Err warning, err;
    EXPECT(!directory_make("锁", &err));
    const int first = directory_lock("锁", &warning, &err);
    EXPECT(first >= 0 && !*warning.reason && directory_lock("锁", &warning, &err) < 0);
    EXPECT(strstr(err.reason, "another tide process"));
    close(first);
    const int again = directory_lock("锁", &warning, &err);
    EXPECT(again >= 0);
    close(again);
    put("locked", "bytes");
    const int one = open("locked", O_RDWR), two = open("locked", O_RDWR);
    EXPECT(!file_lock_now(one) && file_lock_now(two) && errno == EWOULDBLOCK && is_text("locked", "bytes"));
    close(one);
    EXPECT(!file_lock_now(two));
    close(two);
}

static void test_unnamed_files(void) {
    char bytes[8] = "", path[FD_PATH];
    const int fd = file_in_memory(false);
    EXPECT(fd >= 0 && write(fd, "0123456789", 10) == 10);
    EXPECT(file_read_some(fd, bytes, 3, 4) == 3 && !strcmp(bytes, "456") && lseek(fd, 0, SEEK_CUR) == 10);
    EXPECT(file_read_some(fd, bytes, 3, 10) == 0);
    file_own_path(fd, path);
    EXPECT(is_text(path, "0123456789") && !ftruncate(fd, 2) && is_text(path, "01"));
    close(fd);
    EXPECT(access(path, F_OK));
}

/* ---- streams ---- */

typedef struct Part {
    char bytes[100000];
    size_t size, limit, at;
    int closed;
} Part;

static ssize_t take(void *context, const char *bytes, size_t n) {
    Part *part = context;
    if (n > part->limit - part->size) return 0;
    if (n > 1000) n = 1000; /* not all at once */
    memcpy(part->bytes + part->size, bytes, n);
    part->size += n;
    return (ssize_t)n;
}

static ssize_t give(void *context, char *bytes, size_t n) {
    Part *part = context;
    const size_t some = part->size - part->at < n ? part->size - part->at : n;
    memcpy(bytes, part->bytes + part->at, some);
    part->at += some;
    return (ssize_t)some;
}

static int count_close(void *context) { return ((Part *)context)->closed++, 0; }

static void test_streams(void) {
    static Part part = {.limit = sizeof part.bytes};
    FILE *out = stream_open(&part, (StreamFunctions){.write = take, .close = count_close});
    for (int i = 0; i < 5000; i++) EXPECT(fprintf(out, "%d,%s\n", i, "潮水") > 0);
    EXPECT(!ferror(out) && !fflush(out) && part.size == 58890 && !memcmp(part.bytes, "0,潮水\n1,潮水\n", 18));
    EXPECT(fprintf(out, "%700d", 7) == 700 && fputs("end", out) >= 0 && putc('\n', out) == '\n' && !fclose(out));
    EXPECT(part.size == 58890 + 704 && part.closed == 1 && !memcmp(part.bytes + part.size - 5, "7end\n", 5));

    FILE *in = stream_open(&part, (StreamFunctions){.read = give, .close = count_close});
    char *line = NULL, first[5] = "";
    size_t capacity = 0;
    int lines = 0;
    EXPECT(fread(first, 1, 4, in) == 4 && !strcmp(first, "0,\xe6\xbd"));
    while (getline(&line, &capacity, in) > 0) lines++;
    EXPECT(lines == 5001 && !ferror(in) && !fclose(in) && part.closed == 2);
    free(line);

    part.limit = part.size + 10;
    out = stream_open(&part, (StreamFunctions){.write = take});
    fputs("more than ten bytes", out);
    EXPECT(fflush(out) && ferror(out) && fclose(out));
    out = stream_open(&part, (StreamFunctions){.write = take, .close = count_close});
    fputs("x", out);
    const size_t before = part.size;
    stream_abandon(out);
    EXPECT(part.size == before && part.closed == 3);
}

/* ---- programs: this one prints its arguments ---- */

static void test_programs(char *own) {
    char *const command[] = {own, "argument", "two words", "a\"quote", "back\\", "\\\\\"", "", "*", "裤子", NULL};
    char text[200] = "";
    const int out = file_in_memory(false);
    EXPECT(program_run(command, -1, out, -1) == 7);
    EXPECT(file_read_some(out, text, sizeof text - 1, 0) > 0);
    EXPECT(!strcmp(text, "two words|a\"quote|back\\|\\\\\"||*|裤子|"));
    close(out);
    EXPECT(program_run((char *[]){"no such program", NULL}, -1, -1, -1) == -1 && errno == ENOENT);
    pid_t id;
    int status = -1, patience = 500;
    const int said = file_in_memory(false);
    EXPECT(!program_background(&id, command, said));
    while (!program_ended(id, &status) && patience--) usleep(10000);
    EXPECT(status == 7);
    close(said);
}

/* ---- numbers ---- */

/* fmaf rounds once. a b is about half of the last bit of c, where a sum in double that is rounded again is often wrong.
 */
static void test_fmaf(void) {
    uint64_t state = 1;
    int twice = 0;
    for (int i = 0; i < 1000000; i++) {
        float x[2];
        for (int k = 0; k < 2; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[k] = 1 + (float)(state >> 41) * 0x1p-23f;
        }
        const float a = i % 2 ? -x[0] : x[0], b = 0x1p-24f / x[0], c = x[1];
        const float exact = (float)((__float128)a * b + c);
        twice += (float)((double)a * b + c) != exact;
        EXPECT(fmaf(a, b, c) == exact);
    }
    EXPECT(twice > 1000); /* else these operands test nothing */
    EXPECT(fmaf(0x1.000002p-12f, 0x1.fffffcp-13f, 0x1.000002p0f) == 0x1.000002p0f);
    EXPECT(fmaf(0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f) == 0x1p-46f &&
           fmaf(0x1p-100f, 0x1p-49f, 0x1p-149f) == 0x1p-148f);
    EXPECT(fmaf(INFINITY, 1, 1) == INFINITY && isnan(fmaf(NAN, 1, 1)) && fmaf(0x1p127f, 2, 0) == INFINITY);
}

static void test_machine(void) {
    uint64_t random[2] = {0};
    EXPECT(processors_all() >= processors_own() && processors_own() >= 1);
    EXPECT(memory_available() > 1e6 && memory_used() > 1e5 && memory_peak() >= 1e5);
    EXPECT(!random_bytes(random, sizeof random) && random[0] != random[1] && system_l2_size() >= 0);
}

/* A host program with another locale gets it back, also for a callback. */
static void test_locale(void) {
    char number[8];
    EXPECT(setlocale(LC_ALL, "German"));
    void *host = locale_enter();
    snprintf(number, sizeof number, "%.1f", 1.5);
    EXPECT(!strcmp(number, "1.5"));
    void *own = locale_use(host);
    snprintf(number, sizeof number, "%.1f", 1.5);
    EXPECT(!strcmp(number, "1,5"));
    EXPECT(locale_use(own) == host);
    snprintf(number, sizeof number, "%.1f", 1.5);
    EXPECT(!strcmp(number, "1.5"));
    locale_use(host);
    EXPECT(strstr(setlocale(LC_ALL, NULL), "German") && setlocale(LC_ALL, "C"));
}

static void test_text(void) {
    char text[] = "a\t\tb", *rest = text, copy[8];
    EXPECT(!strcmp(strsep(&rest, "\t"), "a") && !strcmp(strsep(&rest, "\t"), "") && !strcmp(strsep(&rest, "\t"), "b") &&
           !rest);
    EXPECT(stpcpy(copy, "abc") == copy + 3 && memmem("aaab", 4, "ab", 2) && !memmem("aaa", 3, "ab", 2));
}

int main(int argc, char **argv) {
    char **words = program_begin(&argc, argv);
    if (argc > 1) {
        for (int i = 2; i < argc; i++) printf("%s|", words[i]);
        return 7;
    }
    char own[PATH_MAX];
    program_own_path(own, sizeof own);
    test_replaced_while_read();
    test_paths();
    test_locks();
    test_unnamed_files();
    test_streams();
    test_programs(own);
    test_fmaf();
    test_machine();
    test_locale();
    test_text();
    puts("ok");
    return 0;
}
