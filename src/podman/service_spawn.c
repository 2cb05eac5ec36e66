#include "podman/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "sys/signals.h"
#include "podman/keeper.h"

#define LISTENER_FD 3 /* what LISTEN_FDS=1 stands for */
#define FREE_FDS 64   /* from here on the child's own descriptors are out of the way */
#define PID_DIGITS 10

/*
 * What the service may inherit. Not the rest: it outlives the command that happened to start it,
 * and works for every later one. The user's D-Bus is left out, since Podman finds the bus of
 * systemd by itself; CONTAINER_HOST would make it a client.
 */
static const char *const kept[] = {
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "LANG",
    "TZ",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "CONTAINERS_CONF",
    "CONTAINERS_CONF_OVERRIDE",
    "CONTAINERS_STORAGE_CONF",
    "CONTAINERS_REGISTRIES_CONF",
    "REGISTRY_AUTH_FILE",
    "STORAGE_DRIVER",
    "STORAGE_OPTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
};

/* All that the child needs: between fork and exec it may only make async-signal-safe calls. */
typedef struct {
    char *program;
    char **environment;
    char *pid_digits; /* the end of its LISTEN_PID entry, overwritten by the child */
    int listener, log, null;
    int report;         /* closed by a successful execution; gets the errno of any other */
    int lifeline;       /* of a keeper, or -1 */
    const char *folder; /* which the keeper removes */
} plan;

static char **make_environment(const char *folder, char **pid_digits)
{
    GPtrArray *entries = g_ptr_array_new();

    for (gsize i = 0; i < G_N_ELEMENTS(kept); i++)
        if (g_getenv(kept[i]))
            g_ptr_array_add(entries, g_strdup_printf("%s=%s", kept[i], g_getenv(kept[i])));
    if (folder)
        g_ptr_array_add(entries, g_strdup_printf("TMPDIR=%s", folder));
    else if (g_getenv("TMPDIR"))
        g_ptr_array_add(entries, g_strdup_printf("TMPDIR=%s", g_getenv("TMPDIR")));
    g_ptr_array_add(entries, g_strdup("LISTEN_FDS=1"));
    char *entry = g_strdup_printf("LISTEN_PID=%0*d", PID_DIGITS, 0);
    *pid_digits = entry + strlen("LISTEN_PID=");
    g_ptr_array_add(entries, entry);
    g_ptr_array_add(entries, NULL);
    return (char **)g_ptr_array_free(entries, FALSE);
}

static void plan_clear(plan *self)
{
    g_free(self->program);
    g_strfreev(self->environment);
    if (self->log >= 0)
        close(self->log);
    if (self->null >= 0)
        close(self->null);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plan, plan_clear)

/* Only in absolute entries of PATH: others could name a program of the project that we are in. */
static char *find_program(const char *name)
{
    const char *path = g_getenv("PATH");
    g_auto(GStrv) folders = g_strsplit(path ? path : "/usr/bin:/bin", ":", -1);

    for (char **folder = folders; *folder; folder++) {
        g_autofree char *program = g_build_filename(*folder, name, NULL);
        if (g_path_is_absolute(program) && g_file_test(program, G_FILE_TEST_IS_REGULAR) &&
            access(program, X_OK) == 0)
            return g_steal_pointer(&program);
    }
    return NULL;
}

static gboolean plan_make(plan *self, int listener, const char *log, GError **error)
{
    self->listener = listener;
    self->program = find_program("podman");
    if (!self->program) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                            "podman is not installed: install podman 4.3 or newer");
        return FALSE;
    }
    self->environment = make_environment(self->folder, &self->pid_digits);
    self->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    /* A new file: an old service that is still ending keeps its own. */
    unlink(log);
    self->log = open(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (self->null < 0 || self->log < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot start a podman service: cannot open '%s': %s", log, g_strerror(errno));
        return FALSE;
    }
    return TRUE;
}

static void write_pid(char *digits)
{
    unsigned int pid = getpid();

    for (int i = PID_DIGITS - 1; i >= 0; i--, pid /= 10)
        digits[i] = '0' + pid % 10;
}

static _Noreturn void give_up(int report)
{
    int reason = errno;

    _exit(write(report, &reason, sizeof reason) < 0 ? 126 : 127);
}

/* Becomes the service. Each descriptor is first moved out of the way of the ones to be set. */
static _Noreturn void execute(const plan *self)
{
    static const char *const arguments[] = {
        "podman", "system", "service", "--time", G_STRINGIFY(SPAWN_IDLE_SECONDS), NULL};
    int listener = fcntl(self->listener, F_DUPFD, FREE_FDS);
    int log = fcntl(self->log, F_DUPFD, FREE_FDS);
    int null = fcntl(self->null, F_DUPFD, FREE_FDS);
    int report = fcntl(self->report, F_DUPFD, FREE_FDS);

    signals_reset();
    umask(077);
    if (dup2(null, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2 &&
        dup2(listener, LISTENER_FD) == LISTENER_FD && chdir("/") == 0 &&
        close_range(LISTENER_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
        write_pid(self->pid_digits);
        execve(self->program, (char *const *)arguments, self->environment);
    }
    give_up(report);
}

/* Becomes the keeper of a service that is its child. */
static _Noreturn void keep(const plan *self)
{
    pid_t service = fork();

    if (service == 0)
        execute(self);
    if (service < 0)
        give_up(self->report);
    signals_reset();
    int lifeline = fcntl(self->lifeline, F_DUPFD, FREE_FDS);
    for (int fd = 0; fd <= 2; fd++)
        dup2(self->null, fd);
    /* The caller waits for the end of the report, and whoever reads its output for the end of that.
     */
    if (lifeline < 0 || dup2(lifeline, LISTENER_FD) < 0 || chdir("/") < 0 ||
        close_range(LISTENER_FD + 1, ~0U, 0) < 0)
        _exit(1);
    keeper_run(service, LISTENER_FD, self->folder);
}

/* Forks twice, so that the service is nobody's child and has a session of its own. */
static gboolean start(const plan *self)
{
    pid_t child = fork();

    if (child < 0)
        return FALSE;
    if (child == 0) {
        pid_t grandchild;
        setsid();
        grandchild = fork();
        if (grandchild == 0 && self->lifeline >= 0)
            keep(self);
        if (grandchild == 0)
            execute(self);
        _exit(grandchild < 0 ? 1 : 0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return FALSE;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Starts what is planned and waits until podman is executed, or not. */
static gboolean run(plan *self, GError **error)
{
    int report[2], reason = 0;
    ssize_t got = -1;

    if (pipe2(report, O_CLOEXEC) == 0) {
        self->report = report[1];
        gboolean started = start(self);
        close(report[1]);
        /* End of file: the execution closed the pipe. */
        do {
            got = started ? read(report[0], &reason, sizeof reason) : -1;
        } while (started && got < 0 && errno == EINTR);
        close(report[0]);
    }
    if (got != 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot start a podman service: '%s': %s", self->program,
                    g_strerror(reason ? reason : errno));
    return got == 0;
}

gboolean spawn_service(int listener, const char *log, GError **error)
{
    g_auto(plan) self = {.log = -1, .null = -1, .lifeline = -1};

    return plan_make(&self, listener, log, error) && run(&self, error);
}

int spawn_builder(int listener, const char *log, const char *folder, GError **error)
{
    g_auto(plan) self = {.log = -1, .null = -1, .lifeline = -1, .folder = folder};
    int lifeline[2];

    if (!plan_make(&self, listener, log, error))
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE, "cannot start a podman service: %s",
                    g_strerror(errno));
        return -1;
    }
    self.lifeline = lifeline[0];
    gboolean started = run(&self, error);
    close(lifeline[0]);
    if (started)
        return lifeline[1];
    close(lifeline[1]);
    return -1;
}
