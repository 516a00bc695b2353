#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void program_path(char *path, size_t size, const char *name) {
    char self[400] = "";
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    snprintf(path, size, "%s/%s", self, name);
}

/* The standard file `number` of the program is the open file fd, or /dev/null if fd is -1. */
static int use(posix_spawn_file_actions_t *actions, int number, int fd) {
    if (fd >= 0) return posix_spawn_file_actions_adddup2(actions, fd, number);
    return posix_spawn_file_actions_addopen(actions, number, "/dev/null", number ? O_WRONLY : O_RDONLY, 0);
}

int program_run(char *const *command, int in, int out, int errors) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions)) return -1;
    const int failed = use(&actions, STDIN_FILENO, in) || use(&actions, STDOUT_FILENO, out) ||
                       use(&actions, STDERR_FILENO, errors) ||
                       posix_spawnp(&child, command[0], &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
