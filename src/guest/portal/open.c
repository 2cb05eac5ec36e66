/* Pages and mails outside of the box: org.freedesktop.portal.OpenURI, and its requests. */
#include <stdio.h>
#include <string.h>

#include "guest/portal/errands.h"
#include "guest/portal/portal.h"

#define ALLOWED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define TOKEN_MAX 200

/* A request's Response. */
enum { RESPONSE_DONE, RESPONSE_CANCELLED, RESPONSE_OTHER };

static int is_token(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length <= TOKEN_MAX && strspn(text, ALLOWED) == length;
}

/* As the portal's documentation makes it of the caller's name and token. */
static void make_handle(char *handle, const struct caller *caller, const char *token)
{
    static unsigned count;
    char own[16];
    int length = snprintf(handle, ERRAND_HANDLE_MAX, "%s", PORTAL_REQUESTS);
    for (const char *c = caller->name + (*caller->name == ':'); *c; c++)
        handle[length++] = strchr(ALLOWED, *c) ? *c : '_';
    snprintf(own, sizeof own, "t%u", ++count);
    snprintf(handle + length, ERRAND_HANDLE_MAX - (size_t)length, "/%s", token ? token : own);
}

static void respond(const struct errand *self, const struct ask_answer *answer)
{
    struct wire_out *out = bus_begin((struct message_head){.type = MESSAGE_SIGNAL,
                                                           .path = self->handle,
                                                           .interface = request_interface.name,
                                                           .member = "Response",
                                                           .destination = self->caller.name,
                                                           .signature = "ua{sv}"});
    wire_put_u32(out, answer->outcome == REQUEST_DONE      ? RESPONSE_DONE
                      : answer->outcome == REQUEST_REFUSED ? RESPONSE_CANCELLED
                                                           : RESPONSE_OTHER);
    wire_end_array(out, wire_begin_array(out, '{'), '{');
    bus_end();
}

static void open_uri(const struct caller *caller, const struct message *call)
{
    struct errand what = {.done = respond, .caller = *caller};
    struct wire_wish token = {"handle_token", NULL};
    struct wire_in in = call->body;
    wire_get_string(&in); /* the window that asks */
    const char *address = wire_get_string(&in);
    wire_get_options(&in, &token, 1);
    if (in.wrong || (token.value && !is_token(token.value))) {
        reply_wrong(caller);
        return;
    }
    make_handle(what.handle, caller, token.value);
    wire_put_string(reply_begin(caller, "o"), what.handle);
    reply_end(caller);
    errand_begin(&what, (const char *const[]){"open", address, NULL});
}

static void refuse_file(const struct caller *caller, const struct message *call)
{
    reply_error(caller, PORTAL_NOT_ALLOWED,
                "it is a file of the box: programs of the box can open it, the host does not");
}

static void is_supported(const struct caller *caller, const struct message *call)
{
    static const char *const schemes[] = {"http", "https", "mailto"};
    struct wire_in in = call->body;
    const char *scheme = wire_get_string(&in);
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        found |= strcmp(scheme, schemes[i]) == 0;
    wire_put_u32(reply_begin(caller, "b"), found);
    reply_end(caller);
}

static const struct method open_methods[] = {
    {"OpenURI", "ssa{sv}", "o", open_uri},
    {"OpenFile", "sha{sv}", "o", refuse_file},
    {"OpenDirectory", "sha{sv}", "o", refuse_file},
    {"SchemeSupported", "sa{sv}", "b", is_supported},
    {0},
};
const struct interface open_interface = {PORTAL_PATH, "org.freedesktop.portal.OpenURI", 5,
                                         open_methods};

static void close_request(const struct caller *caller, const struct message *call)
{
    if (errand_drop(call->path, caller->name) == 0)
        reply_nothing(caller);
    else
        reply_error(caller, "org.freedesktop.DBus.Error.UnknownObject", "there is no such request");
}

static const struct method request_methods[] = {{"Close", "", "", close_request}, {0}};
const struct interface request_interface = {PORTAL_REQUESTS, "org.freedesktop.portal.Request", 0,
                                            request_methods};
