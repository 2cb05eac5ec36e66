#include "box/inspect/command_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"

/* One that takes longer is left out. */
#define WAIT_MS 500
/* So many may; then the rest is left out. */
#define STUCK_MAX 4

static gsize read_one(const char *proc, pid_t pid, char *line)
{
    char path[256];
    gsize have = 0;
    g_snprintf(path, sizeof path, "%s/%d/cmdline", proc, (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    for (gssize n; fd >= 0 && have < COMMAND_LINE_MAX &&
                   (n = read(fd, line + have, COMMAND_LINE_MAX - have)) > 0;)
        have += (gsize)n;
    if (fd >= 0)
        close(fd);
    return have;
}

/* In the child: a length and so many bytes of each. */
static void read_all(const char *proc, const pid_t *pids, gsize count, int out)
{
    char line[COMMAND_LINE_MAX];
    for (gsize i = 0; i < count; i++) {
        gsize length = read_one(proc, pids[i], line);
        if (!fs_write_all(out, (const char *)&length, sizeof length) ||
            !fs_write_all(out, line, length))
            return;
    }
}

/* FALSE when nothing came in time, or the child has ended. */
static gboolean receive(int fd, char *data, gsize length)
{
    while (length) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, WAIT_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        gssize n = ready == 1 ? read(fd, data, length) : 0;
        if (n <= 0)
            return FALSE;
        data += n;
        length -= (gsize)n;
    }
    return TRUE;
}

static char *make_safe(char *line, gsize length)
{
    while (length && line[length - 1] == '\0')
        length--;
    for (gsize i = 0; i < length; i++)
        if (line[i] == '\0')
            line[i] = ' ';
    return text_safe(line, (gssize)length);
}

/* Adds lines to LIST until a process does not answer. */
static void read_some(const char *proc, const pid_t *pids, gsize count, GPtrArray *list)
{
    char line[COMMAND_LINE_MAX];
    gsize length;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        read_all(proc, pids, count, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    for (gsize i = 0; child > 0 && i < count; i++) {
        if (!receive(ends[0], (char *)&length, sizeof length) || length > sizeof line ||
            !receive(ends[0], line, length))
            break;
        g_ptr_array_add(list, make_safe(line, length));
    }
    close(ends[0]);
    /* It may not be able to end: it is not waited for, and init reaps it. */
    if (child > 0 && kill(child, SIGKILL) == 0)
        waitpid(child, NULL, WNOHANG);
}

GPtrArray *command_lines_read(const char *proc, const pid_t *pids, gsize count)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    for (int stuck = 0; list->len < count && stuck < STUCK_MAX; stuck++) {
        read_some(proc, pids + list->len, count - list->len, list);
        if (list->len < count)
            g_ptr_array_add(list, g_strdup(""));
    }
    while (list->len < count)
        g_ptr_array_add(list, g_strdup(""));
    return list;
}
