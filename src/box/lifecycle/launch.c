#include "box/lifecycle/launch.h"

#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/pidfd.h>

#include "common/text.h"
#include "net/unix_socket.h"
#include "podman/containers.h"

/* Podman's cleanup of the last run takes well below a second. */
#define TRIES 20
#define RETRY_INTERVAL_MS 50

/* The output of box-init or the OCI runtime, for the error. */
static void collect_log(int stream, const char *data, gsize length, gpointer user_data)
{
    (void)stream;
    g_string_append_len(user_data, data, (gssize)length);
}

static void set_ended_error(const struct box *self, podman_client *server, GError **error)
{
    GString *log = g_string_new(NULL);
    podman_container_logs(server, self->container, 0, 5, collect_log, log, NULL);
    g_autofree char *safe = text_safe(log->str, (gssize)log->len);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box ended as soon as it was started%s%s",
                *safe ? ": " : "", safe);
    g_string_free(log, TRUE);
}

/* Waits until box-init listens. -1 with ERROR when the container ends or the time is up. */
static int await_init(const struct box *self, podman_client *server, GError **error)
{
    for (int waited = 0, pause = 1; waited < BOX_LISTEN_TIMEOUT_MS; waited += pause) {
        int fd = box_connect(self);
        if (fd >= 0)
            return fd;
        g_usleep((gulong)pause * 1000);
        if (waited < 250)
            continue;
        pause = 100;
        g_autoptr(box_container) now = box_container_inspect(self, server, error);
        if (!now)
            return -1;
        if (now->state != BOX_RUNNING) {
            set_ended_error(self, server, error);
            return -1;
        }
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the box runs but does not answer: try 'box restart', and see 'box logs'");
    return -1;
}

/* One attempt to start the container. */
typedef struct {
    box_container *verified; /* NULL: it did not get that far */
    gboolean started;
    int fd; /* to box-init, or -1 */
} launch_attempt;

static void launch_attempt_clear(launch_attempt *self)
{
    g_clear_pointer(&self->verified, box_container_free);
    if (self->fd >= 0)
        close(self->fd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(launch_attempt, launch_attempt_clear)

/* Prepares the container, verifies its mounts before any code of the box runs, and starts it. */
static void try_launch(const struct box *self, podman_client *server, launch_attempt *attempt,
                       GError **error)
{
    if (!podman_container_init(server, self->container, error))
        return;
    attempt->verified = box_container_inspect(self, server, error);
    if (!attempt->verified || !launch_verify_mounts(self, attempt->verified, error))
        return;
    attempt->started = podman_container_start(server, self->container, error);
    if (attempt->started)
        attempt->fd = await_init(self, server, error);
}

/* TRUE when the verified container has gone meanwhile, and another one may have been started. */
static gboolean was_removed(const launch_attempt *attempt)
{
    if (!attempt->verified)
        return FALSE;
    return attempt->started
               ? attempt->fd >= 0 && unix_socket_peer_pid(attempt->fd) != attempt->verified->pid
               : !box_container_is_alive(attempt->verified);
}

/*
 * Podman cleans up some time after a run has ended, in a separate process. With the remains of that
 * run it may remove the container that has been prepared for the next one. Then it is prepared
 * again.
 */
int box_launch(const struct box *self, podman_client *server, GError **error)
{
    for (int left = TRIES;; left--) {
        g_auto(launch_attempt) attempt = {.fd = -1};
        g_autoptr(GError) problem = NULL;
        try_launch(self, server, &attempt, &problem);
        gboolean removed = was_removed(&attempt);
        if (!removed && attempt.fd >= 0 && launch_verify_init(self, attempt.verified, &problem)) {
            int fd = attempt.fd;
            attempt.fd = -1;
            return fd;
        }
        /* Stops what was refused. What ended by itself or was removed is gone already. */
        if (attempt.verified && (attempt.fd >= 0 || (!attempt.started && !removed)))
            podman_container_stop(server, self->container, 0, NULL);
        if (!removed || left == 0) {
            if (!problem)
                g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED,
                            "podman removes the prepared container of box '%s'; try again",
                            self->name);
            g_propagate_error(error, g_steal_pointer(&problem));
            return -1;
        }
        g_usleep(RETRY_INTERVAL_MS * 1000);
    }
}

/* Bytes of a command line; those of crun and runc are far shorter. */
#define COMMAND_MAX 8192
/* Length of Podman's container IDs. A shorter text could occur in other command lines. */
#define ID_LENGTH 64

/* TRUE when the command line of PID is "RUNTIME … create … PATH-WITH-ID …". */
static gboolean is_creation(const char *pid, const char *id)
{
    char command[COMMAND_MAX];
    g_autofree char *path = g_build_filename("/proc", pid, "cmdline", NULL);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, command, sizeof command - 1);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return FALSE;
    command[length] = '\0';
    gboolean creates = FALSE, names = FALSE;
    for (const char *word = command; word < command + length; word += strlen(word) + 1) {
        creates |= strcmp(word, "create") == 0;
        names |= strstr(word, id) != NULL;
    }
    return creates && names;
}

void runtime_orphans_kill(const char *id)
{
    g_autoptr(GDir) proc = strlen(id) == ID_LENGTH ? g_dir_open("/proc", 0, NULL) : NULL;
    for (const char *name; proc && (name = g_dir_read_name(proc));) {
        int pid = g_ascii_isdigit(*name) ? atoi(name) : 0;
        /* Opened before the check, so that the signal cannot reach a process that reuses the PID.
         */
        int pidfd = pid > 1 ? pidfd_open(pid, 0) : -1;
        if (pidfd < 0)
            continue;
        if (is_creation(name, id))
            pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
        close(pidfd);
    }
}
