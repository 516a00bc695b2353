/* Windows 10 and later, x86-64: console, signals, time, machine; windows_*.c have the rest. */
#include "io/system/windows_handles.h"
#include "io/system.h"
#include "core/base.h"

#include <locale.h>
#include <ntsecapi.h>
#include <psapi.h>
#include <signal.h>

/* ---- the console ------------------------------------------------------------------------------------------------- */

static UINT console_page; /* the encoding that the console had */

static void restore_console(void) { SetConsoleOutputCP(console_page); }

static BOOL WINAPI restore_at_end(DWORD event) {
    (void)event;
    restore_console();
    return FALSE; /* then the next handler; the last one ends the process */
}

/* The console shows UTF-8, and obeys the escapes of the progress bar. */
void open_console(void) {
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
void console_begin_input(const FILE *stream) {
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
    console_begin_input(stream);
    return getc(stream);
}

int windows_isatty(int fd) {
    DWORD mode;
    return fd == 0 && console_is_read ? 1 : GetConsoleMode(handle_of(fd), &mode) != 0;
}

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
    return descriptor(end, O_CLOEXEC);
}

bool signals_arrived(int fd) {
    char byte;
    DWORD n;
    return PeekNamedPipe(handle_of(fd), NULL, 0, NULL, &n, NULL) && n && read(fd, &byte, 1) == 1;
}

/* The locale of the host program, if that has the same C library, which keeps it for each thread. */
static __thread char host[256];

void *locale_enter(void) {
    _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    snprintf(host, sizeof host, "%s", setlocale(LC_ALL, NULL));
    setlocale(LC_ALL, "C");
    return host;
}

void *locale_use(void *locale) {
    static char own[] = "C";
    setlocale(LC_ALL, locale);
    return locale == host ? own : host;
}

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
