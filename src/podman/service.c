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

/* A listener whose queue stays full for this long is taken for hung. */
#define CONNECT_WAIT_MS 10000
/* systemctl normally needs a few milliseconds. */
#define SYSTEMCTL_LIMIT "5s"
/* How much of the end of the private service's log is looked at. */
#define LOG_MAX (1 << 20)

#define SOCKET_NAME "podman.sock"
#define LOG_NAME "podman.log"
#define LOCK_NAME "podman.lock"

struct service {
    char *socket;
    enum { NONE, GIVEN, USERS, PRIVATE } kind; /* of the last connection */
    gboolean asked_systemd;
};

service *service_new(void) {
    return g_new0(service, 1);
}

void service_free(service *self) {
    if (!self)
        return;
    g_free(self->socket);
    g_free(self);
}

const char *service_socket(const service *self) {
    return self->socket;
}

/* Connects to PATH and remembers it. -1 with errno. */
static int try(service *self, const char *path) {
    int fd = socket_connect(path, CONNECT_WAIT_MS);

    if (fd >= 0 && g_strcmp0(self->socket, path) != 0) {
        g_free(self->socket);
        self->socket = g_strdup(path);
    }
    return fd;
}

/* CONTAINER_HOST: "unix:///path" or "unix:/path". */
static int open_given(service *self, const char *url, GError **error) {
    const char *path = g_str_has_prefix(url, "unix:") ? url + strlen("unix:") : NULL;
    g_autofree char *safe = text_safe_max(url, -1, 200);
    int fd;

    if (path && g_str_has_prefix(path, "//"))
        path += 2;
    if (!path || *path != '/') {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "CONTAINER_HOST is '%s', but only 'unix:///PATH' is supported; forward a "
                    "remote socket with 'ssh -L PATH:REMOTE_PATH HOST', or unset it",
                    safe);
        return -1;
    }
    fd = try(self, path);
    self->kind = GIVEN;
    if (fd < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "no podman service answers on CONTAINER_HOST '%s': %s; start one there, or "
                    "unset CONTAINER_HOST",
                    safe, g_strerror(errno));
    return fd;
}

/* TRUE when the user's socket unit may be up now. Asked once: it does not get better. */
static gboolean start_with_systemd(service *self) {
    const char *const command[] = {"timeout", SYSTEMCTL_LIMIT, "systemctl",
                                   "--user",  "--quiet",       "--no-ask-password",
                                   "start",   "podman.socket", NULL};
    struct stat st;
    int status;

    if (self->asked_systemd || stat("/run/systemd/system", &st) < 0)
        return FALSE;
    self->asked_systemd = TRUE;
    return g_spawn_sync(NULL, (char **)command, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL |
                            G_SPAWN_STDERR_TO_DEV_NULL,
                        NULL, NULL, NULL, NULL, &status, NULL) &&
           g_spawn_check_wait_status(status, NULL);
}

/* The socket that systemd, or the user by hand, keeps. -1 without ERROR when there is none. */
static int open_users(service *self, const char *runtime) {
    g_autofree char *base = g_path_get_dirname(runtime);
    g_autofree char *path = g_build_filename(base, "podman", SOCKET_NAME, NULL);
    int fd = try(self, path);

    if (fd < 0 && (errno == ENOENT || errno == ECONNREFUSED) && start_with_systemd(self))
        fd = try(self, path);
    if (fd >= 0 && !socket_peer_is_us(fd)) {
        close(fd);
        fd = -1;
    }
    self->kind = USERS;
    return fd;
}

/* Starts the service under the lock, unless another client just did. */
static int start_private(service *self, const char *runtime, const char *path, GError **error) {
    g_autofree char *lock_path = g_build_filename(runtime, LOCK_NAME, NULL);
    g_autofree char *log = g_build_filename(runtime, LOG_NAME, NULL);
    int fd = -1, listener = -1;
    int lock = fs_lock(lock_path, NULL, error);

    if (lock < 0)
        return -1;
    fd = try(self, path);
    if (fd < 0) {
        /* Listening before the service runs: clients queue at once, and none has to poll. */
        listener = socket_listen(path);
        if (listener < 0)
            g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                        "cannot listen on '%s' for a podman service: %s", path, g_strerror(errno));
        else if (spawn_service(listener, log, error) && (fd = try(self, path)) < 0)
            g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                        "the podman service on '%s' ended at once: %s", path, g_strerror(errno));
        if (listener >= 0)
            close(listener);
    }
    close(lock);
    return fd;
}

static int open_private(service *self, const char *runtime, GError **error) {
    g_autofree char *path = g_build_filename(runtime, SOCKET_NAME, NULL);
    int fd;

    if (!fs_make_folder(runtime, 0700, error))
        return -1;
    fd = try(self, path);
    if (fd < 0)
        fd = start_private(self, runtime, path, error);
    self->kind = PRIVATE;
    return fd;
}

int service_open(service *self, GError **error) {
    const char *given = g_getenv("CONTAINER_HOST");
    int fd;

    self->kind = NONE;
    if (given && *given)
        return open_given(self, given, error);
    g_autofree char *runtime = paths_runtime(NULL, error);
    if (!runtime)
        return -1;
    fd = open_users(self, runtime);
    return fd >= 0 ? fd : open_private(self, runtime, error);
}

/* The last line of the private service's log; NULL when it said nothing. */
static char *last_words(const service *self) {
    g_autofree char *folder = g_path_get_dirname(self->socket);
    g_autofree char *path = g_build_filename(folder, LOG_NAME, NULL);
    g_autofree char *text = NULL;
    const char *line;

    if (!fs_read(AT_FDCWD, path, LOG_MAX, &text, NULL, NULL))
        return NULL;
    g_strchomp(text);
    line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return *line ? text_safe_max(line, -1, 400) : NULL;
}

char *service_advice(const service *self) {
    g_autofree char *words = NULL;

    switch (self->kind) {
    case USERS:
        return g_strdup("see 'systemctl --user status podman.service'");
    case PRIVATE:
        words = last_words(self);
        return words ? g_strdup_printf("its log ends with '%s'", words) : NULL;
    case NONE:
    case GIVEN:
        break;
    }
    return NULL;
}
