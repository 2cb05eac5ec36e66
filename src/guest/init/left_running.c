#include "guest/init/left_running.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/guard/guard.h"
#include "guest/init/guards.h"
#include "guest/init/proc_tree.h"

/* Bytes of a list of children that is read. */
#define CHILDREN_MAX 1024

/* The mark of a process (proc_tree_mark()): what it descends from. */
enum descent { FROM_UNKNOWN = -1, FROM_INIT, FROM_BUS, FROM_ENDED };

/* They hold nothing but what a program gets again by starting them again. As the kernel cuts names.
 */
static const char *const not_counted[] = {
    /* keys */
    "gpg-agent",
    "scdaemon",
    "keyboxd",
    "dirmngr",
    "ssh-agent",
    "gnome-keyring-d",
    /* buses, settings and files of a desktop */
    "dbus-daemon",
    "dbus-launch",
    "at-spi-bus-laun",
    "at-spi2-registr",
    "dconf-service",
    "gvfsd",
    "gvfsd-fuse",
    /* sound */
    "pipewire",
    "pipewire-pulse",
    "wireplumber",
    "pulseaudio",
};

/* PID 1. Its children that are sessions and guards have a name of is_own(). */
static struct process init;

static int is_own(const struct process *process)
{
    return !strcmp(process->name, init.name) || !strcmp(process->name, SESSION_PROCESS_NAME) ||
           !strcmp(process->name, GUARD_PROCESS_NAME);
}

static int mark(const struct process *process)
{
    if (process->parent == -1)
        return FROM_ENDED;
    if (getpid() != 1 && process->pid == getpid())
        return FROM_INIT;
    if (getpid() != 1 && process->parent == getpid())
        return FROM_ENDED;
    if (process->parent != 1)
        return FROM_UNKNOWN;
    if (!strcmp(process->name, BUS_PROCESS_NAME))
        return FROM_BUS;
    return is_own(process) ? FROM_INIT : FROM_ENDED;
}

static int is_counted(const struct process *process)
{
    if (process->state == 'Z' || process->state == 'X')
        return 0;
    for (size_t i = 0; i < sizeof not_counted / sizeof *not_counted; i++) {
        if (!strcmp(process->name, not_counted[i]))
            return 0;
    }
    return process->mark == FROM_ENDED || (process->mark == FROM_BUS && process->terminal);
}

/* The topmost of PROCESS and its counted ancestors, after which the program is called. */
static const struct process *program_of(struct process *list, size_t count,
                                        const struct process *process)
{
    for (int level = 0; level < PROC_TREE_LEVELS; level++) {
        const struct process *parent = proc_tree_parent(list, count, process);
        if (!parent || !is_counted(parent))
            break;
        process = parent;
    }
    return process;
}

/* tmux calls itself "tmux: server". */
static void copy_name(char *to, const char *from)
{
    size_t length = strcspn(from, ":");
    memcpy(to, from, length ? length : strlen(from));
}

static void add(struct session_left *left, const struct process *program)
{
    char name[SESSION_NAME_MAX] = "";
    copy_name(name, program->name);
    left->processes++;
    for (int i = 0; i < SESSION_LEFT_MAX; i++) {
        struct session_program *known = &left->programs[i];
        if (known->processes && strcmp(known->name, name) != 0)
            continue;
        memcpy(known->name, name, sizeof name);
        known->processes++;
        return;
    }
}

static enum session_fate fate(const struct init_options *options)
{
    if (options->idle_stop == SETTINGS_NEVER)
        return SESSION_LEFT_STAYS;
    return options->keep_alive == KEEP_ALIVE_SESSIONS ? SESSION_LEFT_ENDS : SESSION_LEFT_KEEPS;
}

/* CHILD of PID 1 is one of its own, with nothing below it that counts. */
static int is_plain_process(int child)
{
    struct process process;
    if (child == getpid())
        return 1;
    for (int i = 0; i < GUARDS; i++) {
        if (child == guards_pids()[i])
            return 1;
    }
    return proc_tree_read(child, &process) < 0 || is_own(&process);
}

int left_running_may_be(void)
{
    char list[CHILDREN_MAX];
    int fd = open("/proc/1/task/1/children", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, list, sizeof list - 1);
    if (fd >= 0)
        close(fd);
    /* Linux without CONFIG_PROC_CHILDREN, or very many. */
    if (length <= 0 || length == sizeof list - 1 || proc_tree_read(1, &init) < 0)
        return 1;
    list[length] = '\0';
    for (char *at = list, *end; strtol(at, &end, 10) > 0; at = end) {
        if (!is_plain_process((int)strtol(at, NULL, 10)))
            return 1;
    }
    return 0;
}

int left_running_find(const struct init_options *options, struct session_left *left)
{
    size_t count;
    *left = (struct session_left){.fate = fate(options)};
    struct process *list = proc_tree_read(1, &init) < 0 ? NULL : proc_tree_list(&count);
    if (!list)
        return -1;
    proc_tree_mark(list, count, mark, FROM_INIT);
    for (size_t i = 0; i < count; i++) {
        if (is_counted(&list[i]))
            add(left, program_of(list, count, &list[i]));
    }
    free(list);
    return 0;
}
