/* org.freedesktop.portal.OpenURI and the Request objects of its calls: opens web pages and mail
 * addresses on the host. */
#include <stdio.h>
#include <string.h>

#include "guest/portal/portal.h"

#define ALLOWED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define TOKEN_MAX 200

/* The first argument of a Request's signal Response. */
enum { RESPONSE_DONE, RESPONSE_CANCELLED, RESPONSE_OTHER };

static int is_token(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length <= TOKEN_MAX && strspn(text, ALLOWED) == length;
}

/* The object path of a Request, from the caller's bus name and token, as the documentation of
 * org.freedesktop.portal.Request says. */
static void write_handle(char *handle, const struct caller *caller, const char *token)
{
    static unsigned count;
    char generated[16];
    int length = snprintf(handle, PENDING_REQUEST_HANDLE_MAX, "%s", PORTAL_REQUESTS);
    for (const char *c = caller->name + (*caller->name == ':'); *c; c++)
        handle[length++] = strchr(ALLOWED, *c) ? *c : '_';
    snprintf(generated, sizeof generated, "t%u", ++count);
    snprintf(handle + length, PENDING_REQUEST_HANDLE_MAX - (size_t)length, "/%s",
             token ? token : generated);
}

static void respond(const struct pending_request *self, const struct desktop_answer *answer)
{
    struct dbus_writer *out =
        bus_begin((struct dbus_message_head){.type = DBUS_MESSAGE_SIGNAL,
                                             .path = self->handle,
                                             .interface = request_interface.name,
                                             .member = "Response",
                                             .destination = self->caller.name,
                                             .signature = "ua{sv}"});
    dbus_write_u32(out, answer->outcome == REQUEST_DONE      ? RESPONSE_DONE
                        : answer->outcome == REQUEST_REFUSED ? RESPONSE_CANCELLED
                                                             : RESPONSE_OTHER);
    dbus_end_array(out, dbus_begin_array(out, '{'), '{');
    bus_end();
}

static void open_uri(const struct caller *caller, const struct dbus_message *call)
{
    struct pending_request what = {.done = respond, .caller = *caller};
    struct dbus_option token = {"handle_token", NULL};
    struct dbus_reader in = call->body;
    dbus_read_string(&in); /* the parent window */
    const char *address = dbus_read_string(&in);
    dbus_read_options(&in, &token, 1);
    if (in.wrong || (token.value && !is_token(token.value))) {
        reply_invalid_arguments(caller);
        return;
    }
    write_handle(what.handle, caller, token.value);
    dbus_write_string(reply_begin(caller, "o"), what.handle);
    reply_end(caller);
    pending_request_begin(&what, (const char *const[]){"open", address, NULL});
}

static void refuse_file(const struct caller *caller, const struct dbus_message *call)
{
    reply_error(caller, PORTAL_NOT_ALLOWED,
                "this is a file of the box: programs of the box can open it, the host does not");
}

static void is_supported(const struct caller *caller, const struct dbus_message *call)
{
    static const char *const schemes[] = {"http", "https", "mailto"};
    struct dbus_reader in = call->body;
    const char *scheme = dbus_read_string(&in);
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        found |= strcmp(scheme, schemes[i]) == 0;
    dbus_write_u32(reply_begin(caller, "b"), found);
    reply_end(caller);
}

static const struct method open_methods[] = {
    {"OpenURI", "ssa{sv}", "o", open_uri},
    {"OpenFile", "sha{sv}", "o", refuse_file},
    {"OpenDirectory", "sha{sv}", "o", refuse_file},
    {"SchemeSupported", "sa{sv}", "b", is_supported},
    {0},
};
const struct interface open_uri_interface = {PORTAL_PATH, "org.freedesktop.portal.OpenURI", 5,
                                             open_methods};

static void close_request(const struct caller *caller, const struct dbus_message *call)
{
    if (pending_request_drop(call->path, caller->name) == 0)
        reply_empty(caller);
    else
        reply_error(caller, "org.freedesktop.DBus.Error.UnknownObject", "there is no such request");
}

static const struct method request_methods[] = {{"Close", "", "", close_request}, {0}};
const struct interface request_interface = {PORTAL_REQUESTS, "org.freedesktop.portal.Request", 0,
                                            request_methods};
