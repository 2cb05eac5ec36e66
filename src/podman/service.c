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
#include "podman/socket.h"
#include "podman/spawn.h"

#define SOCKET_NAME "podman.sock"
#define LOG_NAME "podman.log"
#define LOCK_NAME "podman.lock"
/* systemctl normally needs a few milliseconds. */
#define SYSTEMCTL_LIMIT "5s"
/* Ceiling of the private service's log, when it is read for its last words. */
#define LOG_MAX (1 << 20)

struct service {
    enum { GIVEN, USERS, PRIVATE, AT } kind;
    char *socket, *address;
    int folder; /* what ADDRESS goes through, or -1 */
    char *log;  /* of a service that we have started, else NULL */
    gboolean asked_systemd;
};

/* Makes PATH the socket in use; gives it away. */
static gboolean set_socket(service *self, char *path, GError **error)
{
    g_free(self->socket);
    g_free(self->address);
    if (self->folder >= 0)
        close(self->folder);
    self->socket = path;
    self->address = socket_address(path, &self->folder);
    if (self->address)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE, "cannot reach podman's socket '%s': %s",
                path, g_strerror(errno));
    return FALSE;
}

/* CONTAINER_HOST: "unix:///path" or "unix:/path". */
static gboolean choose_given(service *self, const char *url, GError **error)
{
    const char *path = g_str_has_prefix(url, "unix:") ? url + strlen("unix:") : "";

    if (g_str_has_prefix(path, "//"))
        path += 2;
    self->kind = GIVEN;
    if (*path == '/')
        return set_socket(self, g_strdup(path), error);
    g_autofree char *safe = text_safe_max(url, -1, 200);
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                "CONTAINER_HOST is '%s', but only 'unix:///PATH' is supported: forward a remote "
                "socket with 'ssh -L PATH:REMOTE_PATH HOST', or unset it",
                safe);
    return FALSE;
}

/* The socket that systemd keeps, or that the user serves by hand. */
static gboolean choose_users(service *self, GError **error)
{
    g_autofree char *ours = paths_runtime(NULL, error);

    if (!ours)
        return FALSE;
    g_autofree char *base = g_path_get_dirname(ours);
    self->kind = USERS;
    return set_socket(self, g_build_filename(base, "podman", SOCKET_NAME, NULL), error);
}

static gboolean choose_private(service *self, GError **error)
{
    g_autofree char *ours = paths_runtime(NULL, error);

    if (!ours || !fs_make_folder(ours, 0700, error))
        return FALSE;
    self->kind = PRIVATE;
    g_free(self->log);
    self->log = g_build_filename(ours, LOG_NAME, NULL);
    return set_socket(self, g_build_filename(ours, SOCKET_NAME, NULL), error);
}

service *service_new(GError **error)
{
    g_autoptr(service) self = g_new0(service, 1);
    const char *given = g_getenv("CONTAINER_HOST");

    self->folder = -1;
    if (given && *given ? choose_given(self, given, error) : choose_users(self, error))
        return g_steal_pointer(&self);
    return NULL;
}

service *service_at(const char *path, const char *log, GError **error)
{
    g_autoptr(service) self = g_new0(service, 1);

    self->folder = -1;
    self->kind = AT;
    self->log = g_strdup(log);
    return set_socket(self, g_strdup(path), error) ? g_steal_pointer(&self) : NULL;
}

gboolean service_is_given(const service *self)
{
    return self->kind == GIVEN;
}

void service_free(service *self)
{
    if (!self)
        return;
    if (self->folder >= 0)
        close(self->folder);
    g_free(self->socket);
    g_free(self->address);
    g_free(self->log);
    g_free(self);
}

const char *service_socket(const service *self)
{
    return self->socket;
}

const char *service_address(const service *self)
{
    return self->address;
}

/* TRUE when the user's socket unit is up now. Asked once: it does not get better. */
static gboolean start_with_systemd(service *self)
{
    const char *const command[] = {"timeout", SYSTEMCTL_LIMIT, "systemctl",
                                   "--user",  "--quiet",       "--no-ask-password",
                                   "start",   "podman.socket", NULL};
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

/* Starts the private service under a lock, unless another client just did. */
static gboolean start_private(service *self, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(self->socket);
    g_autofree char *lock_path = g_build_filename(folder, LOCK_NAME, NULL);
    int lock = fs_lock(lock_path, NULL, error);
    gboolean started = FALSE;

    if (lock < 0)
        return FALSE;
    if (socket_answers(self->address)) {
        started = TRUE;
    } else {
        /* Listening before the service runs: clients queue at once, and none has to poll. */
        int listener = socket_listen(self->address);
        if (listener < 0)
            g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                        "cannot listen on '%s' for a podman service: %s", self->socket,
                        g_strerror(errno));
        else
            started = spawn_service(listener, self->log, error);
        if (listener >= 0)
            close(listener);
    }
    close(lock);
    return started;
}

/* Nobody listens on the private socket. systemd is asked before a service of our own is started,
 * but after looking for one: it takes longer. */
static gboolean start_any(service *self, GError **error)
{
    return start_with_systemd(self) ? choose_users(self, error) : start_private(self, error);
}

gboolean service_refused(service *self, int number, GError **error)
{
    switch (self->kind) {
    case USERS:
        return choose_private(self, error);
    case PRIVATE:
        if (number == ENOENT || number == ECONNREFUSED)
            return start_any(self, error);
        break;
    case AT:
        break;
    case GIVEN:
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

/* The last line of the private service's log; NULL when it said nothing. */
static char *last_words(const service *self)
{
    g_autofree char *text = NULL;
    const char *line;

    if (!fs_read(AT_FDCWD, self->log, LOG_MAX, &text, NULL, NULL))
        return NULL;
    g_strchomp(text);
    line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return *line ? text_safe_max(line, -1, 400) : NULL;
}

char *service_advice(const service *self)
{
    g_autofree char *words = NULL;

    switch (self->kind) {
    case USERS:
        return g_strdup("see 'systemctl --user status podman.service'");
    case PRIVATE:
    case AT:
        words = last_words(self);
        return words ? g_strdup_printf("its log ends with '%s'", words) : NULL;
    case GIVEN:
        break;
    }
    return NULL;
}
