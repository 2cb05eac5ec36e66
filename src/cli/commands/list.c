#include <stdio.h>

#include "box/lifecycle/overview.h"
#include "cli/commands/command.h"
#include "common/text.h"
#include "console/log.h"
#include "console/output.h"

static struct {
    gboolean all, running, quiet;
} list_given;

static const option list_options[] = {
    {"all", 'a', OPTION_FLAG, &list_given.all, NULL, "all boxes, which is the default"},
    {"quiet", 'q', OPTION_FLAG, &list_given.quiet, NULL, "only names"},
    {"running", 'r', OPTION_FLAG, &list_given.running, NULL, "only running boxes"},
    {0},
};

static gboolean is_shown(const overview_row *row)
{
    return !list_given.running || row->state == BOX_RUNNING;
}

static void print_boxes_json(GPtrArray *rows)
{
    json_t *list = json_array();
    for (guint i = 0; i < rows->len; i++) {
        if (is_shown(rows->pdata[i]))
            json_array_append_new(list, overview_row_to_json(rows->pdata[i]));
    }
    json_print(list);
}

/* The word for the state: "missing" says nothing to somebody who does not know our states. */
static const char *state_word(const overview_row *row)
{
    if (!row->registered && !row->ephemeral && !row->branch)
        return "orphan";
    if (row->state == BOX_MISSING)
        return "not created";
    return box_state_name(row->state);
}

static void note_problems(GPtrArray *rows)
{
    for (guint i = 0; i < rows->len; i++) {
        g_autofree char *problem =
            is_shown(rows->pdata[i]) ? overview_row_problem(rows->pdata[i]) : NULL;
        if (problem)
            log_note("%s", problem);
    }
}

static void print_box_names(GPtrArray *rows)
{
    for (guint i = 0; i < rows->len; i++) {
        const overview_row *row = rows->pdata[i];
        g_autofree char *safe = text_safe(row->name, -1);
        if (is_shown(row))
            puts(safe);
    }
}

static void print_boxes(GPtrArray *rows)
{
    static const char *const headings[] = {"NAME", "STATE", "SESSIONS", "IMAGE", "PROJECT", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; i < rows->len; i++) {
        const overview_row *row = rows->pdata[i];
        if (!is_shown(row))
            continue;
        g_autofree char *sessions =
            row->sessions < 0 ? g_strdup("-") : g_strdup_printf("%d", (int)row->sessions);
        table_add(out, row->name);
        table_add(out, state_word(row));
        table_add(out, sessions);
        table_add(out, row->image ? row->image : "-");
        table_add(out, row->project);
    }
    if (table_is_empty(out))
        log_note(list_given.running ? "no box runs"
                                    : "no boxes yet; 'box enter' in a project creates one");
    else
        table_print(out);
    note_problems(rows);
}

static int run_list(const struct command_call *call, GError **error)
{
    if (list_given.all && list_given.running) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "--all and --running exclude each other");
        return -1;
    }
    if (list_given.quiet && call->json) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "--quiet and --json exclude each other");
        return -1;
    }
    g_autoptr(GPtrArray) rows = box_overview(call->server, error);
    if (!rows)
        return -1;
    for (guint i = 0; i < rows->len && !list_given.quiet; i++)
        overview_row_query_sessions(rows->pdata[i]);
    if (list_given.quiet)
        print_box_names(rows);
    else if (call->json)
        print_boxes_json(rows);
    else
        print_boxes(rows);
    return 0;
}

const struct command command_list = {
    .name = "list",
    .alias = "ls",
    .group = GROUP_INSPECT,
    .operands = "",
    .summary = "list all boxes",
    .options = list_options,
    .run = run_list,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
};
