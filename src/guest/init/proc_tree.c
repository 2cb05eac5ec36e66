#include "guest/init/proc_tree.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FREEZE_ROUNDS 64
#define UNMARKED (-1)

int proc_tree_read(int pid, struct process *process)
{
    struct proc_stat stat;
    if (proc_stat_read(&stat, pid) < 0)
        return -1;
    *process = (struct process){
        .pid = stat.pid, .parent = stat.parent, .terminal = stat.terminal, .state = stat.state};
    memcpy(process->name, stat.name, sizeof process->name);
    return 0;
}

static int parent_of(int pid)
{
    struct process process;
    return proc_tree_read(pid, &process) < 0 ? -1 : process.parent;
}

static int compare_pids(const void *one, const void *other)
{
    int a = ((const struct process *)one)->pid, b = ((const struct process *)other)->pid;
    return (a > b) - (a < b);
}

struct process *proc_tree_list(size_t *count)
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
        struct process *next = &list[*count];
        if (proc_tree_read((int)pid, next) == 0)
            ++*count;
        else if (errno != ENOENT && errno != ESRCH)
            list[(*count)++] = (struct process){.pid = (int)pid, .parent = -1};
    }
    closedir(proc);
    if (list)
        qsort(list, *count, sizeof *list, compare_pids);
    return list;
}

struct process *proc_tree_parent(struct process *list, size_t count, const struct process *process)
{
    struct process wanted = {.pid = process->parent};
    return bsearch(&wanted, list, count, sizeof *list, compare_pids);
}

static int mark_of(struct process *list, size_t count, struct process *process, int none, int level)
{
    if (process->mark != UNMARKED)
        return process->mark;
    process->mark = none; /* also ends a loop, which reused PIDs could form */
    struct process *parent = proc_tree_parent(list, count, process);
    if (parent && level < PROC_TREE_LEVELS)
        process->mark = mark_of(list, count, parent, none, level + 1);
    return process->mark;
}

void proc_tree_mark(struct process *list, size_t count, int (*mark)(const struct process *process),
                    int none)
{
    for (size_t i = 0; i < count; i++)
        list[i].mark = mark(&list[i]);
    for (size_t i = 0; i < count; i++)
        mark_of(list, count, &list[i], none, 0);
}

static int mark_child(const struct process *process)
{
    return process->parent == getpid() ? 1 : UNMARKED;
}

int proc_tree_signal_all(int signal)
{
    size_t count;
    struct process *list = proc_tree_list(&count);
    int found = 0;
    if (list)
        proc_tree_mark(list, count, mark_child, 0);
    for (size_t i = 0; list && i < count; i++) {
        if (list[i].mark) {
            found++;
            kill(list[i].pid, signal);
        }
    }
    free(list);
    return found;
}

/* Each thread has a state of its own; that of a process is its first one's. */
static int threads_are_at_rest(int pid)
{
    char path[32];
    int at_rest = 1;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    for (struct dirent *entry; at_rest && threads && (entry = readdir(threads));) {
        struct proc_stat stat;
        int thread = atoi(entry->d_name);
        if (thread > 0 && proc_stat_read(&stat, thread) == 0)
            at_rest = stat.state != 'R' && stat.state != 'D';
    }
    if (threads)
        closedir(threads);
    return at_rest;
}

int proc_tree_is_at_rest(void)
{
    size_t count;
    struct process *list = proc_tree_list(&count);
    int at_rest = 1;
    if (list)
        proc_tree_mark(list, count, mark_child, 0);
    for (size_t i = 0; list && at_rest && i < count; i++)
        at_rest = !list[i].mark || threads_are_at_rest(list[i].pid);
    free(list);
    return at_rest;
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
    struct process *list = proc_tree_list(&all);
    int found = 0;
    for (size_t i = 0; list && i < all; i++)
        found += !is_among(list[i].pid, kept, count) && !is_among(list[i].parent, kept, count);
    free(list);
    return found;
}

/* Reaps children that have ended. 0 when none is left. */
static int reap_ended(void)
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
    while (reap_ended()) {
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
    for (int level = 0; level < PROC_TREE_LEVELS && pid > 1; level++) {
        if (match(pid, data))
            return pid;
        pid = parent_of(pid);
    }
    return -1;
}
