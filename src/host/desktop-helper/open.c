#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/paths.h"
#include "common/text.h"
#include "host/desktop-helper/desktop_helper.h"
#include "host/desktop-helper/url.h"
#include "net/desktop_sockets.h"
#include "proto/question.h"
#include "sys/signals.h"

/* The browser: opens an address with the host's default program. */

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

/* Passes $BROWSER on when it is one program that no box could have written, and no command line. */
static void add_browser(GPtrArray *list, char **writable)
{
    const char *wanted = g_getenv("BROWSER");
    if (!wanted || !*wanted || strpbrk(wanted, " \t\n:;%'\"\\$`"))
        return;
    g_autofree char *program = g_find_program_in_path(wanted);
    g_autofree char *refused = program ? safe_path_refusal(program, writable) : g_strdup("");
    if (program && !refused)
        g_ptr_array_add(list, g_strconcat("BROWSER=", program, NULL));
}

static void add_bus(GPtrArray *list)
{
    const char *bus = g_getenv("DBUS_SESSION_BUS_ADDRESS");
    if (bus && desktop_bus_is_socket(bus))
        g_ptr_array_add(list, g_strconcat("DBUS_SESSION_BUS_ADDRESS=", bus, NULL));
}

static char **make_environment(char **writable)
{
    g_auto(GStrv) names = g_listenv();
    GPtrArray *list = g_ptr_array_new();
    for (char **name = names; *name; name++)
        if (is_kept(*name))
            g_ptr_array_add(list, g_strconcat(*name, "=", g_getenv(*name), NULL));
    for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *safe = safe_path(g_getenv(folders[i]), writable, NULL);
        if (*safe)
            g_ptr_array_add(list, g_strconcat(folders[i], "=", safe, NULL));
    }
    add_bus(list);
    add_browser(list, writable);
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

static char *start(const char *program, const char *verb, const char *address, char **writable)
{
    char *argv[] = {(char *)program, (char *)(verb ? verb : address), verb ? (char *)address : NULL,
                    NULL};
    g_auto(GStrv) environment = make_environment(writable);
    pid_t pid = fork();
    if (pid == 0)
        exec_opener(program, argv, environment);
    int status = pid < 0 ? 127 : wait_for_start(pid);
    return status
               ? g_strdup_printf("the host's '%s' cannot open it (exit status %d)", program, status)
               : NULL;
}

/* Hands ADDRESS to xdg-open or gio. Returns NULL, or why it failed; the caller frees that. */
static char *open_in_browser(const char *address)
{
    static const struct {
        const char *name, *verb;
    } openers[] = {{"xdg-open", NULL}, {"gio", "open"}};
    g_auto(GStrv) writable = registry_writable_folders();
    g_autofree char *path = safe_path(g_getenv("PATH"), writable, NULL);
    g_setenv("PATH", path, TRUE);
    for (gsize i = 0; i < G_N_ELEMENTS(openers); i++) {
        g_autofree char *program = g_find_program_in_path(openers[i].name);
        g_autofree char *refused = program ? safe_path_refusal(program, writable) : g_strdup("");
        if (program && !refused)
            return start(program, openers[i].verb, address, writable);
    }
    return g_strdup("the host has neither xdg-open nor gio to open it with");
}

/* The question to the user. */

static void add_known(question *asked, const char *label, const char *value)
{
    if (value)
        question_add_known(asked, label, value, NULL, NULL);
}

static void add_facts(question *asked, const desktop_helper *self, const url *page)
{
    add_known(asked, "Host", page->host);
    add_known(asked, "Reads as", page->unicode);
    add_known(asked, "User", page->user);
    add_known(asked, "Mail to", page->mail);
    if (page->login_port) {
        g_autofree char *port = g_strdup_printf("%d of this computer leads into box %s for %d "
                                                "minutes, or until the login is answered",
                                                page->login_port, self->box, LOGIN_MINUTES);
        add_known(asked, "Port", port);
    }
}

static void add_warnings(question *asked, const url *page)
{
    if (page->unicode) {
        g_autofree char *text = g_strdup_printf(
            "The host's name is not in plain letters (%s). It may only look like a name you know.",
            page->scripts);
        question_add_warning(asked, text);
    }
    if (page->user)
        question_add_warning(asked, "The text before the \"@\" is not the host, whatever it looks "
                                    "like.");
    if (page->is_loopback || (page->host && own_host_is(page->host)))
        question_add_warning(asked, "This address is a service of this computer, not of the box.");
}

static question *question_for(const desktop_helper *self, const url *page)
{
    question *asked = question_new(QUESTION_OPEN, self->box, self->project);
    g_autofree char *name = page->host ? text_safe_max(page->host, -1, QUESTION_NAME_MAX) : NULL;
    g_autofree char *headline = name ? g_strdup_printf("Open a page of %s in your browser", name)
                                     : g_strdup("Write a mail in your mail program");
    question_set_headline(asked, headline);
    question_set_address(asked, page->text);
    add_facts(asked, self, page);
    add_warnings(asked, page);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

/* Characters of an address that are quoted in an answer. */
#define QUOTED_MAX 200

static gboolean may_open(const desktop_helper *self, const url *page)
{
    if (self->may_open)
        return TRUE;
    g_autoptr(question) asked = question_for(self, page);
    return desktop_helper_ask(asked);
}

void open_page(const desktop_helper *self, const char *address)
{
    enum request_outcome outcome = REQUEST_WRONG;
    const char *why = NULL;
    g_autoptr(url) page = url_parse(address, &outcome, &why);
    if (!page) {
        g_autofree char *quoted = text_quoted(address, -1, QUOTED_MAX);
        desktop_helper_answer(outcome, "%s is not opened: %s", quoted, why);
        return;
    }
    if (!may_open(self, page))
        return;
    /* The page may redirect the browser to the port at once, so listen first. */
    gboolean listens = page->login_port && login_begin(self, page->login_port);
    g_autofree char *problem = open_in_browser(page->text);
    if (problem)
        desktop_helper_answer(REQUEST_UNABLE, "%s", problem);
    else if (page->login_port && !listens)
        desktop_helper_answer(
            REQUEST_DONE, "port %d of the host is in use: the login leads there, not to the box",
            page->login_port);
    else
        desktop_helper_answer(REQUEST_DONE, "%s", "");
    if (listens && !problem)
        login_serve();
}
