/* Windows 10 and later, x86-64. */
#include "io/system.h"
#include "core/base.h"
#include "io/utf8.h"

#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <windows.h>
#include <psapi.h>
#include <ntsecapi.h>
#include <shellapi.h>

/* In this file these names mean the functions of the C library. */
#undef open
#undef close
#undef fopen
#undef fflush
#undef fclose
#undef ferror
#undef setvbuf
#undef fwrite
#undef fputs
#undef fputc
#undef vfprintf
#undef fread
#undef isatty
#undef getc

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Sets errno by the last error. Returns -1. */
static int failed(void) {
    static const struct {
        DWORD error;
        int number;
    } numbers[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                   {ERROR_PATH_NOT_FOUND, ENOENT},
                   {ERROR_INVALID_NAME, ENOENT},
                   {ERROR_BAD_PATHNAME, ENOENT},
                   {ERROR_BAD_NETPATH, ENOENT},
                   {ERROR_BAD_NET_NAME, ENOENT},
                   {ERROR_FILE_EXISTS, EEXIST},
                   {ERROR_ALREADY_EXISTS, EEXIST},
                   {ERROR_ACCESS_DENIED, EACCES},
                   {ERROR_SHARING_VIOLATION, EACCES},
                   {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
                   {ERROR_IO_PENDING, EWOULDBLOCK},
                   {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                   {ERROR_OUTOFMEMORY, ENOMEM},
                   {ERROR_DISK_FULL, ENOSPC},
                   {ERROR_HANDLE_DISK_FULL, ENOSPC},
                   {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                   {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                   {ERROR_DIRECTORY, ENOTDIR},
                   {ERROR_BROKEN_PIPE, EPIPE},
                   {ERROR_NO_DATA, EPIPE},
                   {ERROR_NOT_SUPPORTED, ENOSYS},
                   {ERROR_INVALID_FUNCTION, ENOSYS},
                   {ERROR_WRITE_PROTECT, EROFS},
                   {ERROR_NOT_SAME_DEVICE, EXDEV},
                   {ERROR_INVALID_HANDLE, EBADF},
                   {ERROR_INVALID_PARAMETER, EINVAL},
                   {ERROR_BAD_EXE_FORMAT, ENOEXEC},
                   {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG}};
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].error == error) errno = numbers[i].number;
    return -1;
}

/* The same for a path: a file in the place of a folder above it is an error of its own. */
static int failed_at(const wchar_t *path) {
    wchar_t *above = GetLastError() == ERROR_PATH_NOT_FOUND ? _wcsdup(path) : NULL;
    DWORD attributes = INVALID_FILE_ATTRIBUTES;
    failed();
    for (size_t n = above ? wcslen(above) : 0; n-- > 0 && attributes == INVALID_FILE_ATTRIBUTES;)
        if (above[n] == L'/' || above[n] == L'\\') {
            above[n] = L'\0';
            attributes = GetFileAttributesW(above);
            if (attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY)) errno = ENOTDIR;
        }
    free(above);
    return -1;
}

/* A program that looks at every new file, such as a virus scanner, may have it open for a moment. Returns whether to
   try again. */
static bool be_patient(int *tries) {
    enum { TRIES = 20, WAIT = 50 /* milliseconds */ };
    const DWORD error = GetLastError();
    if ((error != ERROR_SHARING_VIOLATION && error != ERROR_ACCESS_DENIED) || ++*tries > TRIES) return false;
    Sleep(WAIT);
    SetLastError(error);
    return true;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

enum { LONGEST_NAME = 240, MOST_WIDE = 32768 };

/* UTF-8 as UTF-16; NULL with errno set. Release with free. */
static wchar_t *widen(const char *text) {
    const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = n ? malloc((size_t)n * sizeof *wide) : NULL;
    if (!wide) return errno = n ? ENOMEM : EILSEQ, NULL;
    MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, n);
    return wide;
}

/* UTF-16 as UTF-8, with / between folders if it is a path. Returns whether it fits. */
static bool narrow(const wchar_t *wide, char *text, size_t size, bool path) {
    if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)size, NULL, NULL)) return false;
    for (char *c = text; path && *c; c++)
        if (*c == '\\') *c = '/';
    return true;
}

/* A path for functions of Windows. A full path longer than LONGEST_NAME gets \\?\ in front: without it, Windows permits
   260 characters. */
static wchar_t *wide_path(const char *path) {
    wchar_t *wide = widen(path), *whole;
    if (!wide || !wcsncmp(wide, L"\\\\?\\", 4)) return wide;
    const DWORD size = GetFullPathNameW(wide, 0, NULL, NULL); /* with the NUL */
    if (size <= LONGEST_NAME || !(whole = malloc((size + 8) * sizeof *whole))) return wide;
    const DWORD n = GetFullPathNameW(wide, size, whole + 8, NULL);
    if (!n || n >= size) {
        free(whole);
        return wide;
    }
    free(wide);
    const bool share = whole[8] == L'\\'; /* \\machine\share */
    memmove(whole + (share ? 8 : 4), whole + (share ? 10 : 8), (n + 1 - (share ? 2 : 0)) * sizeof *whole);
    memcpy(whole, share ? L"\\\\?\\UNC\\" : L"\\\\?\\", (share ? 8 : 4) * sizeof *whole);
    return whole;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

enum { SHARES = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* Opens a path, also that of a directory. INVALID_HANDLE_VALUE with errno set. */
static HANDLE open_handle(const char *path, DWORD access, DWORD creation, DWORD flags, bool inherited) {
    SECURITY_ATTRIBUTES security = {sizeof security, NULL, inherited};
    wchar_t *wide = wide_path(path);
    if (!wide) return INVALID_HANDLE_VALUE;
    HANDLE handle;
    int tries = 0;
    do handle = CreateFileW(wide, access, SHARES, &security, creation, flags, NULL);
    while (handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION && be_patient(&tries));
    if (handle == INVALID_HANDLE_VALUE) {
        const DWORD attributes = GetLastError() == ERROR_ACCESS_DENIED ? GetFileAttributesW(wide) : 0;
        if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY) errno = EISDIR;
        else failed_at(wide);
    }
    free(wide);
    return handle;
}

static HANDLE handle_of(int fd) { return fd < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(fd); }

/* The descriptor of a handle, which it owns; -1: there is none. */
static int descriptor(HANDLE handle, int flags) {
    const int fd = handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, flags | O_BINARY);
    if (fd < 0 && handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    return fd;
}

int windows_open(const char *path, int flags, ...) {
    const int way = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    const DWORD access = way == O_RDWR ? GENERIC_READ | GENERIC_WRITE : way == O_WRONLY ? GENERIC_WRITE : GENERIC_READ;
    const DWORD creation = (flags & O_EXCL)     ? CREATE_NEW
                           : !(flags & O_CREAT) ? ((flags & O_TRUNC) ? TRUNCATE_EXISTING : OPEN_EXISTING)
                           : (flags & O_TRUNC)  ? CREATE_ALWAYS
                                                : OPEN_ALWAYS;
    HANDLE handle = open_handle(path, access, creation, FILE_ATTRIBUTE_NORMAL, !(flags & O_CLOEXEC));
    return descriptor(handle, flags & (O_APPEND | O_CLOEXEC));
}

FILE *windows_fopen(const char *path, const char *mode) {
    const int both = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    const int made = *mode == 'r' ? 0 : *mode == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    const int fd = windows_open(path, both | made | O_CLOEXEC);
    const char form[] = {*mode, 'b', both == O_RDWR ? '+' : '\0', '\0'};
    FILE *stream = fd < 0 ? NULL : _fdopen(fd, form);
    if (!stream && fd >= 0) close(fd);
    return stream;
}

/* What Windows knows about an open file. */
static bool handle_info(HANDLE handle, BY_HANDLE_FILE_INFORMATION *info) {
    return GetFileInformationByHandle(handle, info) || (failed(), false);
}

/* The same of a path; /dev/stdin and /dev/stdout are names of tide for what these are. */
static bool path_info(const char *path, BY_HANDLE_FILE_INFORMATION *info) {
    for (int fd = 0; fd < 2; fd++)
        if (!strcmp(path, fd ? "/dev/stdout" : "/dev/stdin")) return handle_info(handle_of(fd), info);
    HANDLE handle = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, false);
    if (handle == INVALID_HANDLE_VALUE) return false;
    const bool found = handle_info(handle, info);
    CloseHandle(handle);
    return found;
}

static long long both_halves(DWORD high, DWORD low) { return (long long)((unsigned long long)high << 32 | low); }

static void fill_stat(struct stat *info, const BY_HANDLE_FILE_INFORMATION *found) {
    enum { TICKS = 10000000 /* in a second */ };
    static const long long since_1601 = 11644473600; /* seconds */
    const long long ticks = both_halves(found->ftLastWriteTime.dwHighDateTime, found->ftLastWriteTime.dwLowDateTime);
    *info = (struct stat){
        .st_mode = (found->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) ? S_IFDIR | 0777 : S_IFREG | 0666,
        .st_nlink = found->nNumberOfLinks,
        .st_dev = found->dwVolumeSerialNumber,
        .st_ino = (unsigned long long)both_halves(found->nFileIndexHigh, found->nFileIndexLow),
        .st_size = both_halves(found->nFileSizeHigh, found->nFileSizeLow),
        .st_mtim = {ticks / TICKS - since_1601, (long)(ticks % TICKS) * 100},
    };
}

int windows_stat(const char *path, struct stat *info) {
    BY_HANDLE_FILE_INFORMATION found;
    if (!path_info(path, &found)) return -1;
    fill_stat(info, &found);
    return 0;
}

int windows_fstat(int fd, struct stat *info) {
    BY_HANDLE_FILE_INFORMATION found;
    if (GetFileType(handle_of(fd)) != FILE_TYPE_DISK) *info = (struct stat){.st_mode = S_IFCHR};
    else if (handle_info(handle_of(fd), &found)) fill_stat(info, &found);
    else return -1;
    return 0;
}

int windows_access(const char *path, int mode) {
    wchar_t *wide = wide_path(path);
    if (!wide) return -1;
    const DWORD attributes = GetFileAttributesW(wide);
    free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES) return failed();
    if (mode & W_OK && attributes & FILE_ATTRIBUTE_READONLY && !(attributes & FILE_ATTRIBUTE_DIRECTORY))
        return errno = EACCES, -1;
    return 0;
}

/* Calls a function for a path, with patience. */
static int with_path(const char *path, BOOL(WINAPI *change)(const wchar_t *path)) {
    wchar_t *wide = wide_path(path);
    if (!wide) return -1;
    int tries = 0;
    BOOL done;
    do done = change(wide);
    while (!done && be_patient(&tries));
    if (!done) failed_at(wide);
    free(wide);
    return done ? 0 : -1;
}

int windows_unlink(const char *path) { return with_path(path, DeleteFileW); }
int windows_rmdir(const char *path) { return with_path(path, RemoveDirectoryW); }

/* A user's own folders let nobody else in, and what is made there has their permissions. A root has an error of its
 * own. */
static BOOL WINAPI create_directory(const wchar_t *path) {
    if (CreateDirectoryW(path, NULL)) return TRUE;
    const DWORD error = GetLastError(), attributes = GetFileAttributesW(path);
    const bool exists = attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY;
    return SetLastError(exists ? ERROR_ALREADY_EXISTS : error), FALSE;
}

int directory_create(const char *path, bool own) { return (void)own, with_path(path, create_directory); }

int directory_open(const char *path) {
    HANDLE handle = open_handle(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, false);
    return descriptor(handle, O_CLOEXEC);
}

/* NTFS keeps a journal of names. */
int directory_sync(const char *path) { return (void)path, 0; }
int file_sync_name(const char *path) { return (void)path, 0; }
int file_sync(int fd) { return FlushFileBuffers(handle_of(fd)) ? 0 : failed(); }

/* Renames a file. `to` may be open, also in another process: it then stays what that has, without a name. Since Windows
   10 one call does this. Elsewhere `to` gets another name first, so that for a moment there is none. */
static BOOL replace(const wchar_t *from, const wchar_t *to) {
    static const FILE_INFO_BY_HANDLE_CLASS rename_info = 22; /* FileRenameInfoEx, which mingw's header hides */
    struct {
        DWORD flags;
        HANDLE root;
        DWORD bytes;
        wchar_t name[PATH_MAX];
    } info = {.flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS,
              .bytes = (DWORD)(wcslen(to) * sizeof *to)};
    wchar_t aside[PATH_MAX + 16];
    HANDLE file = CreateFileW(from, DELETE | SYNCHRONIZE, SHARES, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_WRITE_THROUGH, NULL);
    if (file == INVALID_HANDLE_VALUE) return FALSE;
    if (info.bytes >= sizeof info.name) return CloseHandle(file), SetLastError(ERROR_FILENAME_EXCED_RANGE), FALSE;
    wcscpy(info.name, to);
    BOOL done = SetFileInformationByHandle(file, rename_info, &info, sizeof info);
    CloseHandle(file);
    if (done || MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return TRUE;
    const DWORD error = GetLastError();
    if (error != ERROR_ACCESS_DENIED || GetFileAttributesW(to) & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY))
        return SetLastError(error), FALSE;
    swprintf(aside, sizeof aside / sizeof *aside, L"%ls.%lu.old", to, GetCurrentProcessId());
    if (!MoveFileExW(to, aside, 0)) return FALSE;
    done = MoveFileExW(from, to, MOVEFILE_WRITE_THROUGH);
    if (done) DeleteFileW(aside);
    else MoveFileExW(aside, to, 0);
    return done;
}

int file_rename(const char *from, const char *to) {
    wchar_t *old = wide_path(from), *new = wide_path(to);
    int tries = 0;
    BOOL done = FALSE;
    if (old && new) do
            done = replace(old, new);
        while (!done && be_patient(&tries));
    if (old && new && !done) failed_at(new);
    free(old);
    free(new);
    return done ? 0 : -1;
}

int file_replace(const char *from, const char *to) { return file_rename(from, to); }

int file_link(const char *from, const char *to) {
    wchar_t *old = wide_path(from), *new = wide_path(to);
    const BOOL done = old && new &&CreateHardLinkW(new, old, NULL);
    if (old && new && !done) failed();
    free(old);
    free(new);
    return done ? 0 : -1;
}

/* The lock of a file is a byte far behind its end, because other processes cannot read locked bytes. The lock of a
   directory is a named event; its name contains the number of the directory. Other machines do not see it. */
enum { MOST_FILES = 2048 };
static HANDLE locks[MOST_FILES];
static char *names[MOST_FILES]; /* of files that other programs open */

static int lock_directory(int fd, const BY_HANDLE_FILE_INFORMATION *info) {
    wchar_t name[64];
    swprintf(name, sizeof name / sizeof *name, L"Global\\tide-%08lx-%08lx%08lx", info->dwVolumeSerialNumber,
             info->nFileIndexHigh, info->nFileIndexLow);
    if (fd >= MOST_FILES) return errno = EMFILE, -1;
    const HANDLE lock = CreateEventW(NULL, TRUE, FALSE, name);
    const DWORD error = GetLastError();
    if (lock && error == ERROR_ALREADY_EXISTS) CloseHandle(lock);
    if (error == ERROR_ALREADY_EXISTS || (!lock && error == ERROR_ACCESS_DENIED)) return errno = EWOULDBLOCK, -1;
    if (!lock) return failed();
    locks[fd] = lock;
    return 0;
}

static int lock(int fd, DWORD flags) {
    BY_HANDLE_FILE_INFORMATION info;
    OVERLAPPED at = {.Offset = 0xFFFFFFFE, .OffsetHigh = 0x7FFFFFFF};
    if (!handle_info(handle_of(fd), &info)) return -1;
    if (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) return lock_directory(fd, &info);
    return LockFileEx(handle_of(fd), LOCKFILE_EXCLUSIVE_LOCK | flags, 0, 1, 0, &at) ? 0 : failed();
}

int file_lock_now(int fd) { return lock(fd, LOCKFILE_FAIL_IMMEDIATELY); }
void file_lock_wait(int fd) { lock(fd, 0); }

int windows_close(int fd) {
    if (fd >= 0 && fd < MOST_FILES && locks[fd]) {
        CloseHandle(locks[fd]);
        locks[fd] = NULL;
    }
    const int status = close(fd);
    if (fd >= 0 && fd < MOST_FILES && names[fd]) {
        windows_unlink(names[fd]);
        free(names[fd]);
        names[fd] = NULL;
    }
    return status;
}

bool file_is_removed(int fd) {
    FILE_STANDARD_INFO info;
    return !GetFileInformationByHandleEx(handle_of(fd), FileStandardInfo, &info, sizeof info) || info.DeletePending ||
           info.NumberOfLinks == 0;
}

void file_copy_mode(int fd, const char *path) { (void)fd, (void)path; } /* a file has the permissions of its folder */

bool file_is_same(const char *path, const char *other) {
    struct stat a, b;
    if (!strncmp(path, "/dev/std", 8) && !strcmp(path, other)) return true; /* also if it is no file */
    return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

long long file_changed(const struct stat *file) { return file->st_mtim.tv_sec * 1000000000LL + file->st_mtim.tv_nsec; }

bool file_is_special(const char *path) {
    HANDLE handle = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, false);
    if (handle == INVALID_HANDLE_VALUE) return false;
    BY_HANDLE_FILE_INFORMATION info;
    const bool regular = GetFileType(handle) == FILE_TYPE_DISK && handle_info(handle, &info) &&
                         !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
    CloseHandle(handle);
    return !regular;
}

char *path_of_link(const char *link, char real[PATH_MAX]) { return (void)link, (void)real, NULL; } /* links are rare */

char *windows_realpath(const char *path, char real[PATH_MAX]) {
    wchar_t *wide = widen(path), *whole = malloc(MOST_WIDE * sizeof *whole);
    const DWORD n = wide && whole && !windows_access(path, F_OK) ? GetFullPathNameW(wide, MOST_WIDE, whole, NULL) : 0;
    const bool found = n && n < MOST_WIDE && narrow(whole, real, PATH_MAX, true);
    size_t length = found ? strlen(real) : 0;
    while (length > 3 && real[length - 1] == '/') real[--length] = '\0'; /* but not that of a root */
    free(wide);
    free(whole);
    return found ? real : NULL;
}

int file_duplicate(int fd) { return dup(fd); }

ssize_t file_read_some(int fd, void *bytes, size_t n, off_t at) {
    OVERLAPPED from = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)((unsigned long long)at >> 32)};
    DWORD got = 0;
    const DWORD most = n > 1 << 30 ? 1 << 30 : (DWORD)n;
    LARGE_INTEGER before;
    HANDLE handle = handle_of(fd);
    if (GetFileType(handle) != FILE_TYPE_DISK) return errno = ESPIPE, -1;
    if (!SetFilePointerEx(handle, (LARGE_INTEGER){0}, &before, FILE_CURRENT)) return failed();
    const BOOL done = ReadFile(handle, bytes, most, &got, &from);
    const bool end = !done && GetLastError() == ERROR_HANDLE_EOF;
    if (!done && !end) failed();
    SetFilePointerEx(handle, before, NULL, FILE_BEGIN); /* with an offset, Windows moves the position, too */
    return done || end ? (ssize_t)got : -1;
}

/* Creates a file with a name that no other has. */
static HANDLE create_temporary(const char *dir, DWORD access, DWORD flags, char path[PATH_MAX]) {
    static atomic_int count;
    HANDLE handle;
    do {
        if (snprintf(path, PATH_MAX, "%s/tide-%lu-%d.tmp", dir, GetCurrentProcessId(), count++) >= PATH_MAX)
            return errno = ENAMETOOLONG, INVALID_HANDLE_VALUE;
        handle = open_handle(path, GENERIC_READ | GENERIC_WRITE | access, CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | flags,
                             false);
    } while (handle == INVALID_HANDLE_VALUE && errno == EEXIST);
    return handle;
}

int file_unnamed(const char *dir) {
    char path[PATH_MAX];
    return descriptor(create_temporary(dir, DELETE, FILE_FLAG_DELETE_ON_CLOSE, path), O_CLOEXEC);
}

const char *temporary_directory(void) {
    static char dir[PATH_MAX];
    wchar_t wide[MAX_PATH + 1];
    return GetTempPathW(MAX_PATH + 1, wide) && narrow(wide, dir, sizeof dir, true) ? dir : ".";
}

/* Windows has no files in memory; one that is temporary is hardly ever written to the disk. Programs could not open one
   that is deleted when it is closed, so windows_close removes it by its name. */
int file_in_memory(bool inherited) {
    char path[PATH_MAX];
    if (!inherited) return file_unnamed(temporary_directory());
    const int fd = descriptor(create_temporary(temporary_directory(), 0, 0, path), O_CLOEXEC);
    if (fd >= 0 && fd < MOST_FILES) names[fd] = _strdup(path);
    return fd;
}

void file_own_path(int fd, char path[FD_PATH]) {
    wchar_t wide[FD_PATH];
    _lseeki64(fd, 0, SEEK_SET);
    const DWORD n = GetFinalPathNameByHandleW(handle_of(fd), wide, FD_PATH, FILE_NAME_OPENED);
    if (fd >= 0 && fd < MOST_FILES && names[fd]) snprintf(path, FD_PATH, "%s", names[fd]);
    else if (!n || n >= FD_PATH || !narrow(wide, path, FD_PATH, false)) *path = '\0';
}

void file_shared_path(int fd, char path[FD_PATH]) { (void)fd, *path = '\0'; }

/* ---- directories ------------------------------------------------------------------------------------------------- */

typedef struct Folder {
    HANDLE search;
    bool more;
    WIN32_FIND_DATAW found; /* the next one */
    struct dirent entry;    /* the last one */
} Folder;

DIR *windows_opendir(const char *path) {
    char pattern[PATH_MAX];
    if (snprintf(pattern, sizeof pattern, "%s/*", path) >= (int)sizeof pattern) return errno = ENAMETOOLONG, NULL;
    Folder *folder = malloc(sizeof *folder);
    wchar_t *wide = folder ? wide_path(pattern) : NULL;
    if (wide) folder->search = FindFirstFileW(wide, &folder->found);
    if (!wide || folder->search == INVALID_HANDLE_VALUE) {
        if (wide) failed_at(wide);
        free(folder);
        folder = NULL;
    } else {
        folder->more = true;
    }
    free(wide);
    return (DIR *)folder;
}

struct dirent *windows_readdir(DIR *dir) {
    Folder *folder = (Folder *)dir;
    if (!folder->more) return NULL;
    struct dirent *entry = &folder->entry;
    if (!narrow(folder->found.cFileName, entry->d_name, sizeof entry->d_name, false)) *entry->d_name = '\0';
    folder->more = FindNextFileW(folder->search, &folder->found);
    return entry;
}

int windows_closedir(DIR *dir) {
    FindClose(((Folder *)dir)->search);
    free(dir);
    return 0;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* The C library has no streams over functions. A Stream is passed as a FILE *; its first bytes tell it from a FILE of
   the library. */
typedef struct Stream {
    uint64_t ours;
    void *context;
    StreamFunctions f;
    char bytes[1 << 14]; /* not yet written, or not yet read from `at` on */
    size_t at, size;
    bool at_once, failed;
} Stream;

static const uint64_t ours = 0x6d61657274736564; /* no address: a stream of the library begins with one */

static Stream *own_stream(FILE *stream) {
    Stream *own = (void *)stream;
    return own->ours == ours ? own : NULL;
}

FILE *stream_open(void *context, StreamFunctions f) {
    Stream *own = malloc(sizeof *own);
    if (!own) return NULL;
    own->ours = ours, own->context = context, own->f = f;
    own->at = own->size = 0;
    own->at_once = own->failed = false;
    return (void *)own;
}

static int stream_flush(Stream *own) {
    for (size_t done = 0; own->f.write && done < own->size && !own->failed;) {
        const ssize_t n = own->f.write(own->context, own->bytes + done, own->size - done);
        own->failed = n <= 0;
        done += own->failed ? 0 : (size_t)n;
    }
    if (own->f.write) own->size = 0;
    return own->failed ? EOF : 0;
}

static int stream_close(Stream *own) {
    const int flushed = stream_flush(own), closed = own->f.close ? own->f.close(own->context) : 0;
    own->ours = 0;
    free(own);
    return flushed || closed ? EOF : 0;
}

void stream_abandon(FILE *stream) {
    own_stream(stream)->size = 0;
    stream_close(own_stream(stream));
}

bool stream_has_line(const FILE *stream) {
    const Stream *own = own_stream((FILE *)stream);
    if (own) return own->at < own->size && memchr(own->bytes + own->at, '\n', own->size - own->at);
    return stream->_cnt > 0 && memchr(stream->_ptr, '\n', (size_t)stream->_cnt);
}

/* Ends the process, as a signal does on other systems, if a write has failed because nobody reads the standard output.
 */
static void end_if_unread(FILE *stream) {
    enum { STATUS = 141 }; /* 128 and the number of the signal */
    DWORD n;
    if (stream == stdout && ferror(stream) && GetFileType(handle_of(1)) == FILE_TYPE_PIPE &&
        !WriteFile(handle_of(1), "\n", 1, &n, NULL))
        _exit(STATUS);
}

int windows_fflush(FILE *stream) {
    Stream *own = stream ? own_stream(stream) : NULL;
    if (own) return stream_flush(own);
    const int status = fflush(stream);
    end_if_unread(stream);
    return status;
}

int windows_fclose(FILE *stream) {
    Stream *own = own_stream(stream);
    return own ? stream_close(own) : fclose(stream);
}

int windows_ferror(FILE *stream) {
    const Stream *own = own_stream(stream);
    return own ? own->failed : ferror(stream);
}

int windows_setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
    Stream *own = own_stream(stream);
    if (!own)
        return setvbuf(stream, buffer, mode == _IOLBF ? _IONBF : mode, size); /* the library has no buffer of a line */
    own->at_once = mode != _IOFBF;
    return 0;
}

static size_t stream_put(Stream *own, const char *bytes, size_t n) {
    for (size_t done = 0, some; done < n; done += some) {
        if (own->size == sizeof own->bytes && stream_flush(own)) return done;
        some = n - done < sizeof own->bytes - own->size ? n - done : sizeof own->bytes - own->size;
        memcpy(own->bytes + own->size, bytes + done, some);
        own->size += some;
    }
    return own->at_once && stream_flush(own) ? 0 : n;
}

size_t windows_fwrite(const void *items, size_t size, size_t n, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) return fwrite(items, size, n, stream);
    return size && n ? stream_put(own, items, size * n) / size : 0;
}

int windows_fputs(const char *text, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) return fputs(text, stream);
    const size_t n = strlen(text);
    return stream_put(own, text, n) == n ? 0 : EOF;
}

int windows_fputc(int c, FILE *stream) {
    Stream *own = own_stream(stream);
    return !own ? fputc(c, stream) : stream_put(own, &(char){(char)c}, 1) == 1 ? (unsigned char)c : EOF;
}

/* Formats in memory: the library would write character by character to a stream without a buffer. */
int windows_vfprintf(FILE *stream, const char *format, va_list args) {
    char short_text[512], *text = short_text;
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(short_text, sizeof short_text, format, args);
    if (n >= (int)sizeof short_text) {
        text = malloc((size_t)n + 1);
        if (text) vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    const bool done = text && n >= 0 && windows_fwrite(text, 1, (size_t)n, stream) == (size_t)n;
    if (!done && own_stream(stream)) own_stream(stream)->failed = true;
    if (text != short_text) free(text);
    return done ? n : -1;
}

int windows_fprintf(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = windows_vfprintf(stream, format, args);
    va_end(args);
    return n;
}

static void begin_input(const FILE *stream);

/* Reads what comes next. Returns whether there is anything. */
static bool stream_fill(Stream *own) {
    if (own->at < own->size) return true;
    const ssize_t n = own->failed ? 0 : own->f.read(own->context, own->bytes, sizeof own->bytes);
    own->failed |= n < 0;
    own->at = 0;
    own->size = n > 0 ? (size_t)n : 0;
    return n > 0;
}

size_t windows_fread(void *items, size_t size, size_t n, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) begin_input(stream);
    if (!own) return fread(items, size, n, stream);
    size_t done = 0;
    while (done < size * n && stream_fill(own)) {
        const size_t rest = size * n - done, some = rest < own->size - own->at ? rest : own->size - own->at;
        memcpy((char *)items + done, own->bytes + own->at, some);
        own->at += some;
        done += some;
    }
    return size ? done / size : 0;
}

static int next_byte(Stream *own, FILE *stream) {
    if (!own) return getc(stream);
    return stream_fill(own) ? (unsigned char)own->bytes[own->at++] : EOF;
}

ssize_t windows_getline(char **line, size_t *capacity, FILE *stream) {
    Stream *own = own_stream(stream);
    if (!own) begin_input(stream);
    size_t n = 0;
    int c = 0;
    while (c != '\n' && (c = next_byte(own, stream)) != EOF) {
        if (n + 2 > *capacity || !*line) {
            const size_t larger = n + 2 > 128 ? (n + 2) * 2 : 128;
            char *more = realloc(*line, larger);
            if (!more) return errno = ENOMEM, -1;
            *line = more;
            *capacity = larger;
        }
        (*line)[n++] = (char)c;
    }
    if (!n) return -1;
    (*line)[n] = '\0';
    return (ssize_t)n;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static char own_path[PATH_MAX];
static UINT console_page; /* the encoding that the console had */

static void restore_console(void) { SetConsoleOutputCP(console_page); }

static BOOL WINAPI restore_at_end(DWORD event) {
    (void)event;
    restore_console();
    return FALSE; /* then the next handler; the last one ends the process */
}

/* The console shows UTF-8, and obeys the escapes of the progress bar. */
static void open_console(void) {
    DWORD mode;
    console_page = GetConsoleOutputCP();
    if (console_page && console_page != CP_UTF8 && SetConsoleOutputCP(CP_UTF8)) {
        atexit(restore_console);
        SetConsoleCtrlHandler(restore_at_end, TRUE);
    }
    for (int fd = 1; fd <= 2; fd++)
        if (GetConsoleMode(handle_of(fd), &mode))
            SetConsoleMode(handle_of(fd), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

static bool console_is_read;

/* Writes what is typed to a pipe, as UTF-8. Ctrl-D or Ctrl-Z at the start of a line ends it. */
static void *read_console(void *pipe) {
    enum { CTRL_D = 4, CTRL_Z = 26, COUNT = 2048 };
    CONSOLE_READCONSOLE_CONTROL wake = {.nLength = sizeof wake, .dwCtrlWakeupMask = 1 << CTRL_D | 1 << CTRL_Z};
    HANDLE console = CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE, SHARES, NULL, OPEN_EXISTING, 0, NULL);
    wchar_t wide[COUNT];
    char bytes[3 * COUNT];
    for (DWORD n, written;
         ReadConsoleW(console, wide, COUNT, &n, &wake) && n && wide[0] != CTRL_D && wide[0] != CTRL_Z;) {
        const int size = WideCharToMultiByte(CP_UTF8, 0, wide, (int)n, bytes, sizeof bytes, NULL, NULL);
        char *end = bytes;
        for (int i = 0; i < size; i++)
            if (bytes[i] != '\r' && bytes[i] != CTRL_D && bytes[i] != CTRL_Z) *end++ = bytes[i];
        if (!WriteFile(pipe, bytes, (DWORD)(end - bytes), &written, NULL)) break;
    }
    CloseHandle(console);
    CloseHandle(pipe);
    return NULL;
}

/* Puts a pipe in the place of a console as standard input, before the first read: the library would read bytes. */
static void begin_input(const FILE *stream) {
    DWORD mode;
    HANDLE ends[2];
    pthread_t thread;
    if (stream != stdin || console_is_read || !GetConsoleMode(handle_of(0), &mode) ||
        !CreatePipe(&ends[0], &ends[1], NULL, 0))
        return;
    const int fd = descriptor(ends[0], O_CLOEXEC);
    console_is_read = fd >= 0 && !_dup2(fd, 0) && !pthread_create(&thread, NULL, read_console, ends[1]);
    if (!console_is_read) CloseHandle(ends[1]);
    if (fd >= 0) close(fd);
}

int windows_getc(FILE *stream) {
    begin_input(stream);
    return getc(stream);
}

int windows_isatty(int fd) {
    DWORD mode;
    return fd == 0 && console_is_read ? 1 : GetConsoleMode(handle_of(fd), &mode) != 0;
}

/* The arguments in UTF-8, for the whole time of the program. */
static char **read_arguments(int *argc) {
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), argc);
    char **words = wide ? calloc((size_t)*argc + 1, sizeof *words) : NULL;
    for (int i = 0; words && i < *argc; i++) {
        const int size = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        words[i] = malloc((size_t)size);
        if (!words[i]) return NULL;
        WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, words[i], size, NULL, NULL);
    }
    LocalFree(wide);
    return words;
}

char **program_begin(int *argc, char **argv) {
    wchar_t *wide = malloc(MOST_WIDE * sizeof *wide);
    const DWORD n = wide ? GetModuleFileNameW(NULL, wide, MOST_WIDE) : 0;
    if (!n || !narrow(wide, own_path, sizeof own_path, true)) *own_path = '\0';
    free(wide);
    setlocale(LC_CTYPE, "C");             /* in no other locale is UTF-8 safe from the library */
    SetErrorMode(SEM_FAILCRITICALERRORS); /* no window if a program lacks a library */
    _fmode = O_BINARY;
    for (int fd = 0; fd < 3; fd++) _setmode(fd, O_BINARY);
    setvbuf(stderr, NULL, _IONBF, 0);
    open_console();
    char **words = read_arguments(argc);
    return words ? words : argv;
}

void program_own_path(char *path, size_t size) { snprintf(path, size, "%s", own_path); }

void program_path(char *path, size_t size, const char *name) {
    const char *slash = strrchr(own_path, '/');
    snprintf(path, size, "%.*s/%s", slash ? (int)(slash - own_path) : 1, slash ? own_path : ".", name);
}

/* Not in the current folder, which may have come from elsewhere. */
bool program_find(const char *name, char path[PATH_MAX]) {
    wchar_t *list = malloc(2 * MOST_WIDE * sizeof *list), *found = list ? list + MOST_WIDE : NULL, *wide = widen(name);
    DWORD n = 0;
    if (list && wide) {
        if (!GetEnvironmentVariableW(L"PATH", list, MOST_WIDE)) *list = L'\0';
        n = SearchPathW(strpbrk(name, "/\\") ? NULL : list, wide, L".exe", MOST_WIDE, found, NULL);
    }
    const bool fits = n && n < MOST_WIDE && narrow(found, path, PATH_MAX, true);
    free(list);
    free(wide);
    return fits;
}

const char *program_advice(const char *package, char advice[ADVICE_SIZE]) {
    (void)package;
    snprintf(advice, ADVICE_SIZE, "its folder must be in the PATH");
    return advice;
}

/* Adds an argument to a command line, in quotes as CommandLineToArgvW reads them. Returns whether there was space. */
static bool add_argument(wchar_t *line, size_t *n, const char *word) {
    wchar_t *wide = widen(word);
    const bool fits = wide && *n + 2 * wcslen(wide) + 4 < MOST_WIDE;
    size_t backslashes = 0;
    if (fits) line[(*n)++] = L'"';
    for (const wchar_t *c = wide; fits && *c; c++) {
        if (*c == L'"') /* those before it, and it, need one each */
            for (size_t i = 0; i <= backslashes; i++) line[(*n)++] = L'\\';
        backslashes = *c == L'\\' ? backslashes + 1 : 0;
        line[(*n)++] = *c;
    }
    for (size_t i = 0; fits && i < backslashes; i++) line[(*n)++] = L'\\';
    if (fits) line[(*n)++] = L'"', line[(*n)++] = L' ';
    line[*n] = L'\0';
    free(wide);
    return fits;
}

/* A copy of the handle of an open file, or of NUL, that the program inherits. */
static HANDLE lend(int fd, DWORD access) {
    HANDLE own = GetCurrentProcess(), handle = INVALID_HANDLE_VALUE;
    if (fd < 0) return open_handle("NUL", access, OPEN_EXISTING, 0, true);
    if (!DuplicateHandle(own, handle_of(fd), own, &handle, 0, TRUE, DUPLICATE_SAME_ACCESS)) return INVALID_HANDLE_VALUE;
    return handle;
}

/* Starts a program with these standard files. NULL with errno set. */
static HANDLE start(char *const *command, const int files[3], DWORD flags) {
    char path[PATH_MAX];
    if (!program_find(command[0], path)) return errno = ENOENT, NULL;
    wchar_t *line = malloc(MOST_WIDE * sizeof *line), *wide = widen(path);
    size_t n = 0;
    bool fits = line && wide;
    for (char *const *word = command; fits && *word; word++) fits = add_argument(line, &n, *word);
    STARTUPINFOW begin = {.cb = sizeof begin,
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdInput = lend(files[0], GENERIC_READ),
                          .hStdOutput = lend(files[1], GENERIC_WRITE),
                          .hStdError = lend(files[2], GENERIC_WRITE)};
    PROCESS_INFORMATION process = {0};
    if (!fits) errno = E2BIG;
    else if (!CreateProcessW(wide, line, NULL, NULL, TRUE, flags, NULL, NULL, &begin, &process)) failed();
    CloseHandle(begin.hStdInput), CloseHandle(begin.hStdOutput), CloseHandle(begin.hStdError);
    if (process.hThread) CloseHandle(process.hThread);
    free(line);
    free(wide);
    return process.hProcess;
}

/* Waits for a program for some milliseconds. Returns whether it has ended. */
static bool wait_for(HANDLE process, DWORD milliseconds, int *status) {
    DWORD code;
    if (WaitForSingleObject(process, milliseconds) != WAIT_OBJECT_0) return false;
    *status = !GetExitCodeProcess(process, &code) ? -1 : code > INT_MAX ? 128 : (int)code; /* large: an exception */
    CloseHandle(process);
    return true;
}

int program_run(char *const *command, int in, int out, int errors) {
    int status = -1;
    HANDLE process = start(command, (int[]){in, out, errors}, 0);
    if (process) wait_for(process, INFINITE, &status);
    return status;
}

static BOOL WINAPI leave_to_program(DWORD event) { return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT; }

/* A job ends the program when this process ends, also if that is killed. Ctrl-C goes to both; the program decides. */
int windows_execv(const char *path, char *const *command) {
    (void)path; /* it is the first word */
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit = {.BasicLimitInformation.LimitFlags =
                                                      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    int status = -1;
    HANDLE process = start(command, (int[]){0, 1, 2}, 0), job = CreateJobObjectW(NULL, NULL);
    if (!process) return -1;
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limit, sizeof limit);
    AssignProcessToJobObject(job, process);
    SetConsoleCtrlHandler(leave_to_program, TRUE);
    wait_for(process, INFINITE, &status);
    exit(status);
}

int program_background(pid_t *id, char *const *command, int said) {
    *id = (pid_t)start(command, (int[]){-1, said, said}, IDLE_PRIORITY_CLASS);
    return *id ? 0 : errno;
}

bool program_ended(pid_t id, int *status) { return wait_for((HANDLE)id, 0, status); }
void program_stop(pid_t id) { TerminateProcess((HANDLE)id, 1); }

/* A program that runs beside the caller reads a temporary file here, and begins when the caller has sent everything. So
   nobody waits for two pipes at once. */
typedef struct Beside {
    char *const *command;
    int in, out; /* of the program; out: -1 when it has it */
    bool own_input;
    HANDLE process; /* NULL: it has not begun */
} Beside;

static Beside *beside(const Program *program) { return (Beside *)program->id; }

static void close_beside(Program *program) {
    Beside *b = beside(program);
    if (b->own_input) windows_close(b->in);
    if (b->out >= 0) close(b->out);
    windows_close(program->said);
    free(b);
}

int program_start(Program *program, char *const *command, int in) {
    char path[PATH_MAX];
    int ends[2] = {-1, -1};
    if (!program_find(command[0], path)) return ENOENT;
    Beside *b = malloc(sizeof *b);
    if (!b) return ENOMEM;
    _pipe(ends, 1 << 16, O_BINARY | O_NOINHERIT);
    *b = (Beside){.command = command, .in = in < 0 ? file_in_memory(false) : in, .out = ends[1], .own_input = in < 0};
    *program = (Program){.id = (pid_t)b, .socket = ends[0], .said = file_in_memory(false)};
    if (b->in >= 0 && ends[0] >= 0 && program->said >= 0) return 0;
    const int error = errno;
    if (ends[0] >= 0) close(ends[0]);
    close_beside(program);
    return error;
}

bool program_takes(const Program *program, bool send) { return send && beside(program)->out >= 0; }
ssize_t program_send(const Program *program, const void *bytes, size_t n) {
    return write(beside(program)->in, bytes, (unsigned)n);
}

void program_send_end(const Program *program) {
    Beside *b = beside(program);
    if (b->out < 0) return;
    _lseeki64(b->in, 0, SEEK_SET);
    b->process = start(b->command, (int[]){b->in, b->out, program->said}, CREATE_NEW_PROCESS_GROUP);
    close(b->out);
    b->out = -1;
}

ssize_t program_receive(const Program *program, void *bytes, size_t n) {
    program_send_end(program);
    const int got = read(program->socket, bytes, (unsigned)n);
    return got > 0 ? got : 0;
}

int program_end(Program *program, char said[PROGRAM_SAID_SIZE]) {
    int status = 128; /* it has not begun */
    HANDLE process = beside(program)->process;
    close(program->socket); /* the program cannot write any more, and ends */
    if (process) wait_for(process, INFINITE, &status);
    const ssize_t n = file_read_some(program->said, said, PROGRAM_SAID_SIZE - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    close_beside(program);
    return status;
}

bool input_ready(int fd, const Program *program, int milliseconds) {
    (void)program;
    const double until = seconds_now() + milliseconds / 1e3;
    DWORD n;
    if (GetFileType(handle_of(fd)) != FILE_TYPE_PIPE) return true;
    for (;; Sleep(1)) {
        if (!PeekNamedPipe(handle_of(fd), NULL, 0, NULL, &n, NULL))
            return GetLastError() != ERROR_NOT_SUPPORTED; /* wine, of a pipe of Linux */
        if (n || seconds_now() >= until) return n;
    }
}

bool output_ready(int fd) { return (void)fd, true; } /* a reader of a pipe that stops holds up the server */

/* ---- terminal, signals, time, locale ----------------------------------------------------------------------------- */

int terminal_columns(int fd) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo(handle_of(fd), &info) ? info.srWindow.Right - info.srWindow.Left + 1 : 0;
}

void signals_ignore_limit(void) {}
void signals_ignore_pipes(void) {}

static void (*on_end)(int number);

/* Ctrl-C, or a closed window: Windows ends the process when this handler returns, or after five seconds. */
static BOOL WINAPI end_training(DWORD event) {
    on_end(event == CTRL_C_EVENT ? SIGINT : SIGTERM);
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
    return TRUE;
}

void signals_of_training(void (*handler)(int number)) {
    on_end = handler;
    SetConsoleCtrlHandler(end_training, TRUE);
}

/* The handler writes a byte to a pipe. */
static HANDLE signal_pipe;

static BOOL WINAPI tell_signal(DWORD event) {
    DWORD n;
    WriteFile(signal_pipe, "", 1, &n, NULL);
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE); /* Windows then ends the process */
    return TRUE;
}

int signals_open(void) {
    HANDLE end;
    if (!CreatePipe(&end, &signal_pipe, NULL, 0)) return failed();
    SetConsoleCtrlHandler(tell_signal, TRUE);
    return _open_osfhandle((intptr_t)end, O_BINARY | O_CLOEXEC);
}

bool signals_arrived(int fd) {
    char byte;
    DWORD n;
    return PeekNamedPipe(handle_of(fd), NULL, 0, NULL, &n, NULL) && n && read(fd, &byte, 1) == 1;
}

void condition_init(pthread_cond_t *condition) { pthread_cond_init(condition, NULL); }

/* Waits by the time of day, which can change. */
int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double until) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    const double wait = until - seconds_now(), part = (double)moment.tv_nsec * 1e-9 + (wait > 0 ? wait : 0);
    moment.tv_sec += (time_t)part;
    moment.tv_nsec = (long)((part - (double)(time_t)part) * 1e9);
    return pthread_cond_timedwait(condition, mutex, &moment);
}

/* The locale is "C" unless a host program with the same C library has set another one; its thread then keeps "C". */
void *locale_enter(void) {
    static char before[2];
    const int own = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    setlocale(LC_ALL, "C");
    return &before[own == _ENABLE_PER_THREAD_LOCALE];
}

void *locale_use(void *locale) { return locale; }

/* ---- the machine ------------------------------------------------------------------------------------------------- */

int processors_all(void) {
    const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count ? (int)count : 1;
}

int processors_own(void) {
    DWORD_PTR own, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || !own) return processors_all();
    return __builtin_popcountll(own); /* of at most 64: a process is in one group */
}

double memory_available(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    if (!GlobalMemoryStatusEx(&status)) return 0;
    return (double)(status.ullAvailPhys < status.ullAvailPageFile ? status.ullAvailPhys : status.ullAvailPageFile);
}

static PROCESS_MEMORY_COUNTERS own_memory(void) {
    PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};
    GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
    return counters;
}

double memory_used(void) { return (double)own_memory().WorkingSetSize; }
double memory_peak(void) { return (double)own_memory().PeakWorkingSetSize; }

int files_allow(int wanted) { return _setmaxstdio(wanted < MOST_FILES ? wanted : MOST_FILES); }
int random_bytes(void *bytes, size_t n) { return RtlGenRandom(bytes, (ULONG)n) ? 0 : failed(); }

/* ---- text -------------------------------------------------------------------------------------------------------- */

char *windows_stpcpy(char *to, const char *from) {
    const size_t n = strlen(from);
    return (char *)memcpy(to, from, n + 1) + n;
}

char *windows_strsep(char **rest, const char *delimiters) {
    char *word = *rest;
    if (!word) return NULL;
    char *end = word + strcspn(word, delimiters);
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return word;
}

void *windows_memmem(const void *bytes, size_t n, const void *needle, size_t length) {
    const char *at = bytes;
    if (!length) return (void *)at;
    for (const char *end = at + n; (size_t)(end - at) >= length; at++)
        if (!(at = memchr(at, *(const char *)needle, (size_t)(end - at) - length + 1))) return NULL;
        else if (!memcmp(at, needle, length)) return (void *)at;
    return NULL;
}

/* ---- parts of a path, which the library's functions read in the encoding of the system -----------------------------
 */

static char *last_slash(char *path) {
    char *last = NULL;
    for (; *path; path++)
        if (*path == '/' || *path == '\\') last = path;
    return last;
}

char *windows_dirname(char *path) {
    static char here[] = ".";
    char *slash = last_slash(path);
    if (!slash) return here;
    slash[slash == path] = '\0';
    return path;
}

char *windows_basename(char *path) {
    char *slash = last_slash(path);
    return slash ? slash + 1 : path;
}
