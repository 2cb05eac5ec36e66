#include <stdio.h>
#include <unistd.h>

#include "box/inspect/processes.h"
#include "box/lifecycle/container.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"

/* The name of a uid of the box: its own list of users is hostile. A new string. */
static char *user_name(gint64 uid)
{
    if (uid == 0)
        return g_strdup("root");
    if (uid == (gint64)getuid())
        return g_strdup(g_get_user_name());
    return uid < 0 ? g_strdup("-") : g_strdup_printf("%" G_GINT64_FORMAT, uid);
}

static void print_processes_json(const GPtrArray *list)
{
    json_t *out = json_array();
    for (guint i = 0; i < list->len; i++) {
        const box_process *one = list->pdata[i];
        g_autofree char *user = user_name(one->uid);
        json_array_append_new(
            out, json_pack("{s:o, s:i, s:o, s:o, s:f, s:o, s:o, s:o}", "pid",
                           one->pid ? json_count(one->pid) : json_null(), "host_pid",
                           (int)one->host_pid, "uid", json_count(one->uid), "user",
                           one->uid < 0 ? json_null() : json_text(user), "cpu", one->cpu, "memory",
                           json_count(one->memory), "threads", json_count((gint64)one->threads),
                           "command", json_text(one->command)));
    }
    json_print(out);
}

static void print_processes(const GPtrArray *list)
{
    static const char *const headings[] = {"PID", "USER", "CPU", "MEMORY", "COMMAND", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; i < list->len; i++) {
        const box_process *one = list->pdata[i];
        g_autofree char *pid = one->pid ? g_strdup_printf("%d", (int)one->pid) : g_strdup("-");
        g_autofree char *user = user_name(one->uid);
        g_autofree char *cpu = g_strdup_printf("%.1f %%", one->cpu);
        g_autofree char *memory = units_format_size(one->memory);
        table_add(out, pid);
        table_add(out, user);
        table_add(out, cpu);
        table_add(out, memory);
        table_add(out, one->command);
    }
    table_print(out);
}

static int run_top(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box_or_branch(call->operands[0], PROJECT_EXISTING, error);
    g_autoptr(box_container) now = self ? box_container_inspect(self, call->server, error) : NULL;
    if (!now)
        return -1;
    /* What Podman says of PID 1, which no box can forge. */
    g_autoptr(GPtrArray) list = box_processes_find(box_container_is_alive(now) ? now->pid : 0);
    if (!list->len)
        log_note("box '%s' is not running", self->name);
    if (call->json)
        print_processes_json(list);
    else if (list->len)
        print_processes(list);
    return 0;
}

const struct command command_top = {
    .name = "top",
    .group = GROUP_INSPECT,
    .operands = "[PROJECT]",
    .summary = "show the processes of a box: pid, user, CPU, memory, command",
    .details = "PID is that in the box. CPU is of one processor, measured just now.",
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = 1,
    .run = run_top,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
};
