#include "cli/commands/show.h"

#include <string.h>

#include "box/inspect/sockets.h"
#include "box/lifecycle/ports.h"
#include "console/log.h"
#include "console/output.h"

static const listener *find_listener(const GPtrArray *list, guint16 port)
{
    for (guint i = 0; list && i < list->len; i++) {
        const listener *one = list->pdata[i];
        if (one->port == port)
            return one;
    }
    return NULL;
}

static gboolean is_forwarded(const GPtrArray *list, guint16 port)
{
    for (guint i = 0; i < list->len; i++) {
        const port_forward *one = list->pdata[i];
        if (one->mapping->box_port == port)
            return TRUE;
    }
    return FALSE;
}

/*
 * {"8000/tcp": [{"HostIp": "127.0.0.1", "HostPort": "8080"}]} as mappings; what is not understood
 * is passed over.
 */
static GPtrArray *published(json_t *inspect)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)port_mapping_free);
    json_t *bindings = json_object_get(json_object_get(inspect, "HostConfig"), "PortBindings");
    const char *key;
    json_t *ends, *end;
    size_t i;
    json_object_foreach (bindings, key, ends) {
        json_array_foreach (ends, i, end) {
            const char *ip = json_string_value(json_object_get(end, "HostIp"));
            const char *port = json_string_value(json_object_get(end, "HostPort"));
            gboolean v6 = ip && strchr(ip, ':');
            g_autofree char *text = g_strdup_printf("%s%s%s:%s:%s", v6 ? "[" : "", ip ? ip : "",
                                                    v6 ? "]" : "", port ? port : "", key);
            port_mapping *one = port_mapping_parse(text);
            if (one)
                g_ptr_array_add(list, one);
        }
    }
    return list;
}

static void add_program(json_t *out, const listener *server)
{
    json_object_set_new(out, "program", json_text(server ? server->program : NULL));
    json_object_set_new(out, "pid", json_count(server && server->pid ? server->pid : -1));
}

static json_t *mapping_json(const port_mapping *mapping)
{
    return json_pack("{s:s, s:i, s:i}", "ip", mapping->host_ip, "host", (int)mapping->host_port,
                     "box", (int)mapping->box_port);
}

json_t *port_show_forwards_json(const GPtrArray *forwards)
{
    json_t *list = json_array();
    for (guint i = 0; forwards && i < forwards->len; i++) {
        const port_forward *one = forwards->pdata[i];
        json_t *row = mapping_json(one->mapping);
        json_object_set_new(row, "kept", json_boolean(one->kept));
        json_object_set_new(row, "listening", json_boolean(one->error == 0));
        json_object_set_new(row, "error",
                            json_text(one->error > 0 ? g_strerror(one->error) : NULL));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *published_json(const port_view *self)
{
    g_autoptr(GPtrArray) list = published(self->inspect);
    json_t *out = json_array();
    for (guint i = 0; i < list->len; i++) {
        const port_mapping *one = list->pdata[i];
        json_t *row = mapping_json(one);
        json_object_set_new(row, "protocol", json_string(one->udp ? "udp" : "tcp"));
        json_array_append_new(out, row);
    }
    return out;
}

static json_t *listeners_json(const port_view *self)
{
    json_t *out = json_array();
    for (guint i = 0; i < self->listeners->len; i++) {
        const listener *one = self->listeners->pdata[i];
        json_t *row = json_pack("{s:i, s:b}", "port", (int)one->port, "forwarded",
                                (int)is_forwarded(self->forwards, one->port));
        add_program(row, one);
        json_array_append_new(out, row);
    }
    return out;
}

json_t *port_show_json(const port_view *self)
{
    json_t *forwards = port_show_forwards_json(self->forwards), *row;
    size_t i;
    json_array_foreach (forwards, i, row) {
        json_int_t port = json_integer_value(json_object_get(row, "box"));
        add_program(row, find_listener(self->listeners, (guint16)port));
    }
    return json_pack("{s:b, s:b, s:o, s:o, s:o}", "running", self->running, "host_network",
                     self->shares_host, "forwards", forwards, "published", published_json(self),
                     "listeners", listeners_json(self));
}

static void add_port_row(table *out, const char *host, guint16 port, const listener *server,
                         const char *note)
{
    g_autofree char *number = g_strdup_printf("%u", port);
    g_autofree char *program =
        server && server->pid
            ? g_strdup_printf("%s (%d)", server->program ? server->program : "?", (int)server->pid)
            : g_strdup(server ? "?" : "-");
    table_add(out, host);
    table_add(out, number);
    table_add(out, program);
    table_add(out, note);
}

static void add_forward(table *out, const port_view *self, const port_forward *one)
{
    g_autofree char *host = port_mapping_host_side(one->mapping);
    g_autoptr(GString) note = g_string_new(one->kept ? "kept" : NULL);
    const char *more = one->error > 0   ? g_strerror(one->error)
                       : one->error < 0 ? "from the next start on"
                                        : NULL;
    if (more)
        g_string_append_printf(note, "%s%s", note->len ? ", " : "", more);
    if (!port_mapping_is_local(one->mapping))
        g_string_append_printf(note, "%sothers on the network reach it", note->len ? ", " : "");
    add_port_row(out, host, one->mapping->box_port,
                 find_listener(self->listeners, one->mapping->box_port), note->str);
}

static void add_published(table *out, const port_view *self)
{
    g_autoptr(GPtrArray) list = published(self->inspect);
    for (guint i = 0; i < list->len; i++) {
        const port_mapping *one = list->pdata[i];
        g_autofree char *host = port_mapping_host_side(one);
        const listener *server = one->udp ? NULL : find_listener(self->listeners, one->box_port);
        add_port_row(out, host, one->box_port, server,
                     one->udp ? "published, UDP ([network] ports)" : "published ([network] ports)");
    }
}

static gboolean is_published(const port_view *self, guint16 port)
{
    g_autoptr(GPtrArray) list = published(self->inspect);
    for (guint i = 0; i < list->len; i++) {
        const port_mapping *one = list->pdata[i];
        if (!one->udp && one->box_port == port)
            return TRUE;
    }
    return FALSE;
}

static void add_offer(table *out, const port_view *self, const listener *one)
{
    if (is_forwarded(self->forwards, one->port) || is_published(self, one->port))
        return;
    g_autofree char *note =
        g_strdup_printf("not forwarded: box port add %s%s%u", self->argument ? self->argument : "",
                        self->argument ? " " : "", one->port);
    add_port_row(out, "-", one->port, one, note);
}

void port_show_text(const port_view *self)
{
    static const char *const headings[] = {"HOST", "BOX", "PROGRAM", "NOTE", NULL};
    g_autoptr(table) out = table_new(headings);
    if (self->shares_host) {
        log_note(
            "the box has the network of this machine ([network] mode = \"host\"): its ports need "
            "no forward");
        return;
    }
    for (guint i = 0; i < self->forwards->len; i++)
        add_forward(out, self, self->forwards->pdata[i]);
    add_published(out, self);
    for (guint i = 0; i < self->listeners->len; i++)
        add_offer(out, self, self->listeners->pdata[i]);
    if (!table_is_empty(out))
        table_print(out);
    else if (self->running)
        log_note("nothing is forwarded, and nothing listens in the box");
    else
        log_note("the box is not running and has no kept forwards");
}
