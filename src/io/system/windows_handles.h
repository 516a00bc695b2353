/* windows_handles.h: what the files of Windows share: errors, texts and paths in UTF-16, handles and descriptors. */
#ifndef TIDE_IO_WINDOWS_HANDLES_H
#define TIDE_IO_WINDOWS_HANDLES_H

#include <stdbool.h>
#include <windows.h>

/* In these files the names of windows.h mean the functions of the C library. */
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

enum {
    MOST_WIDE = 32768, /* characters of a path or of a command line */
    MOST_FILES = 2048, /* descriptors that the C library has */
    SHARES = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
};

/* Sets errno by the last error. Returns -1. failed_at: of a path. */
int failed(void);
int failed_at(const wchar_t *path);
/* UTF-8 as UTF-16; NULL with errno set. wide_path: a path for functions of Windows. Release with free. */
wchar_t *widen(const char *text);
wchar_t *wide_path(const char *path);
/* UTF-16 as UTF-8, with / between folders if it is a path. Returns whether it fits. */
bool narrow(const wchar_t *wide, char *text, size_t size, bool path);
/* Opens a path, also that of a directory, as CreateFileW does. INVALID_HANDLE_VALUE with errno set. */
HANDLE open_handle(const char *path, DWORD access, DWORD creation, DWORD flags, bool inherited);
/* The handle of a descriptor; the descriptor of a handle, which it then owns, or -1. */
HANDLE handle_of(int fd);
int descriptor(HANDLE handle, int flags);

/* From now on, the console shows what is written as UTF-8. */
void open_console(void);
/* Before a read: if the stream is standard input and that is a console, puts a pipe in its place, which a thread fills
   with what is typed, as UTF-8. */
void console_begin_input(const FILE *stream);

#endif
