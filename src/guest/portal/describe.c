/* What D-Bus wants of every object: properties, introspection, and an answer to a ping. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "guest/portal/portal.h"

#define XML_MAX 16384
#define VERSION "version"

static uint32_t version_of(const char *path, const char *interface)
{
    for (const struct interface *const *each = interfaces; *each; each++)
        if (strcmp((*each)->name, interface) == 0 && interface_is_at(*each, path))
            return (*each)->version;
    return 0;
}

static void get(const struct caller *caller, const struct message *call)
{
    struct wire_in in = call->body;
    uint32_t version = version_of(call->path, wire_get_string(&in));
    const char *name = wire_get_string(&in);
    if (!version || strcmp(name, VERSION) != 0) {
        reply_error(caller, REPLY_WRONG, "there is no such property");
        return;
    }
    struct wire_out *out = reply_begin(caller, "v");
    wire_put_signature(out, "u");
    wire_put_u32(out, version);
    reply_end(caller);
}

static void get_all(const struct caller *caller, const struct message *call)
{
    struct wire_in in = call->body;
    uint32_t version = version_of(call->path, wire_get_string(&in));
    struct wire_out *out = reply_begin(caller, "a{sv}");
    size_t list = wire_begin_array(out, '{');
    if (version) {
        wire_put_struct(out);
        wire_put_string(out, VERSION);
        wire_put_signature(out, "u");
        wire_put_u32(out, version);
    }
    wire_end_array(out, list, '{');
    reply_end(caller);
}

static const struct method properties_methods[] = {
    {"Get", "ss", "v", get}, {"GetAll", "s", "a{sv}", get_all}, {0}};
const struct interface properties_interface = {NULL, "org.freedesktop.DBus.Properties", 0,
                                               properties_methods};

struct xml {
    char text[XML_MAX];
    size_t length;
};

static void add(struct xml *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct xml *self, const char *format, ...)
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
        end = wire_type_end(signature);
        add(self, "<arg type=\"%.*s\" direction=\"%s\"/>", (int)(end - signature), signature,
            direction);
    }
}

static void add_interface(struct xml *self, const struct interface *interface)
{
    add(self, "<interface name=\"%s\">", interface->name);
    for (const struct method *method = interface->methods; method->name; method++) {
        add(self, "<method name=\"%s\">", method->name);
        add_arguments(self, method->in, "in");
        add_arguments(self, method->out, "out");
        add(self, "</method>");
    }
    if (interface->version)
        add(self, "<property name=\"" VERSION "\" type=\"u\" access=\"read\"/>");
    add(self, "</interface>");
}

static void introspect(const struct caller *caller, const struct message *call)
{
    static struct xml xml;
    xml.length = 0;
    add(&xml, "<node>");
    for (const struct interface *const *each = interfaces; *each; each++)
        if (interface_is_at(*each, call->path))
            add_interface(&xml, *each);
    add(&xml, "</node>");
    wire_put_string(reply_begin(caller, "s"), xml.text);
    reply_end(caller);
}

static const struct method introspectable_methods[] = {{"Introspect", "", "s", introspect}, {0}};
const struct interface introspectable_interface = {NULL, "org.freedesktop.DBus.Introspectable", 0,
                                                   introspectable_methods};

static void ping(const struct caller *caller, const struct message *call)
{
    reply_nothing(caller);
}

static const struct method peer_methods[] = {{"Ping", "", "", ping}, {0}};
const struct interface peer_interface = {NULL, "org.freedesktop.DBus.Peer", 0, peer_methods};
