/* Notifications: as most programs send them, and as the portal takes them. */
#include <string.h>

#include "guest/portal/errands.h"
#include "guest/portal/portal.h"

#define CLOSED_BY_CALL 3

/* Reason enough to shorten a text: the desktop shows far less. Never inside of a letter. */
static void shorten(char *to, const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length > most)
        for (length = most; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

static void show(const struct errand *what, const char *title, const char *body)
{
    char short_title[REQUEST_TITLE_MAX + 1], short_body[REQUEST_BODY_MAX + 1];
    shorten(short_title, title, REQUEST_TITLE_MAX);
    shorten(short_body, body, REQUEST_BODY_MAX);
    errand_begin(what, (const char *const[]){"notify", short_title, short_body, NULL});
}

static void answer_program(const struct errand *self, const struct ask_answer *answer)
{
    if (answer->outcome != REQUEST_DONE) {
        reply_error(&self->caller,
                    answer->outcome == REQUEST_REFUSED ? "org.freedesktop.DBus.Error.AccessDenied"
                                                       : "org.freedesktop.DBus.Error.Failed",
                    answer->sentence);
        return;
    }
    wire_put_u32(reply_begin(&self->caller, "u"), self->number);
    reply_end(&self->caller);
}

static void notify(const struct caller *caller, const struct message *call)
{
    static uint32_t last;
    struct wire_in in = call->body;
    const char *program = wire_get_string(&in);
    uint32_t replaced = wire_get_u32(&in);
    wire_get_string(&in); /* its icon; actions, hints and the time are not read at all */
    const char *title = wire_get_string(&in), *body = wire_get_string(&in);
    if (in.wrong) {
        reply_wrong(caller);
        return;
    }
    struct errand what = {.done = answer_program, .caller = *caller};
    what.number = replaced ? replaced : ++last ? last : ++last;
    show(&what, *title ? title : program, body);
}

/* It stays on the host's desktop for as long as that shows it. */
static void close_notification(const struct caller *caller, const struct message *call)
{
    struct wire_in in = call->body;
    uint32_t number = wire_get_u32(&in);
    reply_nothing(caller);
    struct wire_out *out =
        bus_begin((struct message_head){.type = MESSAGE_SIGNAL,
                                        .path = call->path,
                                        .interface = notifications_interface.name,
                                        .member = "NotificationClosed",
                                        .destination = caller->name,
                                        .signature = "uu"});
    wire_put_u32(out, number);
    wire_put_u32(out, CLOSED_BY_CALL);
    bus_end();
}

static void capabilities(const struct caller *caller, const struct message *call)
{
    struct wire_out *out = reply_begin(caller, "as");
    size_t list = wire_begin_array(out, 's');
    wire_put_string(out, "body");
    wire_end_array(out, list, 's');
    reply_end(caller);
}

static void information(const struct caller *caller, const struct message *call)
{
    /* Name, vendor, version, and that of the specification. */
    static const char *const texts[] = {"Litterbox", "Litterbox", "1", "1.2"};
    struct wire_out *out = reply_begin(caller, "ssss");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        wire_put_string(out, texts[i]);
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

static void answer_portal(const struct errand *self, const struct ask_answer *answer)
{
    if (answer->outcome == REQUEST_DONE)
        reply_nothing(&self->caller);
    else
        reply_error(&self->caller,
                    answer->outcome == REQUEST_REFUSED ? PORTAL_NOT_ALLOWED : PORTAL_FAILED,
                    answer->sentence);
}

static void add(const struct caller *caller, const struct message *call)
{
    struct wire_wish wishes[] = {{"title", ""}, {"body", ""}};
    struct wire_in in = call->body;
    wire_get_string(&in); /* its name, to remove it by */
    wire_get_options(&in, wishes, 2);
    if (in.wrong) {
        reply_wrong(caller);
        return;
    }
    struct errand what = {.done = answer_portal, .caller = *caller};
    show(&what, wishes[0].value, wishes[1].value);
}

static void remove_one(const struct caller *caller, const struct message *call)
{
    reply_nothing(caller);
}

static const struct method notification_methods[] = {
    {"AddNotification", "sa{sv}", "", add},
    {"RemoveNotification", "s", "", remove_one},
    {0},
};
const struct interface notification_interface = {PORTAL_PATH, "org.freedesktop.portal.Notification",
                                                 1, notification_methods};
