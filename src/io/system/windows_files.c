/* Files and directories of Windows. */
#include "io/system/windows_handles.h"
#include "io/system.h"
#include "io/utf8.h"

#include <stdatomic.h>

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Sets errno by the last error. Returns -1. */
int failed(void) {
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
int failed_at(const wchar_t *path) {
    DWORD attributes = INVALID_FILE_ATTRIBUTES;
    failed();
    wchar_t *above = errno == ENOENT ? _wcsdup(path) : NULL;
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

enum { LONGEST_NAME = 240 };

/* UTF-8 as UTF-16; NULL with errno set. Release with free. */
wchar_t *widen(const char *text) {
    const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = n ? malloc((size_t)n * sizeof *wide) : NULL;
    if (!wide) return errno = n ? ENOMEM : EILSEQ, NULL;
    MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, n);
    return wide;
}

/* UTF-16 as UTF-8, with / between folders if it is a path. Returns whether it fits. */
bool narrow(const wchar_t *wide, char *text, size_t size, bool path) {
    if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)size, NULL, NULL)) return false;
    for (char *c = text; path && *c; c++)
        if (*c == '\\') *c = '/';
    return true;
}

/* A path for functions of Windows. A full path longer than LONGEST_NAME gets \\?\ in front: without it, Windows permits
   260 characters. */
wchar_t *wide_path(const char *path) {
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

/* Opens a path, also that of a directory. INVALID_HANDLE_VALUE with errno set. */
HANDLE open_handle(const char *path, DWORD access, DWORD creation, DWORD flags, bool inherited) {
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

HANDLE handle_of(int fd) { return fd < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(fd); }

/* The descriptor of a handle, which it owns; -1: there is none. */
int descriptor(HANDLE handle, int flags) {
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

/* Asks Windows about an open file. */
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

/* Renames `from` to `to`, which may exist. A process that has the old file open continues to read it. Windows 10 does
   this in one step. Where that fails, the old file first gets another name, so for a moment `to` does not exist. */
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

static BOOL link_file(const wchar_t *from, const wchar_t *to) { return CreateHardLinkW(to, from, NULL); }

/* Calls a function for two paths, with patience. */
static int with_paths(const char *from, const char *to, BOOL (*change)(const wchar_t *from, const wchar_t *to)) {
    wchar_t *old = wide_path(from), *new = wide_path(to);
    const bool both = old && new;
    bool done = false;
    for (int tries = 0; both && !done;) {
        done = change(old, new);
        if (!done && !be_patient(&tries)) break;
    }
    if (both && !done) failed_at(new);
    free(old);
    free(new);
    return done ? 0 : -1;
}

int file_rename(const char *from, const char *to) { return with_paths(from, to, replace); }
int file_replace(const char *from, const char *to) { return with_paths(from, to, replace); }
int file_link(const char *from, const char *to) { return with_paths(from, to, link_file); }

/* The lock of a file is a byte far behind its end, because other processes cannot read locked bytes. The lock of a
   directory is an event with a name, which contains the number of the directory; other machines do not see it. */
typedef struct Kept {
    HANDLE lock; /* of a directory; NULL: none */
    char *name;  /* of a file that other programs open, and that windows_close removes; NULL: another file */
} Kept;

/* What is kept until a descriptor is closed; NULL: there is no place for it. */
static Kept *kept(int fd) {
    static Kept all[MOST_FILES];
    return fd >= 0 && fd < MOST_FILES ? &all[fd] : NULL;
}

static int lock_directory(int fd, const BY_HANDLE_FILE_INFORMATION *info) {
    wchar_t name[64];
    swprintf(name, sizeof name / sizeof *name, L"Global\\tide-%08lx-%08lx%08lx", info->dwVolumeSerialNumber,
             info->nFileIndexHigh, info->nFileIndexLow);
    if (!kept(fd)) return errno = EMFILE, -1;
    const HANDLE lock = CreateEventW(NULL, TRUE, FALSE, name);
    const DWORD error = GetLastError();
    if (lock && error == ERROR_ALREADY_EXISTS) CloseHandle(lock);
    if (error == ERROR_ALREADY_EXISTS || (!lock && error == ERROR_ACCESS_DENIED)) return errno = EWOULDBLOCK, -1;
    if (!lock) return failed();
    kept(fd)->lock = lock;
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
    const Kept own = kept(fd) ? *kept(fd) : (Kept){0};
    if (kept(fd)) *kept(fd) = (Kept){0};
    if (own.lock) CloseHandle(own.lock);
    const int status = close(fd);
    if (own.name) windows_unlink(own.name);
    free(own.name);
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

/* Links are not followed: an output replaces the link. */
char *path_of_link(const char *link, char real[PATH_MAX]) { return (void)link, (void)real, NULL; }

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
    if (kept(fd)) kept(fd)->name = _strdup(path);
    return fd;
}

void file_own_path(int fd, char path[FD_PATH]) {
    wchar_t wide[FD_PATH];
    _lseeki64(fd, 0, SEEK_SET);
    const DWORD n = GetFinalPathNameByHandleW(handle_of(fd), wide, FD_PATH, FILE_NAME_OPENED);
    if (kept(fd) && kept(fd)->name) snprintf(path, FD_PATH, "%s", kept(fd)->name);
    else if (!n || n >= FD_PATH || !narrow(wide, path, FD_PATH, false)) *path = '\0';
}

void file_shared_path(int fd, char path[FD_PATH]) { (void)fd, *path = '\0'; }

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
