#include "box/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/say.h"
#include "box/sessions.h"

/* In a child: a session's client is a process with its own stdout. */
static void run(box *self, const char *const *command, int out)
{
    g_autoptr(GError) error = NULL;
    session_wish wish = {.command = (char **)command, .workdir = "/"};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(125);
    int status = sessions_run(self, &wish, &error);
    if (status < 0)
        say_error("%s", error->message);
    _exit(status < 0 ? 125 : status);
}

static char *read_all(int fd)
{
    g_autoptr(GString) text = g_string_new(NULL);
    char bytes[4096];
    while (text->len < CAPTURE_MAX) {
        ssize_t n = read(fd, bytes, MIN(sizeof bytes, CAPTURE_MAX - text->len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        g_string_append_len(text, bytes, n);
    }
    return g_strdup(text->str);
}

char *capture(box *self, const char *const *command, GError **error)
{
    int pipes[2], status = -1;
    if (pipe2(pipes, O_CLOEXEC) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "a pipe: %s", g_strerror(errno));
        return NULL;
    }
    pid_t pid = fork();
    if (pid == 0)
        run(self, command, pipes[1]);
    close(pipes[1]);
    g_autofree char *text = read_all(pipes[0]);
    close(pipes[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return g_steal_pointer(&text);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box could not run '%s'", command[0]);
    return NULL;
}
