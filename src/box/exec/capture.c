#include "box/exec/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/exec/session_child.h"

#define TIMEOUT_MS 30000

/* Reads until FD is closed, MAX is reached, or the process of the pidfd CHILD has ended and nothing
 * is left to read. The box can keep the pipe open after that. */
static GString *read_all(int fd, int child, gsize max)
{
    GString *text = g_string_new(NULL);
    char bytes[16384];
    while (text->len < max) {
        struct pollfd wait[] = {{.fd = fd, .events = POLLIN}, {.fd = child, .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 && errno == EINTR)
            continue;
        if (!wait[0].revents)
            break;
        ssize_t n = read(fd, bytes, MIN(sizeof bytes, max - text->len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        g_string_append_len(text, bytes, n);
    }
    return text;
}

char *box_capture_output(struct box *self, const char *const *command, gsize max, gsize *length,
                         GError **error)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot create a pipe: %s",
                    g_strerror(errno));
        return NULL;
    }
    session_options options = {
        .command = (char **)command, .workdir = "/", .quiet = TRUE, .timeout_ms = TIMEOUT_MS};
    pid_t pid = session_child_start(self, &options, (int[]){-1, pipes[1], -1}, -1);
    close(pipes[1]);
    int child = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    g_autoptr(GString) text = read_all(pipes[0], child, max);
    close(pipes[0]);
    if (child >= 0)
        close(child);
    int status = pid > 0 ? session_child_reap(pid) : -1;
    if (status == 0 && text->len < max) {
        if (length)
            *length = text->len;
        return g_string_free(g_steal_pointer(&text), FALSE);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                text->len < max ? "'%s' in the box has failed, or took too long"
                                : "the output of '%s' in the box is too long",
                command[0]);
    return NULL;
}
