#!/bin/sh
# usage: tests/e2e/floors.sh [SOURCE]
# Checks the architecture of src/: a file includes only files of its own floor or of a floor below. model/ computes with ops:
# it does not use the members v and g of a Var. What only some operating systems have stands in */system/, also the conditions
# of the preprocessor.
set -u
cd "${1:-$(dirname "$0")/../../src}" || exit 1
floors='core model io text score corpus aligner translate train view api serve browser bench cli'
for floor in $floors; do [ -d "$floor" ] || { echo "there is no $floor/"; exit 1; }; done

# Prints the number of a file's floor; 0 if it has none. tide.h, the public API, includes nothing of tide, so any file may
# include it.
floor_of() {
    number=0
    case $1 in tide.h) set -- core/ ;; esac
    for floor in $floors; do
        number=$((number + 1))
        case $1 in "$floor"/*) echo $number; return ;; esac
    done
    echo 0
}
system() { case $1 in '<'*) [ ! -e "${1#<}" ] ;; *) false ;; esac; }

upward=$(grep -noE '^ *# *include *["<][^">]+' -r --include='*.[ch]' . | sed 's|^\./||; s|: *# *include *|:|' |
    while IFS=: read -r file line included; do
        system "$included" && continue
        from=$(floor_of "$file") to=$(floor_of "${included#[\"<]}")
        [ "$from" != 0 ] || echo "$file is on no floor"
        [ "$to" != 0 ] || echo "$file:$line includes $included, on no floor"
        [ "$to" -le "$from" ] || echo "$file:$line includes $included, of a floor above"
    done)
by_hand=$(grep -nE '(->|\.)[vg]\>' -r --include='*.[ch]' model | sed 's|$|: the values of a matrix|')

# Names of Linux, of glibc, of macOS and BSD, of Windows; headers and paths of Linux; macros that name a system or its C library.
names='memfd_create signalfd eventfd timerfd_[a-z]+ epoll_[a-z0-9]+ inotify_[a-z0-9]+ pidfd_[a-z]+ cpu_set_t CPU_COUNT
    sched_[gs]etaffinity prctl syscall SYS_[a-z_]+ O_TMPFILE O_PATH renameat2 accept4 pipe2 dup3 mkostemps? getrandom getentropy
    getauxval sysinfo get_nprocs(_conf)? gettid madvise MADV_[A-Z]+ mremap MAP_[A-Z]+ posix_fadvise (posix_)?fallocate copy_file_range
    sendfile splice statx ppoll POLLRDHUP close_range flock LOCK_(EX|SH|NB|UN) tcp_info TCP_INFO MSG_(MORE|NOSIGNAL|DONTWAIT)
    SOCK_(CLOEXEC|NONBLOCK) sem_(init|timedwait) pthread_condattr_setclock pthread_[a-z_]+_np _SC_[A-Z0-9_]+ TIOCGWINSZ
    ru_maxrss [gs]etrlimit RLIMIT_[A-Z]+ sigaction pthread_sigmask posix_spawnp?
    program_invocation(_short)?_name fopencookie cookie_io_functions_t __fpurge _IO_[a-z_]+ qsort_r v?asprintf strchrnul memrchr
    rawmemchr mempcpy strn?dupa strverscmp canonicalize_file_name get_current_dir_name secure_getenv mallopt malloc_trim
    mallinfo2? error_at_line TEMP_FAILURE_RETRY exp10f? sincosf? str(errorname|errordesc)_np [a-z]+_unlocked environ
    funopen fpurge sysctl(byname)? _NSGetExecutablePath F_FULLFSYNC SO_NOSIGPIPE getprogname arc4random[a-z_]* kqueue kevent
    __(linux|gnu_linux|APPLE|MACH|unix|FreeBSD|NetBSD|OpenBSD|DragonFly|ANDROID|GLIBC|EMSCRIPTEN|MINGW32|MINGW64|CYGWIN)(__)?
    _WIN(32|64) _MSC_VER HANDLE DWORD INVALID_HANDLE_VALUE GetLastError windows_[a-z]+ _get_osfhandle'
# Calls that system.h has in another form.
calls='rename|link|mkdir|fsync|pread|ioctl|waitpid|sendmsg|socketpair|getrusage|uselocale|newlocale'
# shellcheck disable=SC2086 # one word for each name
only="(^|[^A-Za-z0-9_])($(set -f; printf '%s\n' $names | paste -sd '|'))([^A-Za-z0-9_]|\$)|(^|[^A-Za-z0-9_])($calls)\(|\"/(proc|sys)[/\"]|<(linux|asm|mach)/"
of_a_system=$(find . -name '*.[ch]' ! -path './*/system/*' ! -name system.h | sort | xargs grep -nE "$only" |
    sed 's|^\./||; s|$|: only files of */system/ may use this|')
[ -z "$upward$by_hand$of_a_system" ] || { echo "$upward$by_hand$of_a_system"; exit 1; }
