#include "guest/guard/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/proc_stat.h"

/* Behind "NAME:", or NULL. */
static const char *field(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, length) && line[length] == ':')
            return line + length + 1;
    }
    return NULL;
}

static int number(const char *text, const char *name, int base, unsigned long *value)
{
    const char *at = field(text, name);
    if (!at)
        return -1;
    *value = strtoul(at, NULL, base);
    return 0;
}

/* The numbers on a line, at most MAX. How many, or -1. */
static int numbers(const char *text, const char *name, unsigned *values, int max)
{
    const char *at = field(text, name);
    int count = 0;
    if (!at)
        return -1;
    while (count < max) {
        char *end;
        at += strspn(at, " \t");
        if (*at < '0' || *at > '9')
            break;
        values[count++] = (unsigned)strtoul(at, &end, 10);
        at = end;
    }
    return count;
}

int guard_status_parse(struct guard_status *self, const char *text)
{
    unsigned long tgid, mask, caps, threads, own, shared, blocked, caught;
    unsigned uids[4], gids[4], tgids[GUARD_LEVELS_MAX];
    if (number(text, "Tgid", 10, &tgid) < 0 || number(text, "Umask", 8, &mask) < 0 ||
        number(text, "CapEff", 16, &caps) < 0 || number(text, "Threads", 10, &threads) < 0 ||
        number(text, "SigPnd", 16, &own) < 0 || number(text, "ShdPnd", 16, &shared) < 0 ||
        number(text, "SigBlk", 16, &blocked) < 0 || number(text, "SigCgt", 16, &caught) < 0 ||
        numbers(text, "Uid", uids, 4) != 4 || numbers(text, "Gid", gids, 4) != 4)
        return -1;
    int levels = numbers(text, "NStgid", tgids, GUARD_LEVELS_MAX);
    self->tgid = (pid_t)tgid;
    self->mask = (mode_t)mask & 0777;
    self->caps = caps;
    self->threads = (int)threads;
    self->pending = own & ~blocked;
    self->shared_pending = shared & ~blocked;
    self->caught = caught;
    self->fsuid = uids[3];
    self->fsgid = gids[3];
    self->group_count = numbers(text, "Groups", self->groups, GUARD_GROUPS_MAX);
    self->level_count = numbers(text, "NSpid", (unsigned *)self->pids, GUARD_LEVELS_MAX);
    self->own_tgid = levels < 1 ? self->tgid : (pid_t)tgids[levels - 1];
    return self->group_count < 0 || self->level_count < 1 ? -1 : 0;
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    text[n < 0 ? 0 : n] = '\0';
    return n;
}

int guard_status_read(struct guard_status *self, pid_t pid)
{
    char path[64], text[8192];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    return read_file(path, text, sizeof text) > 0 ? guard_status_parse(self, text) : -1;
}

int guard_caller_refresh(struct guard_request *self)
{
    if (guard_status_read(&self->status, self->pid) < 0)
        return ESRCH;
    self->knows = 1;
    return 0;
}

int guard_caller_know(struct guard_request *self)
{
    return self->knows ? 0 : guard_caller_refresh(self);
}

int guard_caller_exceeds_size(struct guard_request *self)
{
    static const char key[] = "Max file size";
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/limits", self->pid);
    const char *line = read_file(path, text, sizeof text) > 0 ? strstr(text, key) : NULL;
    if (!line)
        return 1;
    line += strlen(key);
    line += strspn(line, " ");
    if (*line == 'u' || self->number <= strtoull(line, NULL, 10))
        return 0; /* unlimited, or within it */
    if (guard_caller_know(self) == 0)
        syscall(SYS_tgkill, self->status.tgid, self->pid, SIGXFSZ);
    return 1;
}

int guard_caller_terminal(const struct guard_request *self)
{
    struct proc_stat stat;
    if (self->view.abroad) /* the same number may mean another terminal there */
        return -1;
    return proc_stat_read(&stat, self->pid) < 0 ? -1 : proc_stat_pty(&stat);
}

int guard_caller_leads_without_terminal(struct guard_request *self)
{
    struct proc_stat stat;
    return guard_caller_know(self) == 0 && proc_stat_read(&stat, self->pid) == 0 &&
           stat.session == self->status.tgid && stat.terminal == 0;
}

int guard_caller_processor(pid_t pid)
{
    struct proc_stat stat;
    return proc_stat_read(&stat, pid) < 0 ? -1 : stat.processor;
}

int guard_caller_is_path_only(const struct guard_request *self, int fd)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", self->pid, fd);
    const char *flags = read_file(path, text, sizeof text) > 0 ? strstr(text, "flags:") : NULL;
    return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_PATH);
}
