/*
 * litterbox-prompt: asks the user one question in a window. The question comes on stdin, the answer
 * goes to stdout (proto/question.h, proto/question_answer.h). It holds no key and parses nothing
 * else.
 *
 * Exit status: 0 with an answer; QUESTION_PROMPT_NO_DISPLAY (3) without a display; 1 when it could
 * not ask or answer.
 */
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/desktop_sockets.h"
#include "ssh-agent/prompt/prompt.h"
#include "sys/crash.h"
#include "sys/debug.h"

/* A window that hangs is killed this many seconds after the question's timeout. */
#define HANG_SECONDS 10

/*
 * The prompt inherits the environment of whatever started the agent, which a shell in a project's
 * folder may have changed. Nothing in it may load code into the prompt, or restyle it, so variables
 * with these prefixes, which GLib, GTK and their libraries read, are removed. XDG_CONFIG_ is one of
 * them, as GTK loads modules that a settings.ini there names by path; the settings.ini below the
 * user's home is the user's own.
 */
static const char *const removed_prefixes[] = {
    "GTK",  "GDK_",  "GIO_",    "G_",  "GOBJECT_",    "GSK_",        "GVFS",   "GSETTINGS_",
    "ATK_", "PANGO", "CLUTTER", "FC_", "FONTCONFIG_", "XDG_CONFIG_", "DCONF_", NULL};
/* Exceptions: the display backend, its input, and its scale. */
static const char *const kept[] = {"GDK_BACKEND", "GDK_CORE_DEVICE_EVENTS", "GDK_DPI_SCALE",
                                   "GDK_SCALE", NULL};

/* A bus address may name a program to start (D-Bus specification, "unixexec:"): only sockets stay.
 */
static const char *const buses[] = {"AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"};

/* Not dumpable, so not traceable by other programs of the user; no core file. */
static void harden(void)
{
    const struct rlimit none = {0, 0};

    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
}

/* Runs before gtk_init(). */
static void clean_environment(void)
{
    g_auto(GStrv) names = g_listenv();

    for (char **name = names; *name; name++) {
        for (const char *const *begin = removed_prefixes; *begin; begin++) {
            if (g_str_has_prefix(*name, *begin) && !g_strv_contains(kept, *name))
                g_unsetenv(*name);
        }
    }
    for (gsize i = 0; i < G_N_ELEMENTS(buses); i++) {
        const char *addresses = g_getenv(buses[i]);
        if (addresses && !desktop_bus_is_socket(addresses))
            g_unsetenv(buses[i]);
    }
    /* A window of text needs no OpenGL, whose drivers take a third of the start time. */
    g_setenv("GDK_GL", "disable", TRUE);
}

/* The agent has closed its end of stdout: nobody reads the answer. */
static gboolean on_asker_gone(int fd, GIOCondition condition, gpointer data)
{
    gtk_main_quit();
    return G_SOURCE_REMOVE;
}

static gboolean start_gtk(void)
{
    style_read_environment();
    clean_environment();
    g_set_prgname("litterbox-prompt");
    g_set_application_name("Litterbox");
    gdk_set_program_class("litterbox-prompt");
    if (!gtk_init_check(NULL, NULL))
        return FALSE;
    /* All words are English, so a mirrored layout would mix directions. */
    gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR);
    return TRUE;
}

int main(void)
{
    g_autoptr(GError) error = NULL;

    harden();
    crash_handler_install("litterbox-prompt", NULL);
    debug_start("litterbox-prompt");
    g_autoptr(question) asked = question_read(STDIN_FILENO, &error);
    if (!asked) {
        fprintf(stderr, "litterbox-prompt: %s\n", error->message);
        return 1;
    }
    alarm(asked->timeout + HANG_SECONDS);
    if (!start_gtk()) {
        fprintf(stderr, "litterbox-prompt: no display that can be reached\n");
        return QUESTION_PROMPT_NO_DISPLAY;
    }
    debug_log(DEBUG_PROMPT, "asks '%s' for %d s", question_kind_traits(asked->kind)->word,
              asked->timeout);
    style_apply(asked->colour);
    struct prompt self = {.question = asked};
    GtkWidget *window = window_show(&self);
    g_unix_fd_add(STDOUT_FILENO, G_IO_ERR | G_IO_HUP, on_asker_gone, NULL);
    gtk_main();
    gtk_widget_destroy(window);
    debug_log(DEBUG_PROMPT, answer_was_sent() ? "answered" : "ends without an answer");
    return answer_was_sent() ? 0 : 1;
}
