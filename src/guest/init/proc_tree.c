#include "guest/init/proc_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEVELS_MAX 1024
#define FREEZE_ROUNDS 64

struct process {
    int pid, parent;
    int is_ours; /* -1: not known yet */
};

/* The parent from /proc/PID/stat; the name in parentheses may hold anything, ") 1 (" included. */
static int parent_of(int pid)
{
    char path[32], buffer[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, buffer, sizeof buffer - 1);
    close(fd);
    if (n <= 0)
        return -1;
    buffer[n] = '\0';
    const char *paren = strrchr(buffer, ')');
    int parent;
    return paren && sscanf(paren + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

static struct process *list_processes(size_t *count)
{
    struct process *list = NULL;
    size_t room = 0;
    *count = 0;
    DIR *proc = opendir("/proc");
    if (!proc)
        return NULL;
    for (struct dirent *entry; (entry = readdir(proc));) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 1)
            continue;
        if (*count == room) {
            room = room ? room * 2 : 64;
            struct process *more = realloc(list, room * sizeof *list);
            if (!more)
                break;
            list = more;
        }
        list[(*count)++] = (struct process){(int)pid, parent_of((int)pid), -1};
    }
    closedir(proc);
    return list;
}

static int is_ours(struct process *list, size_t count, size_t index, int top, int level)
{
    if (list[index].is_ours >= 0)
        return list[index].is_ours;
    list[index].is_ours = 0; /* also ends a loop, which reused PIDs could form */
    if (list[index].parent == top)
        return list[index].is_ours = 1;
    if (level >= LEVELS_MAX)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].pid == list[index].parent)
            return list[index].is_ours = is_ours(list, count, i, top, level + 1);
    }
    return 0;
}

int proc_tree_signal_all(int signal)
{
    size_t count;
    struct process *list = list_processes(&count);
    int found = 0, top = (int)getpid();
    for (size_t i = 0; list && i < count; i++) {
        if (is_ours(list, count, i, top, 0)) {
            found++;
            kill(list[i].pid, signal);
        }
    }
    free(list);
    return found;
}

static int is_among(int pid, const int *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (list[i] == pid)
            return 1;
    }
    return 0;
}

int proc_tree_count_except(const int *kept, int count)
{
    size_t all;
    struct process *list = list_processes(&all);
    int found = 0;
    for (size_t i = 0; list && i < all; i++)
        found += !is_among(list[i].pid, kept, count) && !is_among(list[i].parent, kept, count);
    free(list);
    return found;
}

/* Reaps children that have ended. 0 when none is left. */
static int reap(void)
{
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid == 0)
            return 1;
        if (pid < 0 && errno != EINTR)
            return 0;
    }
}

void proc_tree_kill_all(void)
{
    while (reap()) {
        int before = -1, now = 0;
        for (int round = 0; round < FREEZE_ROUNDS && before != now; round++) {
            before = now;
            now = proc_tree_signal_all(SIGSTOP);
        }
        proc_tree_signal_all(SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

int proc_tree_find_ancestor(int pid, int (*match)(int pid, void *data), void *data)
{
    for (int level = 0; level < LEVELS_MAX && pid > 1; level++) {
        if (match(pid, data))
            return pid;
        pid = parent_of(pid);
    }
    return -1;
}
