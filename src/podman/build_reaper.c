#include "podman/build_reaper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/error.h"
#include "common/fs.h"

#define FOLDER_PREFIX "litterbox-build-"
/* Seconds. The reaper of a younger folder may not have locked it yet. */
#define FOLDER_AGE_MIN 60

static int open_folder(const char *folder)
{
    return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Keeps other processes from removing FOLDER until this process ends. */
static void lock_folder(const char *folder)
{
    int fd = open_folder(folder);

    if (fd >= 0 && flock(fd, LOCK_SH) < 0)
        close(fd);
}

/* TRUE when FOLDER is the user's and no reaper holds its lock. */
static gboolean is_abandoned(const char *folder)
{
    int fd = open_folder(folder);
    struct stat st;
    gboolean abandoned;

    if (fd < 0)
        return FALSE;
    abandoned = fstat(fd, &st) == 0 && st.st_uid == getuid() &&
                st.st_mtime < time(NULL) - FOLDER_AGE_MIN && flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return abandoned;
}

static void remove_abandoned(const char *base)
{
    g_autoptr(GDir) entries = g_dir_open(base, 0, NULL);
    const char *name;

    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *folder = g_build_filename(base, name, NULL);
        if (g_str_has_prefix(name, FOLDER_PREFIX) && is_abandoned(folder))
            fs_remove_tree(folder, NULL);
    }
}

char *build_folder_make(GError **error)
{
    const char *wanted = g_getenv("TMPDIR");
    const char *base = wanted && g_path_is_absolute(wanted) ? wanted : "/var/tmp";
    g_autofree char *folder = g_build_filename(base, FOLDER_PREFIX "XXXXXX", NULL);

    remove_abandoned(base);
    if (g_mkdtemp_full(folder, 0700))
        return g_steal_pointer(&folder);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot create the folder '%s': %s", folder,
                g_strerror(errno));
    return NULL;
}

/* Levels of the process tree between a step and the reaper. */
#define DEPTH_MAX 32
/* How long and how often to kill steps while the service does not end: for 5 s every 100 ms, then
 * for about 5 minutes every 500 ms. */
#define KILL_INTERVAL_MS 100
#define KILL_INTERVAL_LATER_MS 500
#define KILL_ROUNDS_QUICK 50
#define KILL_ROUNDS_MAX 600
/* A service that gets SIGTERM has this many times 100 ms to end. */
#define TERMINATE_ROUNDS 50

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

/* The number after KEY in /proc/PID/status; 0 when it is missing. */
static int status_number(const char *status, const char *key)
{
    const char *at = strstr(status, key);

    return at ? atoi(at + strlen(key)) : 0;
}

/* TRUE for PID 1 of a PID namespace below this one. When it ends, the kernel kills all others in
 * the namespace (pid_namespaces(7)). */
static int is_namespace_init(const char *status)
{
    const char *at = strstr(status, "\nNSpid:");
    int pid = 0, used, levels = 0;

    /* One number for each namespace, from this one to the innermost. */
    for (at += at ? strlen("\nNSpid:") : 0; at && *at == '\t'; at += used, levels++)
        if (sscanf(at, "\t%d%n", &pid, &used) != 1)
            return 0;
    return levels > 1 && pid == 1;
}

static int is_below(pid_t pid, pid_t root)
{
    char status[4096];

    for (int depth = 0; depth < DEPTH_MAX && pid > 1; depth++) {
        if (read_proc(pid, "status", status, sizeof status) <= 0)
            return 0;
        pid = status_number(status, "\nPPid:");
        if (pid == root)
            return 1;
    }
    return 0;
}

static int is_step_below(pid_t pid, pid_t root)
{
    char status[4096];

    return read_proc(pid, "status", status, sizeof status) > 0 && is_namespace_init(status) &&
           is_below(pid, root);
}

static void signal_below(pid_t root, int number, int (*is_one)(pid_t pid, pid_t root))
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;

    while (proc && (entry = readdir(proc))) {
        pid_t pid = atoi(entry->d_name);
        /* Opened before the check, so that the signal cannot reach a process that reuses the PID.
         */
        int pidfd = pid > 1 ? pidfd_open(pid, 0) : -1;
        if (pidfd < 0)
            continue;
        if (is_one(pid, root))
            pidfd_send_signal(pidfd, number, NULL, 0);
        close(pidfd);
    }
    if (proc)
        closedir(proc);
}

/* Kills the build's steps: the processes below this one that have their own PID namespace. */
static void kill_steps(void)
{
    signal_below(getpid(), SIGKILL, is_step_below);
}

/* Reaps children. Returns whether the service was one of them. */
static int reap(pid_t service)
{
    int ended = 0;

    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;)
        ended |= pid == service;
    return ended;
}

static void stop_build(pid_t service)
{
    for (int i = 0; i < KILL_ROUNDS_MAX && !reap(service); i++) {
        kill_steps();
        usleep((i < KILL_ROUNDS_QUICK ? KILL_INTERVAL_MS : KILL_INTERVAL_LATER_MS) * 1000);
    }
    kill_steps();
}

/* With a network of its own, the service is below the process that was started, which does not pass
 * signals on. */
static void terminate(pid_t service)
{
    signal_below(service, SIGTERM, is_below);
    kill(service, SIGTERM);
    for (int i = 0; i < TERMINATE_ROUNDS && !reap(service); i++)
        usleep(KILL_INTERVAL_MS * 1000);
}

_Noreturn void build_reaper_run(pid_t service, int lifeline, const char *folder)
{
    char word = 0;
    ssize_t got;

    prctl(PR_SET_NAME, "build-reaper");
    lock_folder(folder);
    /* Processes that the service leaves behind become children of this process. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    do {
        got = read(lifeline, &word, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 1 && word == BUILD_REAPER_DONE)
        terminate(service);
    else
        stop_build(service);
    fs_remove_tree(folder, NULL);
    _exit(0);
}
