#include "mcp/tools.h"

#include <string.h>

#include "box/exec/output_pieces.h"
#include "mcp/box_command.h"
#include "mcp/own_branches.h"

/* Paths of one diff. */
#define PATHS_MAX 256
/* A branch's container may have to be made, with its image. */
#define START_MS (60 * 1000)

static json_t *branch_result(json_t *branches, json_t *changes, json_t *git, json_t *text,
                             gboolean truncated)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "branches", branches, "changes", changes, "git",
                     git, "text", text, "truncated", truncated);
}

static void branches_listed(struct call *call)
{
    static const char *const keys[] = {"name", "state", "began", "changed", "git", "commits", NULL};
    size_t i;
    json_t *one, *list = json_array(), *all = box_command_json(call);
    json_array_foreach (all, i, one) {
        const char *name = json_string_value(json_object_get(one, "name"));
        const char *of = json_string_value(json_object_get(one, "box"));
        /* A project may have several boxes. */
        if (!name || g_strcmp0(of, call->host->box->name) != 0)
            continue;
        json_t *row = box_command_pick(one, keys);
        const char *owner = json_string_value(json_object_get(one, "owner"));
        json_object_set_new(row, "own", json_boolean(g_strcmp0(owner, "user") != 0));
        json_array_append_new(list, row);
    }
    if (all)
        call_answer(call, branch_result(list, json_null(), json_null(), json_null(), FALSE), FALSE);
    else
        json_decref(list);
    json_decref(all);
}

static void start_list(struct call *call, const char *name)
{
    (void)name;
    const char *const words[] = {"branch", "list", "--json", call->host->box->name, NULL};
    box_command_run(call, words, DIFF_JSON_MAX, branches_listed);
}

static void made(struct call *call)
{
    const struct session_child_report *said = &call->process.said;
    if (said->status == 0)
        start_list(call, NULL);
    else
        call_fail(
            call,
            "the branch was made, and does not start: %s; 'run' tries again, 'drop' removes it",
            said->status < 0 ? said->message : "its box runs no command");
}

/* It is started, so that what stands in its way is known now. */
static void start_new(struct call *call, const char *name)
{
    g_autoptr(GError) error = NULL;
    char *command[] = {(char *)"true", NULL};
    g_autoptr(box) branch = own_branch_make(call->host, name, &error);
    session_options options = {.command = command,
                               .workdir = call->host->box->project,
                               .unattended = TRUE,
                               .wait = SESSION_WAIT_KILL,
                               .timeout_ms = START_MS};
    if (branch)
        call_run(call, branch, &options, NULL, 0, made);
    else
        call_fail(call, "%s", error->message);
}

static void dropped(struct call *call)
{
    if (box_command_succeeded(call))
        start_list(call, NULL);
}

static void start_drop(struct call *call, const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(box) branch = own_branch_find(call->host, name, &error);
    if (branch && !own_branch_may_drop(branch, &error))
        g_clear_pointer(&branch, box_free);
    if (!branch) {
        call_fail(call, "%s", error->message);
        return;
    }
    const char *const words[] = {"branch", "drop", "--mcp", "--yes", branch->name, NULL};
    box_command_run(call, words, 0, dropped);
}

static void names_finished(struct call *call)
{
    static const char *const keys[] = {"path", "change", "size", "doubts", NULL};
    gboolean truncated;
    json_t *read = box_command_json(call);
    if (!read)
        return;
    json_t *changes =
        box_command_pick_all(json_object_get(read, "changes"), keys,
                             tool_number(call->tool, call->arguments, "max_changes"), &truncated);
    truncated |= json_is_true(json_object_get(read, "cut"));
    json_t *git = json_boolean(json_is_true(json_object_get(read, "git")));
    json_decref(read);
    call_answer(call, branch_result(json_null(), changes, git, json_null(), truncated), FALSE);
}

static void text_finished(struct call *call)
{
    const GString *text = call->text[0];
    if (!box_command_succeeded(call))
        return;
    call_answer(call,
                branch_result(json_null(), json_null(), json_null(),
                              output_text(text->str, MIN(text->len, call->text_max), TRUE),
                              text->len > call->text_max),
                FALSE);
}

/* Adds the argument "paths", each absolute, so that none looks like an option. FALSE: the call has
 * failed. */
static gboolean add_paths(struct call *call, GPtrArray *words)
{
    size_t i;
    json_t *one, *paths = json_object_get(call->arguments, "paths");
    const char *project = call->host->box->project;
    if (json_array_size(paths) > PATHS_MAX) {
        call_fail(call, "'paths' has more than %d", PATHS_MAX);
        return FALSE;
    }
    json_array_foreach (paths, i, one) {
        g_autofree char *below = project_path(project, json_string_value(one));
        if (!below) {
            call_fail(call, PROJECT_PATH_OUTSIDE);
            return FALSE;
        }
        g_ptr_array_add(words, g_build_filename(project, below, NULL));
    }
    return TRUE;
}

static void start_branch_diff(struct call *call, const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(box) branch = branch_find(call->host->box, name, &error);
    const char *format = tool_text(call->arguments, "format");
    gboolean is_patch = g_strcmp0(format, "patch") == 0, is_stat = g_strcmp0(format, "stat") == 0;
    if (!branch) {
        call_fail(call, "%s", error->message);
        return;
    }
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(words, g_strdup("branch"));
    g_ptr_array_add(words, g_strdup("diff"));
    g_ptr_array_add(words, g_strdup(is_patch ? "--patch" : is_stat ? "--stat" : "--json"));
    g_ptr_array_add(words, g_strdup(branch->name));
    if (!add_paths(call, words))
        return;
    g_ptr_array_add(words, NULL);
    gboolean is_text = is_patch || is_stat;
    gsize most = (gsize)tool_number(call->tool, call->arguments, "max_output");
    box_command_run(call, (const char *const *)words->pdata, is_text ? most : DIFF_JSON_MAX,
                    is_text ? text_finished : names_finished);
}

void tool_branch_start(struct call *call)
{
    static const struct {
        const char *name;
        gboolean is_named;
        void (*start)(struct call *call, const char *name);
    } actions[] = {{"list", FALSE, start_list},
                   {"new", TRUE, start_new},
                   {"diff", TRUE, start_branch_diff},
                   {"drop", TRUE, start_drop}};
    const char *action = tool_text(call->arguments, "action");
    const char *name = tool_text(call->arguments, "name");
    for (gsize i = 0; i < G_N_ELEMENTS(actions); i++) {
        if (strcmp(actions[i].name, action) != 0)
            continue;
        if (actions[i].is_named && !name)
            call_fail(call, "'name' is missing");
        else
            actions[i].start(call, name);
        return;
    }
}
