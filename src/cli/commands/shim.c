#include <limits.h>
#include <string.h>

#include "box/registry/shims.h"
#include "cli/commands/command.h"
#include "common/text.h"
#include "config/agent_preset.h"
#include "console/log.h"
#include "console/output.h"

/* As bytes a path may be no UTF-8, which JSON cannot hold. */
static char *shown_program(const char *name)
{
    g_autofree char *program = shims_program(name);
    return program ? text_safe(program, -1) : NULL;
}

static void print_shims_json(char **names)
{
    json_t *list = json_array();
    for (; *names; names++) {
        g_autofree char *program = shown_program(*names);
        gboolean found = shims_is_found(*names);
        json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:b, s:b, s:o}", "name", *names,
                                              "agent", agent_preset_exists(*names), "found", found,
                                              "stale", shims_is_stale(*names), "shadows",
                                              found && program, "program", json_text(program)));
    }
    json_print(list);
}

static const char *shim_state(const char *name)
{
    if (shims_is_stale(name))
        return "broken link";
    if (shims_is_found(name))
        return "in use";
    return shims_are_on_path() ? "hidden by another" : "not on PATH";
}

static void print_shims(char **names)
{
    static const char *const headings[] = {"NAME", "RUNS", "SHIM", "ON THIS MACHINE", NULL};
    g_autoptr(table) out = table_new(headings);
    for (; *names; names++) {
        g_autofree char *program = shown_program(*names);
        table_add(out, *names);
        table_add(out, agent_preset_exists(*names) ? "an agent" : "a program");
        table_add(out, shim_state(*names));
        table_add(out, program ? program : "-");
    }
    if (table_is_empty(out))
        log_note("no shims yet; 'box shim add claude' makes one");
    else
        table_print(out);
}

static void print_path_hint(void)
{
    g_autofree char *file = NULL;
    g_autofree char *line = shims_path_line(&file);
    g_autofree char *safe = text_safe(line, -1);
    log_note(
        "the folder of the shims is not in your PATH: add this line at the end of %s and open a "
        "new shell:\n    %s",
        file, safe);
}

static void print_shim(const char *name)
{
    g_autofree char *program = shown_program(name);
    if (program)
        log_note("'%s' now runs in the box of the current project, '%s" SHIMS_RAW "' is '%s'", name,
                 name, program);
    else
        log_note(
            "'%s' now runs in the box of the current project; this machine has no such program",
            name);
    if (agent_preset_exists(name))
        log_note("'%s' is run as by 'box agent run %s', which installs it the first time", name,
                 name);
    if (shims_are_on_path() && !shims_is_found(name))
        log_warning(
            "another '%s' comes before the shim in your PATH: move the folder of the shims to the "
            "front",
            name);
}

/* Checks all names first: a wrong one changes nothing. */
static int add_shim(const struct command_call *call, GError **error)
{
    char **names = call->operands;
    for (char **name = names; *name; name++)
        if (!shims_check_name(*name, error))
            return -1;
    for (char **name = names; *name; name++) {
        if (!shims_add(*name, error))
            return -1;
        print_shim(*name);
        if (strcmp(*name, "git") == 0)
            log_note(
                "outside of projects 'git' runs on this machine; in a project it runs in the box, "
                "and prompts and editors get no answer while the box is stopped");
    }
    if (!shims_are_on_path())
        print_path_hint();
    return 0;
}

static int remove_shims(const struct command_call *call, GError **error)
{
    for (char **name = call->operands; *name; name++)
        if (!shims_remove(*name, error))
            return -1;
    return 0;
}

static int list_shims(const struct command_call *call, GError **error)
{
    g_auto(GStrv) names = shims_names();
    if (call->json)
        print_shims_json(names);
    else
        print_shims(names);
    return 0;
}

static const struct command_verb shim_verbs[] = {
    {"add", "NAME…", 1, COMMAND_NO_LIMIT, add_shim, "make shims", 0, COMPLETE_PROGRAMS},
    {"list", "", 0, 0, list_shims, "list the shims and what they run", COMMAND_JSON},
    {"remove", "NAME…", 1, COMMAND_NO_LIMIT, remove_shims, "remove shims", 0, COMPLETE_SHIMS},
    {0},
};

const struct command command_shim = {
    .name = "shim",
    .group = GROUP_SETUP,
    .verbs = shim_verbs,
    .summary = "make commands that run in the box of the current folder",
    .details =
        "'box shim add claude' makes a 'claude' that runs in the box of the project you are "
        "in, and\n'claude-raw', the one of this machine. An agent is run as by 'box agent run'. "
        "'git' outside\nof projects stays this machine's.",
};
