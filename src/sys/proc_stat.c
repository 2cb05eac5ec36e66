#include "sys/proc_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

/* 52 numbers of at most 20 digits, and a name: 64 bytes, of a kernel thread. */
#define STAT_MAX 2048
/* Unix98 terminals (/dev/pts); the kernel gives all of them this major number. */
#define PTY_MAJOR 136

/* The numbers that proc_pid_stat(5) gives the fields. */
enum {
    PARENT = 4,
    SESSION = 6,
    TERMINAL = 7,
    CHILDREN_USER = 16,
    CHILDREN_SYSTEM = 17,
    THREADS = 20,
    START = 22,
    SIZE = 23,
    PAGES = 24,
    PROCESSOR = 39,
    FIELDS
};

/* Not strtoul(3): sessions and the guard read many of these. A negative number becomes its two's
 * complement. Returns what follows, or NULL when AT is no number. */
static const char *read_number(const char *at, uint64_t *number)
{
    int is_negative = *at == '-';
    at += is_negative;
    if (*at < '0' || *at > '9')
        return NULL;
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        *number = *number * 10 + (uint64_t)(*at - '0');
    if (is_negative)
        *number = -*number;
    return at;
}

/* The name in parentheses may hold anything, ") Z 1" included, but is short. */
int proc_stat_parse(struct proc_stat *self, const char *line)
{
    uint64_t pid, field[FIELDS];
    const char *open = read_number(line, &pid), *close = strrchr(line, ')');
    *self = (struct proc_stat){0};
    if (!open || strncmp(open, " (", 2) != 0 || !close || close < open || close[1] != ' ' ||
        !close[2])
        return -1;
    open += 2;
    self->state = close[2];
    const char *at = close + 3;
    for (int i = PARENT; i < FIELDS; i++) {
        if (*at != ' ' || !(at = read_number(at + 1, &field[i])))
            return -1;
    }
    size_t length = (size_t)(close - open);
    memcpy(self->name, open, length < sizeof self->name ? length : sizeof self->name - 1);
    self->pid = (int)pid;
    self->parent = (int)field[PARENT];
    self->session = (int)field[SESSION];
    self->terminal = (int)field[TERMINAL];
    self->children_ticks = field[CHILDREN_USER] + field[CHILDREN_SYSTEM];
    self->threads = field[THREADS];
    self->start = field[START];
    self->size = field[SIZE];
    self->pages = field[PAGES];
    self->processor = (int)field[PROCESSOR];
    return 0;
}

int proc_stat_read(struct proc_stat *self, int pid)
{
    char path[32], line[STAT_MAX];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t length = read(fd, line, sizeof line - 1);
    int saved = length == 0 ? EINVAL : errno;
    close(fd);
    errno = saved;
    if (length <= 0)
        return -1;
    line[length] = '\0';
    errno = EINVAL;
    return proc_stat_parse(self, line);
}

int proc_stat_pty(const struct proc_stat *self)
{
    dev_t number = (dev_t)(unsigned)self->terminal;
    return major(number) == PTY_MAJOR ? (int)minor(number) : -1;
}

/* One that is exiting has no memory any more, while its state may still be "running". */
bool proc_stat_is_alive(int pid)
{
    struct proc_stat stat;
    if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH))
        return false;
    return proc_stat_read(&stat, pid) < 0 ||
           (stat.state != 'Z' && stat.state != 'X' && stat.size > 0);
}
