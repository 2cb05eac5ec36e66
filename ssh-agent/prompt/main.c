/*
 * litterbox-prompt: asks the user one question in a window. The question comes on stdin, the answer
 * goes to stdout (proto/question.h, proto/question_answer.h). It holds no key and parses nothing
 * else, but for the chunks of a picture that it hands over (paste.c). A value that is typed goes to
 * a pipe of its own (password_entry.c).
 *
 * Exit status: 0 with an answer; QUESTION_PROMPT_NO_DISPLAY (3) without a display; 1 when it could
 * not ask or answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/desktop_sockets.h"
#include "ssh-agent/prompt/prompt.h"
#include "sys/crash.h"
#include "sys/debug.h"

/* The longest answer: a password in which each byte is escaped ("\\u001f"), or all keys. */
#define LINE_MAX_BYTES \
    (64 + MAX(6 * ANSWER_PASSWORD_MAX, QUESTION_KEYS_MAX * (QUESTION_ID_MAX + 4)))
G_STATIC_ASSERT(LINE_MAX_BYTES <= QUESTION_REPLY_MAX);

/* The line that is written. It is the only copy of a password besides the entry's, so it is static
 * and wiped. */
static struct {
    char text[LINE_MAX_BYTES];
    gsize length;
    gboolean given, written;
} line;

static void put(const char *text, gsize length)
{
    g_assert(length <= sizeof line.text - line.length);
    memcpy(line.text + line.length, text, length);
    line.length += length;
}

static void put_plain(const char *text)
{
    put(text, strlen(text));
}

static void put_string(const char *text)
{
    static const char hex[] = "0123456789abcdef";

    put("\"", 1);
    for (; *text; text++) {
        guchar c = *text;
        if (c == '"' || c == '\\')
            put((char[]){'\\', c}, 2);
        else if (c < 0x20)
            put((char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        else
            put(text, 1);
    }
    put("\"", 1);
}

static gboolean write_all(void)
{
    for (gsize done = 0; done < line.length;) {
        ssize_t n = write(STDOUT_FILENO, line.text + done, line.length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FALSE;
        done += n;
    }
    return TRUE;
}

static gboolean begin(enum question_answer answer)
{
    if (line.given)
        return FALSE;
    line.given = TRUE;
    put_plain("{\"answer\":");
    put_string(question_answer_word(answer));
    return TRUE;
}

static void end(void)
{
    put_plain("}\n");
    line.written = write_all();
    explicit_bzero(line.text, sizeof line.text);
    gtk_main_quit();
}

void answer_send(enum question_answer answer)
{
    if (begin(answer))
        end();
}

void answer_send_password(const char *password)
{
    if (!begin(QUESTION_ANSWER_PASSWORD))
        return;
    put_plain(",\"password\":");
    put_string(password);
    end();
}

void answer_send_keys(const GPtrArray *ids)
{
    if (!begin(QUESTION_ANSWER_KEYS))
        return;
    put_plain(",\"keys\":[");
    for (guint i = 0; i < ids->len; i++) {
        if (i)
            put(",", 1);
        put_string(g_ptr_array_index(ids, i));
    }
    put_plain("]");
    end();
}

/* TRUE when an answer was written completely. */
static gboolean answer_was_sent(void)
{
    return line.written;
}

/* A window that hangs is killed this many seconds after the question's timeout. */
#define HANG_SECONDS 10
/* A display that takes longer to answer is none: the terminal of who waits can ask meanwhile. */
#define START_SECONDS 10

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

/* The file or pipe for what a question of this kind gives is there. Without it the next file that
 * GTK opens would get that number, and the picture or value. */
static gboolean has_descriptor(enum question_kind kind)
{
    struct stat file;
    enum question_gives gives = question_kind_traits(kind)->gives;
    mode_t wanted = gives == QUESTION_GIVES_VALUE ? S_IFIFO : S_IFREG;
    return !gives ||
           (fstat(QUESTION_PROMPT_DESCRIPTOR, &file) == 0 && (file.st_mode & S_IFMT) == wanted &&
            fcntl(QUESTION_PROMPT_DESCRIPTOR, F_SETFD, FD_CLOEXEC) == 0);
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

static void start_late(int signal_number)
{
    _exit(QUESTION_PROMPT_NO_DISPLAY);
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
    if (!has_descriptor(asked->kind)) {
        fprintf(stderr, "litterbox-prompt: no descriptor for what the question gives\n");
        return 1;
    }
    signal(SIGALRM, start_late);
    alarm(START_SECONDS);
    if (!start_gtk()) {
        fprintf(stderr, "litterbox-prompt: no display that can be reached\n");
        return QUESTION_PROMPT_NO_DISPLAY;
    }
    signal(SIGALRM, SIG_DFL);
    alarm(asked->timeout + HANG_SECONDS);
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
