/* Notifications: org.freedesktop.Notifications, and org.freedesktop.portal.Notification. */
#include <string.h>

#include "guest/portal/portal.h"

#define CLOSED_BY_CALL 3

/* Copies TEXT to TO, cut to MAX bytes between two UTF-8 characters. */
static void shorten(char *to, const char *text, size_t max)
{
    size_t length = strnlen(text, max + 1);
    if (length > max)
        for (length = max; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

static void show(const struct pending_request *what, const char *title, const char *body)
{
    char short_title[REQUEST_TITLE_MAX + 1], short_body[REQUEST_BODY_MAX + 1];
    shorten(short_title, title, REQUEST_TITLE_MAX);
    shorten(short_body, body, REQUEST_BODY_MAX);
    pending_request_begin(what, (const char *const[]){"notify", short_title, short_body, NULL});
}

static void answer_program(const struct pending_request *self, const struct desktop_answer *answer)
{
    if (answer->outcome != REQUEST_DONE) {
        reply_error(&self->caller,
                    answer->outcome == REQUEST_REFUSED ? "org.freedesktop.DBus.Error.AccessDenied"
                                                       : "org.freedesktop.DBus.Error.Failed",
                    answer->sentence);
        return;
    }
    dbus_write_u32(reply_begin(&self->caller, "u"), self->number);
    reply_end(&self->caller);
}

static void notify(const struct caller *caller, const struct dbus_message *call)
{
    static uint32_t last;
    struct dbus_reader in = call->body;
    const char *program = dbus_read_string(&in);
    uint32_t replaced = dbus_read_u32(&in);
    dbus_read_string(&in); /* icon; actions, hints and timeout are not read */
    const char *title = dbus_read_string(&in), *body = dbus_read_string(&in);
    if (in.wrong) {
        reply_invalid_arguments(caller);
        return;
    }
    struct pending_request what = {.done = answer_program, .caller = *caller};
    what.number = replaced ? replaced : ++last ? last : ++last;
    show(&what, *title ? title : program, body);
}

/* The bridge cannot withdraw a notification, so this only answers as the specification says. */
static void close_notification(const struct caller *caller, const struct dbus_message *call)
{
    struct dbus_reader in = call->body;
    uint32_t number = dbus_read_u32(&in);
    reply_empty(caller);
    struct dbus_writer *out =
        bus_begin((struct dbus_message_head){.type = DBUS_MESSAGE_SIGNAL,
                                             .path = call->path,
                                             .interface = notifications_interface.name,
                                             .member = "NotificationClosed",
                                             .destination = caller->name,
                                             .signature = "uu"});
    dbus_write_u32(out, number);
    dbus_write_u32(out, CLOSED_BY_CALL);
    bus_end();
}

static void capabilities(const struct caller *caller, const struct dbus_message *call)
{
    struct dbus_writer *out = reply_begin(caller, "as");
    size_t list = dbus_begin_array(out, 's');
    dbus_write_string(out, "body");
    dbus_end_array(out, list, 's');
    reply_end(caller);
}

static void information(const struct caller *caller, const struct dbus_message *call)
{
    /* Name, vendor, version, version of the specification. */
    static const char *const texts[] = {"Litterbox", "Litterbox", "1", "1.2"};
    struct dbus_writer *out = reply_begin(caller, "ssss");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        dbus_write_string(out, texts[i]);
    reply_end(caller);
}

static const struct method notifications_methods[] = {
    {"Notify", "susssasa{sv}i", "u", notify},
    {"CloseNotification", "u", "", close_notification},
    {"GetCapabilities", "", "as", capabilities},
    {"GetServerInformation", "", "ssss", information},
    {0},
};
const struct interface notifications_interface = {
    "/org/freedesktop/Notifications", "org.freedesktop.Notifications", 0, notifications_methods};

static void answer_portal(const struct pending_request *self, const struct desktop_answer *answer)
{
    if (answer->outcome == REQUEST_DONE)
        reply_empty(&self->caller);
    else
        reply_error(&self->caller,
                    answer->outcome == REQUEST_REFUSED ? PORTAL_NOT_ALLOWED : PORTAL_FAILED,
                    answer->sentence);
}

static void add_notification(const struct caller *caller, const struct dbus_message *call)
{
    struct dbus_option options[] = {{"title", ""}, {"body", ""}};
    struct dbus_reader in = call->body;
    dbus_read_string(&in); /* its ID, for RemoveNotification */
    dbus_read_options(&in, options, 2);
    if (in.wrong) {
        reply_invalid_arguments(caller);
        return;
    }
    struct pending_request what = {.done = answer_portal, .caller = *caller};
    show(&what, options[0].value, options[1].value);
}

static void remove_one(const struct caller *caller, const struct dbus_message *call)
{
    reply_empty(caller);
}

static const struct method notification_methods[] = {
    {"AddNotification", "sa{sv}", "", add_notification},
    {"RemoveNotification", "s", "", remove_one},
    {0},
};
const struct interface portal_notification_interface = {
    PORTAL_PATH, "org.freedesktop.portal.Notification", 1, notification_methods};
