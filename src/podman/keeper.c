#include "podman/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "podman/scratch.h"

/* How far below us a step is looked for. */
#define DEPTH_MAX 32
/* Between two looks, at first and later; and how often in all, if the service does not end. */
#define SOON_MS 100
#define LATER_MS 500
#define SOON 50
#define LOOKS_MAX 600
/* A service that was told to end gets so many looks for it. */
#define END_LOOKS 50

/* Reads the start of /proc/PID/NAME as a string. Returns its length. */
static ssize_t read_proc(pid_t pid, const char *name, char *text, size_t room)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t length = read(fd, text, room - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

/* The number after KEY at the start of a line of /proc/PID/status; 0 without. */
static int status_number(const char *status, const char *key)
{
    const char *at = strstr(status, key);

    return at ? atoi(at + strlen(key)) : 0;
}

/* TRUE for the first process of a pid namespace below ours: its end is the end of all in there. */
static int is_namespace_init(const char *status)
{
    const char *at = strstr(status, "\nNSpid:");
    int pid = 0, used, levels = 0;

    /* One number for each namespace from ours inwards, then the end of the line. */
    for (at += at ? strlen("\nNSpid:") : 0; at && *at == '\t'; at += used, levels++)
        if (sscanf(at, "\t%d%n", &pid, &used) != 1)
            return 0;
    return levels > 1 && pid == 1;
}

static int is_step_below(pid_t pid, pid_t root)
{
    char status[4096];

    if (read_proc(pid, "status", status, sizeof status) <= 0 || !is_namespace_init(status))
        return 0;
    for (int depth = 0; depth < DEPTH_MAX && pid > 1; depth++) {
        if (read_proc(pid, "status", status, sizeof status) <= 0)
            return 0;
        pid = status_number(status, "\nPPid:");
        if (pid == root)
            return 1;
    }
    return 0;
}

/* Kills what runs in pid namespaces of its own below us: nothing but the steps of the build. */
static void kill_steps(void)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;

    while (proc && (entry = readdir(proc))) {
        pid_t pid = atoi(entry->d_name);
        /* Held while it is looked at, so that its number cannot pass to another process. */
        int held = pid > 1 ? pidfd_open(pid, 0) : -1;
        if (held < 0)
            continue;
        if (is_step_below(pid, getpid()))
            pidfd_send_signal(held, SIGKILL, NULL, 0);
        close(held);
    }
    if (proc)
        closedir(proc);
}

/* Takes note of children that have ended. Returns whether the service is one of them. */
static int has_ended(pid_t service)
{
    int ended = 0;

    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;)
        ended |= pid == service;
    return ended;
}

static void stop(pid_t service)
{
    for (int i = 0; i < LOOKS_MAX && !has_ended(service); i++) {
        kill_steps();
        usleep((i < SOON ? SOON_MS : LATER_MS) * 1000);
    }
    kill_steps();
}

static void end(pid_t service)
{
    kill(service, SIGTERM);
    for (int i = 0; i < END_LOOKS && !has_ended(service); i++)
        usleep(SOON_MS * 1000);
}

_Noreturn void keeper_run(pid_t service, int lifeline, const char *folder)
{
    char word = 0;
    ssize_t got;

    prctl(PR_SET_NAME, "box-keeper");
    scratch_hold(folder); /* until we end */
    /* What the service leaves behind when it ends comes to us. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    do {
        got = read(lifeline, &word, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 1 && word == KEEPER_DONE)
        end(service);
    else
        stop(service);
    fs_remove_tree(folder, NULL);
    _exit(0);
}
