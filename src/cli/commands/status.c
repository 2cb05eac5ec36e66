#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "cli/commands/agent_show.h"
#include "box/commands/commands.h"
#include "box/create.h"
#include "box/json.h"
#include "box/overview.h"
#include "cli/commands/port_show.h"
#include "box/ports.h"
#include "cli/commands/project.h"
#include "box/say.h"
#include "common/text.h"

static struct {
    gboolean json;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "print JSON"},
    {0},
};

/* What the box was made from, against what its configuration says now. */
typedef enum { DRIFT_NONE, DRIFT_CHANGED, DRIFT_UNKNOWN } drift;

static const char *const drift_names[] = {"none", "changed", "unknown"};

static drift find_drift(const box *self, podman *server)
{
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_SKIP, NULL);
    g_autoptr(box_container) now = read ? container_inspect(self, server, NULL) : NULL;
    if (!now || now->state == BOX_MISSING)
        return now ? DRIFT_NONE : DRIFT_UNKNOWN;
    g_autoptr(plan) wanted = create_plan(self, server, read, NULL);
    g_autofree char *hash = wanted ? plan_hash(wanted->request) : NULL;
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
    if (row->started)
        line("started", row->started);
    if (row->sessions >= 0) {
        g_autofree char *sessions = g_strdup_printf("%d", (int)row->sessions);
        line("sessions", sessions);
    }
    if (row->idle_left >= 0) {
        g_autofree char *left = g_strdup_printf("%d s", (int)row->idle_left);
        line("stops in", left);
    }
    if (changed == DRIFT_CHANGED)
        line("drift", "its configuration has changed: 'box apply' puts it into effect");
}

/* What the box will get when it starts. */
static json_t *keys_to_come(const box *self)
{
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_SKIP, NULL);
    return agent_keys_of(self, read ? config_settings(read) : NULL);
}

/* {"keys": […], "grants": […]} as the agent has them; of a box that it does not serve, the keys
 * that it will. */
static json_t *ssh_of(const box *self)
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
static GPtrArray *find_ports(const box *self)
{
    g_autoptr(GError) problem = NULL;
    int fd = lifecycle_connect(self);
    GPtrArray *forwards = ports_list(self, fd >= 0, &problem);
    if (problem)
        say_warning("%s", problem->message);
    if (fd >= 0)
        close(fd);
    return forwards;
}

static int run(const arguments *given, GError **error)
{
    g_autoptr(box) self = project_box(arguments_first(given), PROJECT_EXISTING, error);
    g_autoptr(podman) server = self ? podman_connect(error) : NULL;
    g_autoptr(GPtrArray) rows = server ? overview_collect(server, error) : NULL;
    overview_row *row = rows ? find_row(rows, self->name) : NULL;
    if (!row) {
        if (rows)
            g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "box '%s' is gone", self->name);
        return -1;
    }
    overview_ask(row);
    drift changed = find_drift(self, server);
    g_autoptr(GPtrArray) forwards = find_ports(self);
    if (set.json) {
        json_t *out = overview_json(row);
        json_object_set_new(out, "drift", json_string(drift_names[changed]));
        json_object_set_new(out, "ports", port_show_forwards_json(forwards));
        json_object_set_new(out, "ssh", ssh_of(self));
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

const command command_status = {
    .name = "status",
    .alias = "ps",
    .group = GROUP_LOOK,
    .arguments = "[PROJECT]",
    .summary = "show the state of one box",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .operands_max = 1,
    .run = run,
};
