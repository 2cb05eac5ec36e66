#include "mcp/tools.h"

#include <string.h>

#include "mcp/box_command.h"

static json_t *snapshot_result(json_t *snapshots, json_t *changes, gboolean truncated)
{
    return json_pack("{s:o, s:o, s:b}", "snapshots", snapshots, "changes", changes, "truncated",
                     truncated);
}

static json_t *snapshot_json(json_t *from)
{
    static const char *const keys[] = {"number", "time", "reason", "consistent", "note", NULL};
    static const char *const parts[] = {"home", "project", "system"};
    json_t *row = box_command_pick(from, keys), *has = json_array();
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (json_is_object(json_object_get(from, parts[i])))
            json_array_append_new(has, json_string(parts[i]));
    }
    json_object_set_new(row, "parts", has);
    return row;
}

static void snapshots_listed(struct call *call)
{
    size_t i;
    json_t *one, *list = json_array(), *all = box_command_json(call);
    json_array_foreach (all, i, one) {
        const char *of = json_string_value(json_object_get(one, "box"));
        if (g_strcmp0(of, call->host->box->name) == 0)
            json_array_append_new(list, snapshot_json(one));
    }
    if (all)
        call_answer(call, snapshot_result(list, json_null(), FALSE), FALSE);
    else
        json_decref(list);
    json_decref(all);
}

static void created(struct call *call)
{
    json_t *made = box_command_json(call);
    if (!made)
        return;
    json_t *list = json_array();
    json_array_append_new(list, snapshot_json(made));
    json_decref(made);
    call_answer(call, snapshot_result(list, json_null(), FALSE), FALSE);
}

static void diff_finished(struct call *call)
{
    static const char *const keys[] = {"part", "path", "change", "kind", NULL};
    gboolean truncated;
    json_t *all = box_command_json(call);
    if (!all)
        return;
    json_t *changes = box_command_pick_all(
        all, keys, tool_number(call->tool, call->arguments, "max_changes"), &truncated);
    json_decref(all);
    call_answer(call, snapshot_result(json_null(), changes, truncated), FALSE);
}

/* The option for the argument "part"; NULL: both. */
static const char *part_option(const struct call *call)
{
    const char *part = tool_text(call->arguments, "part");
    return !part ? NULL : strcmp(part, "home") == 0 ? "--home" : "--project";
}

static void start_create(struct call *call)
{
    const char *note = tool_text(call->arguments, "note");
    if (call->host->snapshots >= SNAPSHOTS_MAX) {
        call_fail(call, "%d snapshots were made already, which is all that there may be",
                  SNAPSHOTS_MAX);
        return;
    }
    call->host->snapshots++;
    /* The user sees who made it. */
    g_autofree char *option = g_strconcat("--note=box mcp", note ? ": " : NULL, note, NULL);
    const char *part = part_option(call);
    const char *const words[] = {"snapshot", "create", "--json", option, call->host->box->name,
                                 part,       NULL};
    box_command_run(call, words, DIFF_JSON_MAX, created);
}

static void start_snapshot_diff(struct call *call)
{
    guint number = (guint)tool_number(call->tool, call->arguments, "number");
    if (!number) {
        call_fail(call, "'number' is missing: 'list' has those that there are");
        return;
    }
    g_autofree char *name = g_strdup_printf("%s.%u", call->host->box->name, number);
    const char *const words[] = {"snapshot", "diff", "--json", name, part_option(call), NULL};
    box_command_run(call, words, DIFF_JSON_MAX, diff_finished);
}

void tool_snapshot_start(struct call *call)
{
    const char *action = tool_text(call->arguments, "action");
    const char *const words[] = {"snapshot", "list", "--json", call->host->box->name, NULL};
    if (strcmp(action, "create") == 0)
        start_create(call);
    else if (strcmp(action, "diff") == 0)
        start_snapshot_diff(call);
    else
        box_command_run(call, words, DIFF_JSON_MAX, snapshots_listed);
}
