#include "box/background.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "sys/signals.h"

/* A file of messages that has grown to more begins anew. */
#define MESSAGES_MAX (64 * 1024)

/* In the child of a child: nothing of the caller's terminal and folder stays with it. */
static void run(const background *wanted, char **argv, int ready, int messages)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), input = wanted->input;
    setsid();
    signals_reset();
    if (!wanted->keeps_umask)
        umask(077);
    if (chdir("/") == 0 && dup2(input >= 0 ? input : null, STDIN_FILENO) >= 0 &&
        dup2(ready, STDOUT_FILENO) >= 0 &&
        dup2(messages >= 0 ? messages : null, STDERR_FILENO) >= 0 && close_range(3, ~0u, 0) == 0)
        execv(argv[0], argv);
    _exit(127);
}

static int open_messages(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    if (!fs_make_folder(folder, 0700, NULL))
        return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;
    /* Two may start the same program: who gives way leaves what the other has said. */
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > MESSAGES_MAX && ftruncate(fd, 0) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static char **make_argv(const background *wanted)
{
    GPtrArray *argv = g_ptr_array_new();
    g_ptr_array_add(argv, g_strdup(wanted->program));
    for (const char *const *each = wanted->arguments; *each; each++)
        g_ptr_array_add(argv, g_strdup(*each));
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}

/* Reads from READY until it is closed, or PATIENCE is over. */
static char *listen_to(int ready, int patience)
{
    g_autoptr(GString) said = g_string_new(NULL);
    gint64 end = g_get_monotonic_time() + (gint64)patience * 1000;
    for (;;) {
        struct pollfd wait = {.fd = ready, .events = POLLIN};
        gint64 left = (end - g_get_monotonic_time()) / 1000;
        char bytes[512];
        int n = poll(&wait, 1, (int)MAX(left, 0));
        if (n < 0 && errno == EINTR)
            continue;
        gssize got = n > 0 ? read(ready, bytes, sizeof bytes) : 0;
        if (got <= 0 || said->len + (gsize)got > BACKGROUND_SAYS_MAX)
            break;
        g_string_append_len(said, bytes, got);
    }
    return g_strchomp(g_strdup(said->str));
}

gboolean background_start(const background *wanted, char **said, GError **error)
{
    g_auto(GStrv) argv = make_argv(wanted);
    int ready[2];
    if (access(wanted->program, X_OK) < 0 || pipe2(ready, O_CLOEXEC) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot start '%s': %s", wanted->program,
                    g_strerror(errno));
        return FALSE;
    }
    int messages = open_messages(wanted->messages);
    pid_t pid = fork();
    if (pid == 0) {
        pid_t its = fork();
        if (its == 0)
            run(wanted, argv, ready[1], messages);
        _exit(its < 0);
    }
    close(ready[1]);
    if (messages >= 0)
        close(messages);
    int failed = 0;
    while (pid > 0 && waitpid(pid, &failed, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || failed) {
        close(ready[0]);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "cannot start '%s': too many processes, or too little memory", wanted->program);
        return FALSE;
    }
    g_autofree char *heard = listen_to(ready[0], wanted->patience);
    close(ready[0]);
    if (said)
        *said = g_steal_pointer(&heard);
    return TRUE;
}
