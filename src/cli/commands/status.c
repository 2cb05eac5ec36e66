#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/overview.h"
#include "box/lifecycle/ports.h"
#include "cli/commands/agent_show.h"
#include "cli/commands/command.h"
#include "cli/commands/port_show.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"

/* What the box was made from, against what its configuration says now. */
typedef enum { DRIFT_NONE, DRIFT_CHANGED, DRIFT_UNKNOWN } drift;

static const char *const drift_names[] = {"none", "changed", "unknown"};

static drift find_drift(const struct box *self, podman_client *server)
{
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_SKIP, NULL);
    g_autoptr(box_container) now = read ? box_container_inspect(self, server, NULL) : NULL;
    if (!now || now->state == BOX_MISSING)
        return now ? DRIFT_NONE : DRIFT_UNKNOWN;
    g_autoptr(plan) current = box_make_plan(self, server, read, NULL);
    g_autofree char *hash = current ? plan_hash(current->request) : NULL;
    if (!hash)
        return DRIFT_UNKNOWN;
    return g_strcmp0(hash, now->plan) == 0 ? DRIFT_NONE : DRIFT_CHANGED;
}

static overview_row *find_row(GPtrArray *rows, const char *name)
{
    for (guint i = 0; i < rows->len; i++) {
        overview_row *row = rows->pdata[i];
        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

static void line(const char *name, const char *value)
{
    g_autofree char *safe = text_safe(value, -1);
    printf("%-10s %s\n", name, safe);
}

static void print_text(const overview_row *row, drift changed)
{
    line("box", row->name);
    line("project", row->project);
    line("state", box_state_name(row->state));
    line("image", row->image ? row->image : "-");
    g_autofree char *started = units_format_time(row->started);
    if (row->started > 0)
        line("started", started);
    if (row->sessions >= 0) {
        g_autofree char *sessions = g_strdup_printf("%d", (int)row->sessions);
        line("sessions", sessions);
    }
    if (row->idle_left >= 0) {
        g_autofree char *left = units_format_duration(row->idle_left);
        line("stops in", left);
    }
    if (changed == DRIFT_CHANGED)
        line("drift", "its configuration has changed: 'box apply' puts it into effect");
}

/* What the box will get when it starts. */
static json_t *keys_to_come(const struct box *self)
{
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_SKIP, NULL);
    return agent_list_keys(self, read ? config_settings(read) : NULL);
}

/* {"keys": […], "grants": […]} as the agent has them; of a box that it does not serve, the keys
 * that it will. */
static json_t *ssh_of(const struct box *self)
{
    json_t *state = agent_call(json_pack("{s:s}", "op", "status"), FALSE, NULL);
    json_t *grants = agent_call(json_pack("{s:s}", "op", "grants"), FALSE, NULL);
    json_t *out = json_pack("{s:[]}", "grants"), *each;
    size_t i;
    json_array_foreach (json_object_get(state, "boxes"), i, each) {
        if (g_strcmp0(json_string_value(json_object_get(each, "box")), self->name) == 0)
            json_object_set(out, "keys", json_object_get(each, "keys"));
    }
    if (!json_object_get(out, "keys"))
        json_object_set_new(out, "keys", keys_to_come(self));
    json_array_foreach (json_object_get(grants, "grants"), i, each) {
        if (g_strcmp0(json_string_value(json_object_get(each, "box")), self->name) == 0)
            json_array_append(json_object_get(out, "grants"), each);
    }
    json_decref(state);
    json_decref(grants);
    return out;
}

/* "127.0.0.1:3000 -> 3000" a line; what is not listened on says why. */
static void print_ports(const GPtrArray *forwards)
{
    for (guint i = 0; forwards && i < forwards->len; i++) {
        const port_forward *one = forwards->pdata[i];
        g_autofree char *host = port_mapping_host_side(one->mapping);
        g_autofree char *text =
            g_strdup_printf("%s -> %u%s%s%s", host, one->mapping->box_port, one->error ? " (" : "",
                            one->error > 0   ? g_strerror(one->error)
                            : one->error < 0 ? "from the next start on"
                                             : "",
                            one->error ? ")" : "");
        line("port", text);
    }
}

/* With a warning in their place when they cannot be had. */
static GPtrArray *find_ports(const struct box *self)
{
    g_autoptr(GError) problem = NULL;
    int fd = box_connect(self);
    GPtrArray *forwards = port_forwards_list(self, fd >= 0, &problem);
    if (problem)
        log_warning("%s", problem->message);
    if (fd >= 0)
        close(fd);
    return forwards;
}

static int run(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    podman_client *server = call->server;
    g_autoptr(GPtrArray) rows = self ? box_overview(server, error) : NULL;
    overview_row *row = rows ? find_row(rows, self->name) : NULL;
    if (!row) {
        if (rows)
            g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "box '%s' is gone", self->name);
        return -1;
    }
    overview_row_query_sessions(row);
    drift changed = find_drift(self, server);
    g_autoptr(GPtrArray) forwards = find_ports(self);
    if (call->json) {
        json_t *out = overview_row_to_json(row);
        json_object_set_new(out, "drift", json_string(drift_names[changed]));
        json_object_set_new(out, "ports", port_show_forwards_json(forwards));
        json_object_set_new(out, "ssh", ssh_of(self));
        json_empty_to_null(out);
        json_print(out);
    } else {
        json_t *ssh = ssh_of(self);
        print_text(row, changed);
        print_ports(forwards);
        agent_show_ssh(ssh);
        json_decref(ssh);
    }
    return 0;
}

const struct command command_status = {
    .name = "status",
    .alias = "ps",
    .group = GROUP_INSPECT,
    .operands = "[PROJECT]",
    .summary = "show the state of one box",
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
};
