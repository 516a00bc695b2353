/* windows.h: functions of POSIX and GNU that tide uses and that Windows lacks, names otherwise, or implements
   differently. Here names of files are UTF-8, paths have any length, and ends of lines are not translated. The build
   for Windows includes this file before everything else in each file, so that these need not know it. */
#ifndef TIDE_IO_WINDOWS_H
#define TIDE_IO_WINDOWS_H

/* The headers whose names are replaced come first. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <math.h>
#include <process.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define tell windows_tell /* io.h has a function of this name, which nobody needs */

#undef PATH_MAX
#define PATH_MAX 4096 /* bytes of UTF-8 */

/* ---- files ---- */

#define O_CLOEXEC  _O_NOINHERIT
#define O_NOFOLLOW 0
#define O_NONBLOCK 0

/* As POSIX has them. A file that these open can be renamed, replaced and removed meanwhile. */
int windows_open(const char *path, int flags, ...);
int windows_close(int fd);
FILE *windows_fopen(const char *path, const char *mode);
struct windows_stat {
    int st_mode;
    unsigned st_nlink;
    unsigned long st_dev;
    unsigned long long st_ino;
    long long st_size;
    struct timespec st_mtim;
};
int windows_stat(const char *path, struct windows_stat *info);
int windows_fstat(int fd, struct windows_stat *info);
int windows_access(const char *path, int mode);
int windows_unlink(const char *path);
int windows_rmdir(const char *path);
char *windows_realpath(const char *path, char real[PATH_MAX]);
DIR *windows_opendir(const char *path);
struct dirent *windows_readdir(DIR *dir); /* a name of more than 259 bytes is "" */
int windows_closedir(DIR *dir);
#define open(...)         windows_open(__VA_ARGS__)
#define close(fd)         windows_close(fd)
#define fopen(path, mode) windows_fopen(path, mode)
#undef stat
#undef fstat
#undef ftruncate
#define stat                 windows_stat /* also the structure */
#define fstat(fd, info)      windows_fstat(fd, info)
#define access(path, mode)   windows_access(path, mode)
#define unlink(path)         windows_unlink(path)
#define rmdir(path)          windows_rmdir(path)
#define realpath(path, real) windows_realpath(path, real)
#define opendir(path)        windows_opendir(path)
#define readdir(dir)         windows_readdir(dir)
#define closedir(dir)        windows_closedir(dir)
char *windows_dirname(char *path);
char *windows_basename(char *path);
#define dirname               windows_dirname
#define basename              windows_basename
#define ftruncate(fd, length) _chsize_s(fd, length)

/* ---- streams, of the library or of stream_open ---- */

int windows_fflush(FILE *stream);
int windows_fclose(FILE *stream);
int windows_ferror(FILE *stream);
int windows_setvbuf(FILE *stream, char *buffer, int mode, size_t size);
size_t windows_fwrite(const void *items, size_t size, size_t n, FILE *stream);
int windows_fputs(const char *text, FILE *stream);
int windows_fputc(int c, FILE *stream);
int windows_vfprintf(FILE *stream, const char *format, va_list args);
int windows_fprintf(FILE *stream, const char *format, ...);
int windows_getc(FILE *stream);
size_t windows_fread(void *items, size_t size, size_t n, FILE *stream);
ssize_t windows_getline(char **line, size_t *capacity, FILE *stream);
#define fflush(stream)                      windows_fflush(stream)
#define fclose(stream)                      windows_fclose(stream)
#define ferror(stream)                      windows_ferror(stream)
#define setvbuf(stream, buffer, mode, size) windows_setvbuf(stream, buffer, mode, size)
#define fwrite(items, size, n, stream)      windows_fwrite(items, size, n, stream)
#define fputs(text, stream)                 windows_fputs(text, stream)
#define fputc(c, stream)                    windows_fputc(c, stream)
#define putc(c, stream)                     windows_fputc(c, stream)
#define vfprintf(stream, format, args)      windows_vfprintf(stream, format, args)
#define fprintf(...)                        windows_fprintf(__VA_ARGS__)
#define getc(stream)                        windows_getc(stream)
#define fread(items, size, n, stream)       windows_fread(items, size, n, stream)
#define getline(line, capacity, stream)     windows_getline(line, capacity, stream)
/* Whether it is a console. */
int windows_isatty(int fd);
#define isatty(fd) windows_isatty(fd)

/* ---- programs ---- */

/* Runs a program; then this process ends with its exit status. Returns -1 with errno set if it cannot be run. */
int windows_execv(const char *path, char *const *command);
#define execv(path, command) windows_execv(path, command)
/* Only trainings over MPI use these. */
enum { SIGKILL = 9 };
#define kill(id, signal) ((void)(id), errno = ENOSYS, -1)
#define alarm(seconds)   ((void)(seconds))

/* ---- functions for text, and for dates ---- */

char *windows_stpcpy(char *to, const char *from);
char *windows_strsep(char **rest, const char *delimiters);
void *windows_memmem(const void *bytes, size_t n, const void *needle, size_t length);
#define stpcpy(to, from)                 windows_stpcpy(to, from)
#define strsep(rest, delimiters)         windows_strsep(rest, delimiters)
#define memmem(bytes, n, needle, length) windows_memmem(bytes, n, needle, length)
#define localtime_r(seconds, parts)      (localtime_s(parts, seconds) ? NULL : (parts))
#define gmtime_r(seconds, parts)         (gmtime_s(parts, seconds) ? NULL : (parts))

/* ---- numbers: rounded once, which that of the C library is not ---- */

float system_fmaf(float a, float b, float c);
#define fmaf(a, b, c) system_fmaf(a, b, c)

#endif
