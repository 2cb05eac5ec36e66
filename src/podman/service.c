#include "podman/service.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "net/unix_socket.h"

#define USERS_SOCKET "podman.sock"
/* In the runtime folder, beside the folders of boxes: no box can be called so. */
#define SOCKET_NAME ".podman.sock"
#define LOG_NAME ".podman.log"
#define LOCK_NAME ".podman.lock"
/* systemctl normally takes a few milliseconds. */
#define SYSTEMCTL_TIMEOUT "5s"
/* Bytes of the private service's log, whose last line explains a failure. */
#define LOG_MAX (1 << 20)

struct podman_service {
    enum {
        FROM_ENVIRONMENT, /* CONTAINER_HOST */
        OF_USER,          /* the user's own socket */
        PRIVATE,          /* of Litterbox */
        AT_PATH,          /* podman_service_new_at() */
    } kind;
    char *socket;
    char address[UNIX_SOCKET_ADDRESS_SIZE]; /* of SOCKET, through FOLDER */
    int folder;                             /* -1: none */
    char *log;                              /* of a service that Litterbox starts, else NULL */
    gboolean asked_systemd;
};

/* Takes ownership of PATH. */
static gboolean set_socket(podman_service *self, char *path, GError **error)
{
    g_free(self->socket);
    if (self->folder >= 0)
        close(self->folder);
    self->socket = path;
    if (unix_socket_address(path, self->address, &self->folder) == 0)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE, "cannot reach podman's socket '%s': %s",
                path, g_strerror(errno));
    return FALSE;
}

/* CONTAINER_HOST: "unix:///path" or "unix:/path". */
static gboolean use_environment(podman_service *self, const char *url, GError **error)
{
    const char *path = g_str_has_prefix(url, "unix:") ? url + strlen("unix:") : "";

    if (g_str_has_prefix(path, "//"))
        path += 2;
    self->kind = FROM_ENVIRONMENT;
    if (*path == '/')
        return set_socket(self, g_strdup(path), error);
    g_autofree char *safe = text_safe_max(url, -1, 200);
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                "CONTAINER_HOST is '%s', but only 'unix:///PATH' is supported: forward a remote "
                "socket with 'ssh -L PATH:REMOTE_PATH HOST', or unset it",
                safe);
    return FALSE;
}

/* The socket of podman.socket (podman-system-service(1)), or of a service that the user runs. */
static gboolean use_user_service(podman_service *self, GError **error)
{
    g_autofree char *folder = paths_users_runtime(error);

    if (!folder)
        return FALSE;
    self->kind = OF_USER;
    return set_socket(self, g_build_filename(folder, "podman", USERS_SOCKET, NULL), error);
}

static gboolean use_private_service(podman_service *self, GError **error)
{
    g_autofree char *folder = paths_runtime(NULL, error);

    if (!folder || !fs_make_folder(folder, 0700, error))
        return FALSE;
    self->kind = PRIVATE;
    g_free(self->log);
    self->log = g_build_filename(folder, LOG_NAME, NULL);
    return set_socket(self, g_build_filename(folder, SOCKET_NAME, NULL), error);
}

podman_service *podman_service_new(GError **error)
{
    g_autoptr(podman_service) self = g_new0(podman_service, 1);
    const char *url = g_getenv("CONTAINER_HOST");

    self->folder = -1;
    if (url && *url ? use_environment(self, url, error) : use_user_service(self, error))
        return g_steal_pointer(&self);
    return NULL;
}

podman_service *podman_service_new_at(const char *path, const char *log, GError **error)
{
    g_autoptr(podman_service) self = g_new0(podman_service, 1);

    self->folder = -1;
    self->kind = AT_PATH;
    self->log = g_strdup(log);
    return set_socket(self, g_strdup(path), error) ? g_steal_pointer(&self) : NULL;
}

gboolean podman_service_is_from_environment(const podman_service *self)
{
    return self->kind == FROM_ENVIRONMENT;
}

void podman_service_free(podman_service *self)
{
    if (!self)
        return;
    if (self->folder >= 0)
        close(self->folder);
    g_free(self->socket);
    g_free(self->log);
    g_free(self);
}

const char *podman_service_socket(const podman_service *self)
{
    return self->socket;
}

const char *podman_service_address(const podman_service *self)
{
    return self->address;
}

/* TRUE when the user's socket unit is running now. Tried only once. */
static gboolean start_with_systemd(podman_service *self)
{
    const char *const command[] = {"timeout", SYSTEMCTL_TIMEOUT, "systemctl",
                                   "--user",  "--quiet",         "--no-ask-password",
                                   "start",   "podman.socket",   NULL};
    int status;

    if (self->asked_systemd || access("/run/systemd/system", F_OK) < 0)
        return FALSE;
    self->asked_systemd = TRUE;
    return g_spawn_sync(NULL, (char **)command, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL |
                            G_SPAWN_STDERR_TO_DEV_NULL,
                        NULL, NULL, NULL, NULL, &status, NULL) &&
           g_spawn_check_wait_status(status, NULL);
}

/* TRUE when a process listens on the socket. EAGAIN: its queue is full. */
static gboolean has_listener(const podman_service *self)
{
    int fd = unix_socket_connect(self->address, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd < 0)
        return errno == EAGAIN;
    close(fd);
    return TRUE;
}

/* Starts the private service under a lock, unless another process has just done so. */
static gboolean start_private(podman_service *self, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(self->socket);
    g_autofree char *lock_path = g_build_filename(folder, LOCK_NAME, NULL);
    int lock = fs_lock(lock_path, NULL, error);
    gboolean started = FALSE;

    if (lock < 0)
        return FALSE;
    if (has_listener(self)) {
        started = TRUE;
    } else {
        /* The socket listens before the service runs, so that clients can connect at once. */
        int listener = unix_socket_listen(self->socket, SOCK_STREAM, 0600, SOMAXCONN);
        if (listener < 0)
            g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                        "cannot listen on '%s' for a podman service: %s", self->socket,
                        g_strerror(errno));
        else
            started = podman_service_spawn(listener, self->log, error);
        if (listener >= 0)
            close(listener);
    }
    close(lock);
    return started;
}

/* Prefers systemd's service to a private one. It is tried only now that there is no private
 * service, because asking systemd takes longer than connecting. */
static gboolean start_any(podman_service *self, GError **error)
{
    return start_with_systemd(self) ? use_user_service(self, error) : start_private(self, error);
}

gboolean podman_service_refused(podman_service *self, int number, GError **error)
{
    switch (self->kind) {
    case OF_USER:
        return use_private_service(self, error);
    case PRIVATE:
        if (number == ENOENT || number == ECONNREFUSED)
            return start_any(self, error);
        break;
    case AT_PATH:
        break;
    case FROM_ENVIRONMENT:
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "no podman service answers on CONTAINER_HOST '%s': %s; start one there with "
                    "'podman system service', or unset CONTAINER_HOST",
                    self->socket, g_strerror(number));
        return FALSE;
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE, "cannot connect to podman on '%s': %s",
                self->socket, g_strerror(number));
    return FALSE;
}

/* The last line of the service's log, safe to show; NULL when the log is empty. */
static char *last_log_line(const podman_service *self)
{
    g_autofree char *text = fs_read_text(self->log, LOG_MAX);
    const char *line;

    if (!text)
        return NULL;
    g_strchomp(text);
    line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return *line ? text_safe_max(line, -1, 400) : NULL;
}

char *podman_service_advice(const podman_service *self)
{
    g_autofree char *line = NULL;

    switch (self->kind) {
    case OF_USER:
        return g_strdup("see 'systemctl --user status podman.service'");
    case PRIVATE:
    case AT_PATH:
        line = last_log_line(self);
        return line ? g_strdup_printf("its log ends with '%s'", line) : NULL;
    case FROM_ENVIRONMENT:
        break;
    }
    return NULL;
}
