#include "cli/program.h"

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

int program_run(char *const *command, int in, int out) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions)) return -1;
    const int failed = (in < 0 ? posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                               : posix_spawn_file_actions_adddup2(&actions, in, 0)) ||
                       posix_spawn_file_actions_adddup2(&actions, out, 1) ||
                       posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
                       posix_spawnp(&child, command[0], &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
