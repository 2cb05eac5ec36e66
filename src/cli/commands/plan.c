#include <stdio.h>
#include <string.h>

#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "console/log.h"
#include "console/output.h"

static const char *text_of(json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static gboolean is_read_only(json_t *mount)
{
    size_t i;
    json_t *option_name;
    json_array_foreach (json_object_get(mount, "options"), i, option_name) {
        if (g_strcmp0(json_string_value(option_name), "ro") == 0)
            return TRUE;
    }
    return FALSE;
}

static void print_mounts(json_t *request)
{
    static const char *const headings[] = {"IN THE BOX", "", "FROM", NULL};
    g_autoptr(table) out = table_new(headings);
    size_t i;
    json_t *mount;
    json_array_foreach (json_object_get(request, "mounts"), i, mount) {
        gboolean bind = strcmp(text_of(mount, "type"), "bind") == 0;
        table_add(out, text_of(mount, "destination"));
        table_add(out, is_read_only(mount) ? "ro" : "rw");
        table_add(out, bind ? text_of(mount, "source") : text_of(mount, "type"));
    }
    table_print(out);
}

static int run_plan(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_PEEK, error);
    g_autoptr(config) read =
        self ? config_load(self->project, self->name, NULL, TRUST_IGNORE, error) : NULL;
    g_autoptr(plan) made = read ? box_make_plan(self, call->server, read, error) : NULL;
    if (!made)
        return -1;
    if (call->json) {
        json_print(json_incref(made->request));
        return 0;
    }
    print_mounts(made->request);
    for (guint i = 0; i < made->warnings->len; i++)
        log_warning("%s", (char *)made->warnings->pdata[i]);
    for (guint i = 0; i < made->absent->len; i++)
        log_warning("%s", (char *)made->absent->pdata[i]);
    return 0;
}

const struct command command_plan = {
    .name = "plan",
    .group = GROUP_SETUP,
    .operands = "[PROJECT]",
    .summary = "show how a box would be created, without creating it",
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run_plan,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
    .json = "print the create request as it goes to Podman",
};
