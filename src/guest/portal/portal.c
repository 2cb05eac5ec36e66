#include "guest/portal/portal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/clock.h"

static void caller_init(struct caller *self, const struct dbus_message *call)
{
    snprintf(self->name, sizeof self->name, "%s", call->sender);
    self->serial = call->flags & DBUS_MESSAGE_NO_REPLY ? 0 : call->serial;
}

struct dbus_writer *reply_begin(const struct caller *to, const char *signature)
{
    return bus_begin((struct dbus_message_head){.type = DBUS_MESSAGE_RETURN,
                                                .reply_to = to->serial,
                                                .destination = to->name,
                                                .signature = signature});
}

void reply_end(const struct caller *to)
{
    if (to->serial)
        bus_end();
}

void reply_empty(const struct caller *to)
{
    reply_begin(to, NULL);
    reply_end(to);
}

void reply_error(const struct caller *to, const char *error, const char *sentence)
{
    struct dbus_writer *out = bus_begin((struct dbus_message_head){.type = DBUS_MESSAGE_ERROR,
                                                                   .reply_to = to->serial,
                                                                   .error = error,
                                                                   .destination = to->name,
                                                                   .signature = "s"});
    dbus_write_string(out, sentence);
    reply_end(to);
}

void reply_invalid_arguments(const struct caller *to)
{
    reply_error(to, BUS_INVALID_ARGUMENTS, "the arguments are not those of this method");
}

static const struct interface *const interfaces[]; /* the last one is NULL */

/* 1 when the object at PATH has the interface SELF. */
static int interface_is_at(const struct interface *self, const char *path)
{
    size_t length = self->path ? strlen(self->path) : 0;
    if (!length)
        return 1;
    return self->path[length - 1] == '/' ? strncmp(self->path, path, length) == 0
                                         : strcmp(self->path, path) == 0;
}

/* The interfaces that every D-Bus object has: properties, introspection, ping. */
#define XML_MAX 16384
#define VERSION_PROPERTY "version"

static uint32_t version_of(const char *path, const char *interface)
{
    for (const struct interface *const *each = interfaces; *each; each++)
        if (strcmp((*each)->name, interface) == 0 && interface_is_at(*each, path))
            return (*each)->version;
    return 0;
}

static void get(const struct caller *caller, const struct dbus_message *call)
{
    struct dbus_reader in = call->body;
    uint32_t version = version_of(call->path, dbus_read_string(&in));
    const char *name = dbus_read_string(&in);
    if (!version || strcmp(name, VERSION_PROPERTY) != 0) {
        reply_error(caller, BUS_INVALID_ARGUMENTS, "there is no such property");
        return;
    }
    struct dbus_writer *out = reply_begin(caller, "v");
    dbus_write_signature(out, "u");
    dbus_write_u32(out, version);
    reply_end(caller);
}

static void get_all(const struct caller *caller, const struct dbus_message *call)
{
    struct dbus_reader in = call->body;
    uint32_t version = version_of(call->path, dbus_read_string(&in));
    struct dbus_writer *out = reply_begin(caller, "a{sv}");
    size_t list = dbus_begin_array(out, '{');
    if (version) {
        dbus_write_struct(out);
        dbus_write_string(out, VERSION_PROPERTY);
        dbus_write_signature(out, "u");
        dbus_write_u32(out, version);
    }
    dbus_end_array(out, list, '{');
    reply_end(caller);
}

static const struct method properties_methods[] = {
    {"Get", "ss", "v", get}, {"GetAll", "s", "a{sv}", get_all}, {0}};
static const struct interface properties_interface = {NULL, "org.freedesktop.DBus.Properties", 0,
                                                      properties_methods};

struct xml {
    char text[XML_MAX];
    size_t length;
};

static void add_xml(struct xml *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_xml(struct xml *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(self->text + self->length, XML_MAX - self->length, format, arguments);
    va_end(arguments);
    if (n > 0 && (size_t)n < XML_MAX - self->length)
        self->length += (size_t)n;
}

static void add_arguments(struct xml *self, const char *signature, const char *direction)
{
    for (const char *end; *signature; signature = end) {
        end = dbus_type_end(signature);
        add_xml(self, "<arg type=\"%.*s\" direction=\"%s\"/>", (int)(end - signature), signature,
                direction);
    }
}

static void add_interface(struct xml *self, const struct interface *interface)
{
    add_xml(self, "<interface name=\"%s\">", interface->name);
    for (const struct method *method = interface->methods; method->name; method++) {
        add_xml(self, "<method name=\"%s\">", method->name);
        add_arguments(self, method->in, "in");
        add_arguments(self, method->out, "out");
        add_xml(self, "</method>");
    }
    if (interface->version)
        add_xml(self, "<property name=\"" VERSION_PROPERTY "\" type=\"u\" access=\"read\"/>");
    add_xml(self, "</interface>");
}

static void introspect(const struct caller *caller, const struct dbus_message *call)
{
    static struct xml xml;
    xml.length = 0;
    add_xml(&xml, "<node>");
    for (const struct interface *const *each = interfaces; *each; each++)
        if (interface_is_at(*each, call->path))
            add_interface(&xml, *each);
    add_xml(&xml, "</node>");
    dbus_write_string(reply_begin(caller, "s"), xml.text);
    reply_end(caller);
}

static const struct method introspectable_methods[] = {{"Introspect", "", "s", introspect}, {0}};
static const struct interface introspectable_interface = {
    NULL, "org.freedesktop.DBus.Introspectable", 0, introspectable_methods};

static void ping(const struct caller *caller, const struct dbus_message *call)
{
    reply_empty(caller);
}

static const struct method peer_methods[] = {{"Ping", "", "", ping}, {0}};
static const struct interface peer_interface = {NULL, "org.freedesktop.DBus.Peer", 0, peer_methods};

static const struct interface *const interfaces[] = {
    &open_uri_interface, &request_interface,        &portal_notification_interface,
    &settings_interface, &notifications_interface,  &properties_interface,
    &peer_interface,     &introspectable_interface, NULL,
};

static const struct method *find_method(const struct interface *self, const char *name)
{
    for (const struct method *method = self->methods; method->name; method++)
        if (strcmp(method->name, name) == 0)
            return method;
    return NULL;
}

/* A call may leave the interface out. */
static const struct method *find(const struct dbus_message *call)
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

void portal_handle(const struct dbus_message *message)
{
    struct caller caller;
    if (message->type != DBUS_MESSAGE_CALL)
        return;
    caller_init(&caller, message);
    const struct method *method = find(message);
    if (!method)
        reply_error(&caller, "org.freedesktop.DBus.Error.UnknownMethod",
                    "a box's portal has no such method");
    else if (strcmp(message->signature, method->in) != 0)
        reply_invalid_arguments(&caller);
    else
        method->function(&caller, message);
}

/* Requests to the bridge. */

static struct pending_request requests[PENDING_REQUESTS_MAX];

static struct pending_request *find_by_fd(int fd)
{
    for (int i = 0; i < PENDING_REQUESTS_MAX; i++)
        if (requests[i].fd == fd)
            return &requests[i];
    return NULL;
}

void pending_request_begin(const struct pending_request *what, const char *const *texts)
{
    struct desktop_answer answer = {REQUEST_REFUSED, "too many requests at once"};
    struct pending_request *free = find_by_fd(0);
    int fd = free ? desktop_request_send(texts, &answer) : -1;
    if (fd < 0) {
        what->done(what, &answer);
        return;
    }
    *free = *what;
    free->fd = fd;
    free->until = clock_ms() + DESKTOP_REQUEST_TIMEOUT_MS;
}

static void end(struct pending_request *self)
{
    close(self->fd);
    self->fd = 0;
}

int pending_request_drop(const char *handle, const char *name)
{
    for (int i = 0; i < PENDING_REQUESTS_MAX; i++) {
        struct pending_request *self = &requests[i];
        if (self->fd && *self->handle && strcmp(self->handle, handle) == 0 &&
            strcmp(self->caller.name, name) == 0) {
            end(self);
            return 0;
        }
    }
    return -1;
}

int pending_requests_poll(struct pollfd *polls, int *timeout)
{
    int count = 0;
    int64_t now = clock_ms();
    *timeout = -1;
    for (int i = 0; i < PENDING_REQUESTS_MAX; i++) {
        if (!requests[i].fd)
            continue;
        int left = requests[i].until > now ? (int)(requests[i].until - now) : 0;
        polls[count++] = (struct pollfd){.fd = requests[i].fd, .events = POLLIN};
        if (*timeout < 0 || left < *timeout)
            *timeout = left;
    }
    return count;
}

void pending_requests_serve(const struct pollfd *polls, int count)
{
    for (int i = 0; i < count; i++) {
        struct pending_request *self = find_by_fd(polls[i].fd);
        struct desktop_answer answer;
        if (!self || (!polls[i].revents && clock_ms() < self->until))
            continue;
        desktop_request_receive(self->fd, &answer);
        struct pending_request ended = *self;
        end(self);
        ended.done(&ended, &answer);
    }
}
