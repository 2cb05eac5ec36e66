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
#include "common/fs.h"
#include "common/paths.h"
#include "podman/build_network.h"
#include "podman/build_reaper.h"
#include "podman/program.h"
#include "podman/service.h"
#include "sys/signals.h"

#define LISTENER_FD 3 /* where LISTEN_FDS=1 puts the socket (sd_listen_fds(3)) */
#define FREE_FDS 64   /* from here on dup2() does not overwrite a descriptor in use */
#define PID_DIGITS 10
/* The service of a build gets one request. After an interrupted one it ends by being idle: Podman
 * counts the connection until it has cleaned up, whether the client is there or not. */
#define BUILD_SERVICE_IDLE_SECONDS 3
#define CONFIG_OVERRIDE "CONTAINERS_CONF_OVERRIDE"

/* Prepared before the fork, because until exec the child may make only async-signal-safe calls. */
typedef struct {
    char *program;
    char **environment;
    char *pid_digits; /* in the LISTEN_PID entry of environment; the child writes its PID there */
    int listener, log, null;
    int report;         /* close-on-exec pipe; gets the errno when execve(2) fails */
    int lifeline;       /* of the reaper; -1: no reaper */
    const char *folder; /* temporary files, which the reaper removes */
    /* In which it runs, with the program that enters it; NULL: that of the caller. */
    const char *network;
    char *enter, *config;
} service_command;

/*
 * Sets *PATH to $PATH for the service of a build, or to NULL for the usual one. Podman 4 starts
 * slirp4netns for a build such that its steps reach all services of the host's loopback interface
 * at 10.0.2.2, and no option of the API changes that; so FOLDER gets a slirp4netns that does.
 */
static gboolean make_build_path(const char *folder, char **path, GError **error)
{
    g_autofree char *real = podman_find_program("slirp4netns");
    g_autofree char *bin = g_build_filename(folder, "bin", NULL);
    g_autofree char *program = g_build_filename(bin, "slirp4netns", NULL);

    *path = NULL;
    if (!real)
        return TRUE;
    g_autofree char *quoted = g_shell_quote(real);
    g_autofree char *script =
        g_strdup_printf("#!/bin/sh\nexec %s --disable-host-loopback \"$@\"\n", quoted);
    if (mkdir(bin, 0700) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot create '%s': %s", bin,
                    g_strerror(errno));
        return FALSE;
    }
    if (!fs_write(program, script, -1, 0700, error))
        return FALSE;
    *path = g_strdup_printf("%s:%s", bin, g_getenv("PATH") ? g_getenv("PATH") : "/usr/bin:/bin");
    return TRUE;
}

/*
 * Names of the host's /etc/hosts would be addresses that a build with a network of its own does not
 * reach; its nameserver knows them as well. Writes FOLDER/containers.conf, which Podman (from 4.6
 * on) reads last. *PATH: a new string; NULL when the user has such a file.
 */
static gboolean leave_out_hosts(const char *folder, char **path, GError **error)
{
    static const char text[] = "[containers]\nbase_hosts_file = \"none\"\n";

    *path = NULL;
    if (g_getenv(CONFIG_OVERRIDE))
        return TRUE;
    *path = g_build_filename(folder, "containers.conf", NULL);
    return fs_write(*path, text, -1, 0600, error);
}

/* PATH: NULL for the caller's. */
static char **make_environment(const service_command *self, const char *path, char **pid_digits)
{
    GPtrArray *entries = podman_environment(path);

    if (self->folder)
        g_ptr_array_add(entries, g_strdup_printf("TMPDIR=%s", self->folder));
    else if (g_getenv("TMPDIR"))
        g_ptr_array_add(entries, g_strdup_printf("TMPDIR=%s", g_getenv("TMPDIR")));
    if (self->config)
        g_ptr_array_add(entries, g_strdup_printf(CONFIG_OVERRIDE "=%s", self->config));
    /* That of a build with a network of its own sets both itself. */
    if (!self->network) {
        g_ptr_array_add(entries, g_strdup("LISTEN_FDS=1"));
        char *entry = g_strdup_printf("LISTEN_PID=%0*d", PID_DIGITS, 0);
        *pid_digits = entry + strlen("LISTEN_PID=");
        g_ptr_array_add(entries, entry);
    }
    g_ptr_array_add(entries, NULL);
    return (char **)g_ptr_array_free(entries, FALSE);
}

static void service_command_clear(service_command *self)
{
    g_free(self->program);
    g_free(self->enter);
    g_free(self->config);
    g_strfreev(self->environment);
    if (self->log >= 0)
        close(self->log);
    if (self->null >= 0)
        close(self->null);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(service_command, service_command_clear)

static gboolean service_command_make(service_command *self, int listener, const char *log,
                                     GError **error)
{
    self->listener = listener;
    self->program = podman_program(error);
    if (!self->program)
        return FALSE;
    self->enter = self->network ? paths_libexec(BUILD_NETWORK_PROGRAM) : NULL;
    g_autofree char *path = NULL;
    if (self->folder && !make_build_path(self->folder, &path, error))
        return FALSE;
    if (self->network && !leave_out_hosts(self->folder, &self->config, error))
        return FALSE;
    self->environment = make_environment(self, path, &self->pid_digits);
    self->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    /* A new file, because an old service that is still running may write to the old one. */
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

static _Noreturn void report_and_exit(int report)
{
    int reason = errno;

    _exit(write(report, &reason, sizeof reason) < 0 ? 126 : 127);
}

/* Becomes the service. The descriptors are first moved away from the numbers that dup2() sets. */
static _Noreturn void execute(const service_command *self)
{
    const char *time = self->folder ? G_STRINGIFY(BUILD_SERVICE_IDLE_SECONDS)
                                    : G_STRINGIFY(PODMAN_SERVICE_IDLE_SECONDS);
    const char *const usual[] = {"podman", "system", "service", "--time", time, NULL};
    const char *const inside[] = {"podman",      "unshare",     self->enter, "enter",
                                  self->network, self->program, "system",    "service",
                                  "--time",      time,          NULL};
    const char *const *arguments = self->network ? inside : usual;
    int listener = fcntl(self->listener, F_DUPFD, FREE_FDS);
    int log = fcntl(self->log, F_DUPFD, FREE_FDS);
    int null = fcntl(self->null, F_DUPFD, FREE_FDS);
    int report = fcntl(self->report, F_DUPFD, FREE_FDS);

    signals_reset();
    umask(077);
    /* "podman unshare" passes on the usual three descriptors alone. */
    if (dup2(self->network ? listener : null, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2 &&
        dup2(listener, LISTENER_FD) == LISTENER_FD && chdir("/") == 0 &&
        close_range(LISTENER_FD + (self->network ? 0 : 1), ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
        if (!self->network)
            write_pid(self->pid_digits);
        execve(self->program, (char *const *)arguments, self->environment);
    }
    report_and_exit(report);
}

/* Becomes the reaper, whose child is the service. */
static _Noreturn void run_reaper(const service_command *self)
{
    pid_t service = fork();

    if (service == 0)
        execute(self);
    if (service < 0)
        report_and_exit(self->report);
    signals_reset();
    int lifeline = fcntl(self->lifeline, F_DUPFD, FREE_FDS);
    for (int fd = 0; fd <= 2; fd++)
        dup2(self->null, fd);
    /* All other descriptors are closed: the caller waits until the report pipe closes, and the
     * reader of the caller's output until that closes. */
    if (lifeline < 0 || dup2(lifeline, LISTENER_FD) < 0 || chdir("/") < 0 ||
        close_range(LISTENER_FD + 1, ~0U, 0) < 0)
        _exit(1);
    build_reaper_run(service, LISTENER_FD, self->folder);
}

/* Forks twice, so that the service has its own session and PID 1 reaps it. */
static gboolean start(const service_command *self)
{
    pid_t child = fork();

    if (child < 0)
        return FALSE;
    if (child == 0) {
        pid_t grandchild;
        setsid();
        grandchild = fork();
        if (grandchild == 0 && self->lifeline >= 0)
            run_reaper(self);
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

/* Starts the service and waits until podman has been executed or that has failed. */
static gboolean service_run(service_command *self, GError **error)
{
    int report[2], reason = 0;
    ssize_t got = -1;

    if (pipe2(report, O_CLOEXEC) == 0) {
        self->report = report[1];
        gboolean started = start(self);
        close(report[1]);
        /* execve(2) closed the pipe: end of file. */
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

gboolean podman_service_spawn(int listener, const char *log, GError **error)
{
    g_auto(service_command) self = {.log = -1, .null = -1, .lifeline = -1};

    return service_command_make(&self, listener, log, error) && service_run(&self, error);
}

int podman_service_spawn_builder(int listener, const char *log, const char *folder,
                                 const char *network, GError **error)
{
    g_auto(service_command)
        self = {.log = -1, .null = -1, .lifeline = -1, .folder = folder, .network = network};
    int lifeline[2];

    if (!service_command_make(&self, listener, log, error))
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE, "cannot start a podman service: %s",
                    g_strerror(errno));
        return -1;
    }
    self.lifeline = lifeline[0];
    gboolean started = service_run(&self, error);
    close(lifeline[0]);
    if (started)
        return lifeline[1];
    close(lifeline[1]);
    return -1;
}
