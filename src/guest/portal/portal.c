#include "guest/portal/portal.h"

#include <string.h>

const struct interface *const interfaces[] = {
    &open_interface,     &request_interface,        &notification_interface,
    &settings_interface, &notifications_interface,  &properties_interface,
    &peer_interface,     &introspectable_interface, NULL,
};

int interface_is_at(const struct interface *self, const char *path)
{
    size_t length = self->path ? strlen(self->path) : 0;
    if (!length)
        return 1;
    return self->path[length - 1] == '/' ? strncmp(self->path, path, length) == 0
                                         : strcmp(self->path, path) == 0;
}

static const struct method *find_method(const struct interface *self, const char *name)
{
    for (const struct method *method = self->methods; method->name; method++)
        if (strcmp(method->name, name) == 0)
            return method;
    return NULL;
}

/* A call need not name the interface. */
static const struct method *find(const struct message *call)
{
    for (const struct interface *const *each = interfaces; *each; each++) {
        const struct interface *self = *each;
        if (!interface_is_at(self, call->path) ||
            (*call->interface && strcmp(call->interface, self->name) != 0))
            continue;
        const struct method *method = find_method(self, call->member);
        if (method)
            return method;
    }
    return NULL;
}

void portal_take(const struct message *message)
{
    struct caller caller;
    if (message->type != MESSAGE_CALL)
        return;
    caller_set(&caller, message);
    const struct method *method = find(message);
    if (!method)
        reply_error(&caller, "org.freedesktop.DBus.Error.UnknownMethod",
                    "a box's portal has no such method");
    else if (strcmp(message->signature, method->in) != 0)
        reply_wrong(&caller);
    else
        method->function(&caller, message);
}
