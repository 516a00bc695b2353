/* failing_allocations.c: a library for LD_PRELOAD that makes allocations fail, one after the other, in a single run.
   At each tested allocation the process forks twice. In the first child this allocation fails; in the second child this
   and all later allocations fail. A child is correct if it ends with status 1 and one line "out of memory", or with
   status 0 and the same output as the program. The parent waits for the child and continues with its memory.

   Tested are the first ALLOCATIONS_ALL allocations (default 0), and after them every allocation with a new call stack;
   ALLOCATIONS_SHARE=n tests every n-th of the new call stacks. ALLOCATIONS_TREE is a directory: children work in a copy
   of it, ALLOCATIONS_TREE.child. The copy of every ALLOCATIONS_KEEP-th child that reported the failure is kept as
   ALLOCATIONS_TREE.1, .2 ... The results are written to the file ALLOCATIONS_REPORT. The program must have one thread
   and must only change files in its working directory. With NO_THREADS, pthread_create fails.

   cc -D_GNU_SOURCE -shared -fPIC failing_allocations.c -o failing_allocations.so; ALLOCATIONS_REPORT=... LD_PRELOAD=...
   tide ... */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 4096, PLACES = 1 << 16, OUTPUTS = 1 << 16, DEPTH = 24, CHILD_LIMIT = 120 /* seconds */ };

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): glibc's names of the original functions */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static bool counting;         /* allocations are counted and tested */
static int refusing;          /* number of allocations that fail from now */
static long all, keep, share; /* ALLOCATIONS_ALL, _KEEP, _SHARE */
static long chosen;           /* ALLOCATIONS_AT; 0: every place is tested */
static const char *tree;      /* ALLOCATIONS_TREE or NULL */
static int report = -1;
static long seen, failed, survived, bad, places, kept;
static uint64_t place[PLACES]; /* hash table of call stacks; 0: free */
static uint64_t output[OUTPUTS];
static long outputs;

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* Returns a hash of the contents of an open file, which may be open only for writing; 0 if fd is no regular file.
   Writes the contents to the descriptor `copy` too, unless it is -1. */
static uint64_t hash_file(int fd, int copy) {
    uint64_t hash = 0xcbf29ce484222325u;
    char buffer[4096], link[64];
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const int file = open(link, O_RDONLY | O_CLOEXEC);
    for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) {
        hash = hash_bytes(hash, buffer, (size_t)n);
        if (copy >= 0 && write(copy, buffer, (size_t)n) != n) abort();
    }
    close(file);
    return hash;
}

/* Whether this call stack is new and is to be tested. */
static bool is_new_place(void) {
    void *stack[DEPTH];
    uint64_t hash = hash_bytes(0xcbf29ce484222325u, stack, (size_t)backtrace(stack, DEPTH) * sizeof *stack) | 1;
    size_t at = hash % PLACES;
    while (place[at] && place[at] != hash) at = (at + 1) % PLACES;
    if (place[at] || places == PLACES / 2) return false;
    place[at] = hash;
    return places++ % share == 0;
}

/* ---- the child ---- */

static void run(const char *const *command) {
    pid_t pid = fork();
    if (pid == 0) {
        execvp(command[0], (char *const *)command);
        _exit(127);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid || status) abort();
}

/* Replaces the path of a file in the tree by the path of its copy; leaves other paths unchanged. */
static void path_in_copy(char path[PATH]) {
    char rest[PATH];
    const size_t n = tree ? strlen(tree) : 0;
    if (!tree || strncmp(path, tree, n) != 0 || path[n] != '/') return;
    strcpy(rest, path + n);
    if (snprintf(path, PATH, "%s.child%s", tree, rest) >= PATH) abort();
}

/* Reopens the open files, so that the child does not move the file offsets of the parent. */
static void part_files(void) {
    for (int fd = 0; fd < 64; fd++) {
        struct stat info;
        char link[64], path[PATH];
        if (fstat(fd, &info) || !S_ISREG(info.st_mode) || fd == report) continue;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, path, sizeof path - 1);
        if (n < 0) abort();
        path[n] = '\0';
        path_in_copy(path);
        const off_t at = lseek(fd, 0, SEEK_CUR);
        /* without O_TMPFILE, which F_GETFL also returns */
        const int flags = fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND),
                  copy = open(access(path, F_OK) ? link : path, flags);
        if (copy < 0) abort();
        lseek(copy, at, SEEK_SET);
        dup2(copy, fd);
        close(copy);
    }
}

/* Redirects standard output and error to fds. Copies what the parent has printed so far to the new standard output. */
static void part_output(const int fds[2]) {
    hash_file(1, fds[0]);
    dup2(fds[0], 1);
    dup2(fds[1], 2);
}

static void copy_tree(void) {
    char copy[PATH];
    snprintf(copy, sizeof copy, "%s.child", tree);
    run((const char *const[]){"rm", "-rf", copy, NULL});
    run((const char *const[]){"cp", "-a", "-T", tree, copy, NULL});
    if (chdir(copy)) abort();
}

static void become_child(int refuse, const int fds[2]) {
    if (tree) copy_tree();
    part_files();
    part_output(fds);
    alarm(CHILD_LIMIT);
    refusing = refuse;
}

/* ---- the parent ---- */

static void keep_tree(void) {
    char from[PATH], to[PATH];
    if (!tree || !keep || failed % keep) return;
    snprintf(from, sizeof from, "%s.child", tree);
    snprintf(to, sizeof to, "%s.%ld", tree, ++kept);
    if (rename(from, to)) abort();
}

static void complain(const char *what, int refuse, size_t bytes, int status, const char *said) {
    void *stack[DEPTH];
    bad++;
    dprintf(report, "BAD: allocation %ld of %zu bytes, %s: %s (status %x): %s\n", seen, bytes,
            refuse > 1 ? "and all later ones" : "only this one", what, (unsigned)status, said);
    backtrace_symbols_fd(stack, backtrace(stack, DEPTH), report);
}

/* Decides whether the child was correct. Lines that do not begin with "tide: " are notes of a training. */
static void judge(int refuse, size_t bytes, int status, const int fds[2]) {
    static char said[1 << 16];
    ssize_t n = pread(fds[1], said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    int lines = 0, right = 0;
    for (const char *line = said; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        lines += !strncmp(line, "tide: ", 6);
        right += !strncmp(line, "tide: out of memory", 19);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && lines == 1 && right == 1) {
        failed++;
        keep_tree();
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && lines == 0) {
        survived++;
        if (outputs < OUTPUTS) output[outputs++] = hash_file(fds[0], -1);
    } else {
        complain("not the expected end", refuse, bytes, status, said);
    }
}

/* Forks and judges the child. Returns true in the child, false in the parent. */
static bool try_without(int refuse, size_t bytes) {
    const int fds[2] = {memfd_create("stdout", MFD_CLOEXEC), memfd_create("stderr", MFD_CLOEXEC)};
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        become_child(refuse, fds);
        return true;
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) abort();
    judge(refuse, bytes, status, fds);
    close(fds[0]);
    close(fds[1]);
    return false;
}

/* Without forks: makes the allocations fail from now, if this is the one of ALLOCATIONS_AT. */
static void refuse_here(void) {
    if (seen != chosen) return;
    counting = false;
    refusing = getenv("ALLOCATIONS_REST") ? INT32_MAX : 1;
    if (write(report, "refused\n", 8) != 8) abort();
}

/* Whether an allocation must fail. */
static bool refused(size_t bytes) {
    if (refusing) {
        refusing -= refusing < INT32_MAX;
        errno = ENOMEM;
        return true;
    }
    if (!counting) return false;
    seen++;
    if (chosen) {
        refuse_here();
        return refusing && refused(bytes);
    }
    counting = false;
    const int saved = errno;
    if (is_new_place() || seen <= all)
        if (try_without(1, bytes) || try_without(INT32_MAX, bytes)) return refused(bytes);
    errno = saved;
    counting = true;
    return false;
}

void *malloc(size_t n) { return refused(n) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return refused(n * size) ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t n) { return refused(n) ? NULL : __libc_realloc(old, n); }
void *aligned_alloc(size_t align, size_t n) { return refused(n) ? NULL : __libc_memalign(align, n); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    if (getenv("NO_THREADS")) return EAGAIN;
    return ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
        RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}

static long number_of(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("ALLOCATIONS_REPORT");
    void *stack[1];
    if (!path) return;
    report = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    all = number_of("ALLOCATIONS_ALL", 0);
    keep = number_of("ALLOCATIONS_KEEP", 0);
    share = number_of("ALLOCATIONS_SHARE", 1);
    chosen = number_of("ALLOCATIONS_AT", 0);
    tree = getenv("ALLOCATIONS_TREE");
    unsetenv("LD_PRELOAD"); /* cp and rm must not preload this library */
    backtrace(stack, 1);    /* the first call loads a library */
    counting = report >= 0;
}

__attribute__((destructor)) static void end(void) {
    if (!counting) return; /* a child, or no report was requested */
    counting = false;
    const uint64_t right = hash_file(1, -1);
    long different = 0;
    for (long i = 0; i < outputs; i++)
        if (output[i] != right) different++;
    if (different) dprintf(report, "BAD: %ld children with status 0 had another output\n", different);
    dprintf(report, "%ld allocations, %ld places; %ld failures reported, %ld survived, %ld bad\n", seen, places, failed,
            survived, bad + different);
}
