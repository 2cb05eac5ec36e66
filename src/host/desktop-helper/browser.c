#include "host/desktop-helper/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "box/registry/safe_path.h"
#include "common/paths.h"
#include "net/desktop_sockets.h"
#include "sys/signals.h"

/* An opener that still runs after this time has started the browser. */
#define START_TIMEOUT_MS 3000

/* The variables that a browser needs. The others are dropped: `box` may have been started from a
 * shell whose environment a project has changed (direnv). */
static const char *const kept[] = {
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DESKTOP",
    "XDG_CURRENT_DESKTOP",
    "DESKTOP_SESSION",
    NULL,
};
static const char *const kept_prefixes[] = {"LC_",  "XDG_SESSION_", "XDG_RUNTIME_",
                                            "KDE_", "GNOME_",       NULL};

/* Folders and lists of folders that are passed on without the parts that a box can write. */
static const char *const folders[] = {
    "PATH",           "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
    "XDG_CACHE_HOME", "TMPDIR",
};

static gboolean is_kept(const char *name)
{
    if (g_strv_contains(kept, name))
        return TRUE;
    for (const char *const *prefix = kept_prefixes; *prefix; prefix++)
        if (g_str_has_prefix(name, *prefix))
            return TRUE;
    return FALSE;
}

/* Passes $BROWSER on when it is one program outside of all projects, and no command line. */
static void add_browser(GPtrArray *list, char **projects)
{
    const char *wanted = g_getenv("BROWSER");
    if (!wanted || !*wanted || strpbrk(wanted, " \t\n:;%'\"\\$`"))
        return;
    g_autofree char *program = g_find_program_in_path(wanted);
    g_autofree char *refused = program ? safe_path_refusal(program, projects) : g_strdup("");
    if (program && !refused)
        g_ptr_array_add(list, g_strconcat("BROWSER=", program, NULL));
}

static void add_bus(GPtrArray *list)
{
    const char *bus = g_getenv("DBUS_SESSION_BUS_ADDRESS");
    if (bus && desktop_bus_is_socket(bus))
        g_ptr_array_add(list, g_strconcat("DBUS_SESSION_BUS_ADDRESS=", bus, NULL));
}

static char **make_environment(char **projects)
{
    g_auto(GStrv) names = g_listenv();
    GPtrArray *list = g_ptr_array_new();
    for (char **name = names; *name; name++)
        if (is_kept(*name))
            g_ptr_array_add(list, g_strconcat(*name, "=", g_getenv(*name), NULL));
    for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *safe = safe_path(g_getenv(folders[i]), projects, NULL);
        if (*safe)
            g_ptr_array_add(list, g_strconcat(folders[i], "=", safe, NULL));
    }
    add_bus(list);
    add_browser(list, projects);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

static void exec_opener(const char *program, char **argv, char **environment)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    signals_reset();
    if (chdir(paths_home()) == 0 && dup2(null, 0) >= 0 && dup2(null, 1) >= 0 &&
        dup2(null, 2) >= 0 && close_range(3, ~0u, 0) == 0)
        execve(program, argv, environment);
    _exit(127);
}

/* The exit status of the opener; 0 when it still runs. */
static int wait_for_start(pid_t pid)
{
    int status = 0, fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int ended = fd >= 0 && poll(&end, 1, START_TIMEOUT_MS) == 1;
    if (fd >= 0)
        close(fd);
    if (!ended)
        return 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static char *start(const char *program, const char *verb, const char *address, char **projects)
{
    char *argv[] = {(char *)program, (char *)(verb ? verb : address), verb ? (char *)address : NULL,
                    NULL};
    g_auto(GStrv) environment = make_environment(projects);
    pid_t pid = fork();
    if (pid == 0)
        exec_opener(program, argv, environment);
    int status = pid < 0 ? 127 : wait_for_start(pid);
    return status
               ? g_strdup_printf("the host's '%s' cannot open it (exit status %d)", program, status)
               : NULL;
}

char *browser_open(const char *address)
{
    static const struct {
        const char *name, *verb;
    } openers[] = {{"xdg-open", NULL}, {"gio", "open"}};
    g_auto(GStrv) projects = registry_projects();
    g_autofree char *path = safe_path(g_getenv("PATH"), projects, NULL);
    g_setenv("PATH", path, TRUE);
    for (gsize i = 0; i < G_N_ELEMENTS(openers); i++) {
        g_autofree char *program = g_find_program_in_path(openers[i].name);
        g_autofree char *refused = program ? safe_path_refusal(program, projects) : g_strdup("");
        if (program && !refused)
            return start(program, openers[i].verb, address, projects);
    }
    return g_strdup("the host has neither xdg-open nor gio to open it with");
}
