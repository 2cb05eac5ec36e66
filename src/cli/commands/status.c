#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/inspect/network.h"
#include "box/inspect/project_changes.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/overview.h"
#include "box/lifecycle/ports.h"
#include "box/registry/runtime_config.h"
#include "box/session/left_programs.h"
#include "cli/commands/consent.h"
#include "cli/commands/project.h"
#include "cli/commands/show.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"

static struct {
    gboolean reviewed;
} status_given;

static const option status_options[] = {
    PROJECTS_ALL_OPTION,
    {"reviewed", 0, OPTION_FLAG, &status_given.reviewed, NULL,
     "mark the changed files that it listed last as reviewed"},
    {0},
};

static const char *const drift_names[] = {"none", "config", "image", "unknown"};
G_STATIC_ASSERT(G_N_ELEMENTS(drift_names) == BOX_DRIFT_UNKNOWN + 1);

static box_drift find_drift(const struct box *self, podman_client *server)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, NULL);
    g_autoptr(box_container) now = read ? box_container_inspect(self, server, NULL) : NULL;
    return now ? box_find_drift(self, server, read, now) : BOX_DRIFT_UNKNOWN;
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

static void print_status_line(const char *name, const char *value)
{
    g_autofree char *safe = text_safe(value, -1);
    printf("%-10s %s\n", name, safe);
}

/* What became of the network of a box that is to have one, or of its filter. */
typedef enum { NETWORK_UNKNOWN, NETWORK_WORKS, NETWORK_LOST, NETWORK_AUDIT } network_state;

static network_state find_network(const struct box *self)
{
    g_autoptr(runtime_config) known = runtime_config_read(self);
    pid_t init = box_find_init(self);
    if (init && known && known->settings->network.mode == NETWORK_FILTERED &&
        known->settings->network.audit)
        return NETWORK_AUDIT;
    if (!init || !known || known->settings->network.mode != NETWORK_OPEN)
        return NETWORK_UNKNOWN;
    return network_is_lost(init) ? NETWORK_LOST : NETWORK_WORKS;
}

static json_t *network_json(network_state network)
{
    static const char *const names[] = {[NETWORK_UNKNOWN] = NULL,
                                        [NETWORK_WORKS] = "works",
                                        [NETWORK_LOST] = "lost",
                                        [NETWORK_AUDIT] = "audit"};
    return json_text(names[network]);
}

static void print_overview(const overview_row *row, box_drift drift, network_state network)
{
    print_status_line("box", row->name);
    print_status_line("project", row->project);
    print_status_line("state", box_state_name(row->state));
    print_status_line("image", row->image ? row->image : "-");
    g_autofree char *started = units_format_time(row->started);
    if (row->started > 0)
        print_status_line("started", started);
    if (row->sessions >= 0) {
        g_autofree char *sessions = g_strdup_printf("%d", (int)row->sessions);
        print_status_line("sessions", sessions);
    }
    if (row->idle_left >= 0) {
        g_autofree char *time = units_format_duration(row->idle_left);
        print_status_line("stops in", time);
    }
    if (network == NETWORK_LOST)
        print_status_line(
            "network", "lost, as the program that connects the box has ended; 'box restart' brings "
                       "it back");
    if (network == NETWORK_AUDIT)
        print_status_line(
            "network",
            "audit: it reaches every name that no rule denies; 'box net suggest' prints rules for "
            "these names");
    g_autofree char *left = left_programs_text(&row->left);
    if (left)
        print_status_line(row->left.fate == SESSION_LEFT_KEEPS ? "kept by" : "left", left);
    if (drift == BOX_DRIFT_CONFIG)
        print_status_line("outdated", "configuration changed; 'box apply' recreates the box");
    if (drift == BOX_DRIFT_IMAGE)
        print_status_line("outdated", "image changed; 'box apply' recreates the box");
}

/* What the box will get when it starts. */
static json_t *keys_to_come(const struct box *self)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, NULL);
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
        print_status_line("port", text);
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

static void print_changes(const project_changes *changes)
{
    for (guint i = 0; i < changes->paths->len; i++)
        print_status_line("changed", changes->paths->pdata[i]);
    if (changes->more) {
        g_autofree char *more = g_strdup_printf("%u more", changes->more);
        print_status_line("changed", more);
    }
    if (changes->unread) {
        g_autofree char *unread =
            g_strdup_printf("%u folder%s could not be read, and may hold more", changes->unread,
                            changes->unread > 1 ? "s" : "");
        print_status_line("changed", unread);
    }
    if (changes->paths->len)
        log_note("tools on this machine run or obey the changed files: review them, then run 'box "
                 "status --reviewed'");
}

static json_t *changes_to_json(const project_changes *changes)
{
    json_t *paths = json_array();
    for (guint i = 0; i < changes->paths->len; i++)
        json_array_append_new(paths, json_text(changes->paths->pdata[i]));
    return json_pack("{s:o, s:i, s:i}", "paths", paths, "more", (int)changes->more,
                     "unread_folders", (int)changes->unread);
}

/* NULL where the configuration, which has the names, cannot be read, and for a branch, which
 * changes nothing of the project. */
static project_changes *find_changes(const struct box *self, box_state state)
{
    if (self->branch)
        return NULL;
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, NULL);
    return read ? project_changes_update(self, config_settings(read), state == BOX_RUNNING, FALSE)
                : NULL;
}

/* Of all boxes, asked for once. */
static GPtrArray *rows;
/* Of several boxes, whose objects are printed as one list; NULL for one. */
static json_t *status_list;

/* What is found out about one box. */
typedef struct {
    overview_row *row;
    box_drift drift;
    network_state network;
    GPtrArray *forwards;
    project_changes *changes;
} box_details;

static void box_details_clear(box_details *self)
{
    g_clear_pointer(&self->forwards, g_ptr_array_unref);
    g_clear_pointer(&self->changes, project_changes_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(box_details, box_details_clear)

static json_t *status_json(const struct box *self, const box_details *now)
{
    json_t *out = overview_row_to_json(now->row);
    json_object_set_new(out, "drift", json_string(drift_names[now->drift]));
    json_object_set_new(out, "network", network_json(now->network));
    json_object_set_new(out, "ports", port_show_forwards_json(now->forwards));
    json_object_set_new(out, "ssh", ssh_of(self));
    json_object_set_new(out, "changes", now->changes ? changes_to_json(now->changes) : json_null());
    json_empty_to_null(out);
    return out;
}

static void print_status(const struct box *self, const box_details *now)
{
    static gboolean begun;
    json_t *ssh = ssh_of(self);
    if (begun)
        puts("");
    begun = TRUE;
    print_overview(now->row, now->drift, now->network);
    print_ports(now->forwards);
    consent_show_ssh(ssh);
    if (now->changes)
        print_changes(now->changes);
    json_decref(ssh);
}

static gboolean show_box(struct box *self, const struct command_call *call, GError **error)
{
    if (status_given.reviewed)
        return self->branch || project_changes_forget(self, error);
    g_auto(box_details) now = {find_row(rows, self->name)};
    if (!now.row) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    self->branch ? "branch '%s' has no container until it is used again; 'box "
                                   "branch list' shows it"
                                 : "box '%s' is gone",
                    self->name);
        return FALSE;
    }
    overview_row_query_sessions(now.row);
    now.drift = find_drift(self, call->server);
    now.network = find_network(self);
    now.forwards = find_ports(self);
    now.changes = find_changes(self, now.row->state);
    if (!call->json)
        print_status(self, &now);
    else if (status_list)
        json_array_append_new(status_list, status_json(self, &now));
    else
        json_print(status_json(self, &now));
    if (now.changes)
        project_changes_shown(self, now.changes);
    return TRUE;
}

static int run_status(const struct command_call *call, GError **error)
{
    gboolean several = projects_all || g_strv_length(call->operands) > 1;
    rows = status_given.reviewed ? NULL : box_overview(call->server, error);
    if (!rows && !status_given.reviewed)
        return -1;
    if (several && call->json && !status_given.reviewed)
        status_list = json_array();
    int status = projects_each(call, PROJECT_EXISTING, PROJECTS_BRANCHES, show_box, error);
    if (status_list && status == -1)
        json_decref(status_list);
    else if (status_list)
        json_print(status_list);
    g_clear_pointer(&rows, g_ptr_array_unref);
    return status;
}

const struct command command_status = {
    .name = "status",
    .group = GROUP_INSPECT,
    .operands = "[PROJECT…]",
    .summary = "show the state of one or more boxes",
    .options = status_options,
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = COMMAND_NO_LIMIT,
    .run = run_status,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
};
