#include "mcp/tools.h"

#include <string.h>

#include "box/inspect/sockets.h"
#include "box/lifecycle/container.h"
#include "box/lifecycle/ports.h"
#include "box/session/freeze.h"
#include "config/config.h"
#include "console/output.h"

/* 0 is no limit. */
static json_t *limit(gint64 value)
{
    return value > 0 ? json_integer((json_int_t)value) : json_null();
}

static json_t *settings_json(const settings *now)
{
    json_t *protected = json_texts(now->protect.paths);
    for (char **extra = now->protect.extra; extra && *extra; extra++)
        json_array_append_new(protected, json_text(*extra));
    json_t *network = json_pack(
        "{s:s, s:o, s:o}", "mode", choice_by_value(network_mode_choices, now->network.mode)->name,
        "allow", json_texts(now->network.allow), "deny", json_texts(now->network.deny));
    json_t *limits = json_pack("{s:o, s:o}", "memory", limit(now->limits.memory), "pids",
                               limit(now->limits.pids));
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "network", network, "project_mode",
                     choice_by_value(mount_mode_choices, now->project.mode)->name, "protected",
                     protected, "hidden", json_texts(now->project.hidden), "limits", limits);
}

static json_t *listeners_json(pid_t init)
{
    json_t *array = json_array();
    if (init <= 0 || listeners_is_host_network(init))
        return array;
    g_autoptr(GPtrArray) found = listeners_find(init);
    for (guint i = 0; i < found->len; i++) {
        const listener *one = found->pdata[i];
        json_array_append_new(
            array, json_pack("{s:i, s:o}", "port", one->port, "program", json_text(one->program)));
    }
    return array;
}

void tool_status_start(struct call *call)
{
    g_autoptr(GError) error = NULL;
    const struct box *self = call->host->box;
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, &error);
    if (!read) {
        call_fail(call, "%s", error->message);
        return;
    }
    pid_t init = box_find_init(self);
    const char *state = init <= 0 ? "stopped" : freeze_is_paused(init) ? "paused" : "running";
    json_t *status = settings_json(config_settings(read));
    json_object_set_new(status, "box", json_text(self->name));
    json_object_set_new(status, "project", json_text(self->project));
    json_object_set_new(status, "state", json_string(state));
    json_object_set_new(status, "listening", listeners_json(init));
    json_object_set_new(status, "background", background_json(call->host));
    call_answer(call, status, FALSE);
}

static json_t *forwards_json(const GPtrArray *forwards)
{
    json_t *array = json_array();
    for (guint i = 0; i < forwards->len; i++) {
        const port_forward *one = forwards->pdata[i];
        const port_mapping *mapping = one->mapping;
        json_array_append_new(array, json_pack("{s:s, s:i, s:i, s:b}", "host_ip", mapping->host_ip,
                                               "host_port", mapping->host_port, "box_port",
                                               mapping->box_port, "open", one->error == 0));
    }
    return array;
}

static gboolean is_same(const port_mapping *one, const void *data)
{
    const port_mapping *wanted = data;
    return strcmp(one->host_ip, wanted->host_ip) == 0 && one->host_port == wanted->host_port &&
           one->box_port == wanted->box_port;
}

/* Only of this machine's loopback: what others can reach is the user's to open. */
static gboolean change(struct call *call, gboolean add, gboolean runs, GError **error)
{
    const struct box *self = call->host->box;
    guint box_port = (guint)tool_number(call->tool, call->arguments, "port");
    guint host_port = (guint)tool_number(call->tool, call->arguments, "host_port");
    g_autofree char *text = g_strdup_printf("%u:%u", host_port ? host_port : box_port, box_port);
    g_autoptr(port_mapping) mapping = port_mapping_parse(text);
    gboolean again;
    if (!mapping) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'port' is missing");
        return FALSE;
    }
    if (add)
        return port_forwards_add(self, runs, mapping, FALSE, &again, error);
    int count = port_forwards_remove(self, runs, is_same, mapping, error);
    if (count == 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "there is no such forward: see 'list'");
    return count > 0;
}

void tool_port_start(struct call *call)
{
    g_autoptr(GError) error = NULL;
    const struct box *self = call->host->box;
    const char *action = tool_text(call->arguments, "action");
    pid_t init = box_find_init(self);
    gboolean lists = strcmp(action, "list") == 0;
    if (init <= 0 && !lists) {
        call_fail(call, "the box is not running: 'run' a command first, which starts it");
        return;
    }
    if (init > 0 && listeners_is_host_network(init)) {
        call_fail(call, "the box has the network of the user's machine: its ports need no forward");
        return;
    }
    if (!lists && !change(call, strcmp(action, "add") == 0, init > 0, &error)) {
        call_fail(call, "%s", error->message);
        return;
    }
    g_autoptr(GPtrArray) forwards = port_forwards_list(self, init > 0, &error);
    if (!forwards)
        call_fail(call, "%s", error->message);
    else
        call_answer(call,
                    json_pack("{s:o, s:o}", "forwards", forwards_json(forwards), "listening",
                              listeners_json(init)),
                    FALSE);
}
