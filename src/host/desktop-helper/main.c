/*
 * litterbox-desktop-helper RUNTIME RUN KEY=VALUE…: serves one request of a box to the user's
 * desktop. The bridge's launcher (host/bridge/desktop_requests.h) starts it with the bridge's own
 * options (host/bridge/main.c), the request (proto/desktop_request.h) on stdin, and the connection
 * of the program in the box on stdout. The content of the request is untrusted.
 *
 * It runs with all of the user's rights, so it does only three things: open an address (checked by
 * url.h, confirmed and opened by open_page()), show a notification of two plain texts, or give a
 * picture that the user's own window has read from the clipboard (give_picture()).
 */
#include <fcntl.h>
#include <gio/gio.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/text.h"
#include "config/setting_options.h"
#include "host/desktop-helper/desktop_helper.h"
#include "net/desktop_sockets.h"
#include "proto/bridge_protocol.h"
#include "proto/desktop_request.h"
#include "sys/crash.h"
#include "sys/debug.h"

#define SERVICE "org.freedesktop.Notifications"
#define OBJECT "/org/freedesktop/Notifications"
#define TITLE_MAX 100
#define BODY_MAX 500
#define CALL_MS 5000

void desktop_helper_answer(enum request_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    desktop_answer_send(DESKTOP_HELPER_CONNECTION, outcome, sentence);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0)
        dup2(null, DESKTOP_HELPER_CONNECTION);
}

/* The launcher has written the whole request and closed the pipe. */
static gsize read_request(char *data, gsize size)
{
    gsize length = 0;
    for (gssize n; length < size && (n = read(STDIN_FILENO, data + length, size - length)) > 0;)
        length += (gsize)n;
    return length;
}

static enum open_policy open_policy(char **options)
{
    static const struct setting_option table[] = {
        {"desktop.open", SETTING_CHOICE, 0, open_policy_choices}, {0}};
    enum open_policy policy = OPEN_DENY;
    for (; *options; options++)
        if (setting_option_read(table, *options, &policy) < 0)
            return OPEN_DENY;
    return policy;
}

static char *bus_address(void)
{
    const char *given = g_getenv("DBUS_SESSION_BUS_ADDRESS");
    if (given && desktop_bus_is_socket(given))
        return g_strdup(given);
    const char *runtime = g_getenv("XDG_RUNTIME_DIR");
    g_autofree char *path = runtime ? g_build_filename(runtime, "bus", NULL) : NULL;
    g_autofree char *escaped = path ? g_dbus_address_escape_value(path) : NULL;
    return escaped ? g_strconcat("unix:path=", escaped, NULL) : NULL;
}

static GVariant *call(GDBusConnection *bus, const char *method, GVariant *parameters,
                      const char *type, GError **error)
{
    return g_dbus_connection_call_sync(bus, SERVICE, OBJECT, SERVICE, method, parameters,
                                       G_VARIANT_TYPE(type), G_DBUS_CALL_FLAGS_NONE, CALL_MS, NULL,
                                       error);
}

/* TRUE when the notification service reads markup in the body, which must be escaped then. */
static gboolean takes_markup(GDBusConnection *bus)
{
    g_autoptr(GVariant) answer = call(bus, "GetCapabilities", NULL, "(as)", NULL);
    g_autofree const char **names = NULL;
    if (!answer)
        return TRUE;
    g_variant_get(answer, "(^a&s)", &names);
    return g_strv_contains(names, "body-markup");
}

static gboolean send_notification(GDBusConnection *bus, const char *title, const char *body,
                                  GError **error)
{
    g_autofree char *escaped = takes_markup(bus) ? g_markup_escape_text(body, -1) : g_strdup(body);
    g_autoptr(GVariant) answer =
        call(bus, "Notify",
             g_variant_new("(susssasa{sv}i)", "Litterbox", 0u, "", title, escaped, NULL, NULL, -1),
             "(u)", error);
    return answer != NULL;
}

/* Shows TITLE behind the box's name, and BODY (may be empty): short plain texts, without pictures,
 * sounds, buttons or hints. */
static void show_notification(const desktop_helper *self, const char *title, const char *body)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *address = bus_address();
    g_autofree char *safe_title = text_safe_max(title, -1, TITLE_MAX);
    g_autofree char *safe_body = text_safe_max(body, -1, BODY_MAX);
    g_autofree char *headline = g_strdup_printf("%s: %s", self->box, safe_title);
    g_autoptr(GDBusConnection) bus = address
                                         ? g_dbus_connection_new_for_address_sync(
                                               address,
                                               G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                   G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                               NULL, NULL, &error)
                                         : NULL;
    if (bus && send_notification(bus, headline, safe_body, &error))
        desktop_helper_answer(REQUEST_DONE, "%s", "");
    else
        desktop_helper_answer(REQUEST_UNABLE, "nothing on the host shows notifications");
}

int main(int argc, char **argv)
{
    static char data[REQUEST_MAX + 1];
    struct desktop_request asked;
    if (argc < 4) {
        fprintf(stderr, "litterbox-desktop-helper: is started by litterbox-bridge\n");
        return 64;
    }
    crash_handler_install("litterbox-desktop-helper", NULL);
    debug_start("litterbox-desktop-helper");
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    desktop_helper self = {.runtime = argv[1],
                           .run = atoi(argv[2]),
                           .box = bridge_option_value(argv, "name"),
                           .project = bridge_option_value(argv, "project"),
                           .may_open = open_policy(argv) == OPEN_ALLOW};
    const char *wrong = desktop_request_parse(&asked, data, read_request(data, sizeof data));
    if (wrong)
        desktop_helper_answer(REQUEST_WRONG, "%s", wrong);
    else if (asked.kind == REQUEST_OPEN)
        open_page(&self, asked.text[0]);
    else if (asked.kind == REQUEST_PICTURE)
        give_picture(&self);
    else if (asked.kind == REQUEST_NOTIFY)
        show_notification(&self, asked.text[0], asked.text[1]);
    return 0;
}
