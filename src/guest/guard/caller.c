#include "guest/guard/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCESSOR_FIELD 39 /* of /proc/PID/stat, proc(5) */

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

/* Its session, and the number of the device that is its controlling terminal. 0, or -1. */
static int read_session(const struct guard_request *self, int *session, int *terminal)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", self->pid);
    if (read_file(path, text, sizeof text) <= 0)
        return -1;
    const char *name_end = strrchr(text, ')'); /* the name may hold anything */
    return name_end && sscanf(name_end + 1, " %*c %*d %*d %d %d", session, terminal) == 2 ? 0 : -1;
}

int guard_caller_terminal(const struct guard_request *self)
{
    int session, number;
    if (self->view.abroad) /* the same number may mean another terminal there */
        return -1;
    if (read_session(self, &session, &number) < 0)
        return -1;
    int major = number >> 8 & 0xfff;
    return major == 136 ? (number & 0xff) | (number >> 12 & 0xfff00) : -1;
}

int guard_caller_leads_without_terminal(struct guard_request *self)
{
    int session, terminal;
    return guard_caller_know(self) == 0 && read_session(self, &session, &terminal) == 0 &&
           session == self->status.tgid && terminal == 0;
}

int guard_caller_processor(pid_t pid)
{
    char path[64], text[2048];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (read_file(path, text, sizeof text) <= 0)
        return -1;
    const char *at = strrchr(text, ')'); /* the second field; the name may hold anything */
    for (int field = 2; at && field < PROCESSOR_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at ? atoi(at + 1) : -1;
}

int guard_caller_is_path_only(const struct guard_request *self, int fd)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", self->pid, fd);
    const char *flags = read_file(path, text, sizeof text) > 0 ? strstr(text, "flags:") : NULL;
    return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_PATH);
}
