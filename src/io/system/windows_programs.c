/* Programs of Windows: this one, and those that it starts. */
#include "io/system/windows_handles.h"
#include "io/system.h"
#include "core/base.h"

#include <locale.h>
#include <shellapi.h>

static char own_path[PATH_MAX];

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

const char *program_advice(const char *package) { return (void)package, "its folder must be in the PATH"; }

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

/* Starts a program with these standard files. Returns its process, or NULL with errno set. */
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
