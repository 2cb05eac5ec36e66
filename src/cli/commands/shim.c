#include <limits.h>
#include <string.h>

#include "box/commands/commands.h"
#include "box/json.h"
#include "box/say.h"
#include "box/shims.h"
#include "console/table.h"
#include "common/text.h"

static struct {
    gboolean json;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "list: print JSON"},
    {0},
};

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* As bytes a path may be no UTF-8, which JSON cannot hold. */
static char *shown_program(const char *name)
{
    g_autofree char *program = shims_program(name);
    return program ? text_safe(program, -1) : NULL;
}

static void print_json(char **names)
{
    json_t *list = json_array();
    for (; *names; names++) {
        g_autofree char *program = shown_program(*names);
        gboolean found = shims_is_found(*names);
        json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:b, s:o}", "name", *names, "found",
                                              found, "stale", shims_is_stale(*names), "shadows",
                                              found && program, "program", text_or_null(program)));
    }
    json_print(list);
}

static const char *state_of(const char *name)
{
    if (shims_is_stale(name))
        return "leads nowhere";
    if (shims_is_found(name))
        return "in use";
    return shims_are_on_path() ? "hidden by another" : "not on PATH";
}

static void print_table(char **names)
{
    static const char *const headings[] = {"NAME", "SHIM", "ON THIS MACHINE", NULL};
    g_autoptr(table) out = table_new(headings);
    for (; *names; names++) {
        g_autofree char *program = shown_program(*names);
        table_add(out, *names);
        table_add(out, state_of(*names));
        table_add(out, program ? program : "-");
    }
    if (table_is_empty(out))
        say_note("no shims yet; 'box shim add claude' makes one");
    else
        table_print(out);
}

static void say_path(void)
{
    g_autofree char *file = NULL;
    g_autofree char *line = shims_path_line(&file);
    g_autofree char *safe = text_safe(line, -1);
    say_note("the folder of the shims is not on your PATH; write this at the end of %s, and open a "
             "new shell:\n    %s",
             file, safe);
}

static void say_added(const char *name)
{
    g_autofree char *program = shown_program(name);
    if (program)
        say_note("'%s' runs in the box of the project that you are in, '%s" SHIMS_RAW "' is '%s'",
                 name, name, program);
    else
        say_note("'%s' runs in the box of the project that you are in; this machine has none",
                 name);
    if (shims_are_on_path() && !shims_is_found(name))
        say_warning("PATH finds another '%s' in front of the shim: move the folder of the shims to "
                    "the front",
                    name);
}

/* Checks all names first: a wrong one changes nothing. */
static int add(const arguments *given, GError **error)
{
    char **names = given->operands + 1;
    for (char **name = names; *name; name++)
        if (!shims_check_name(*name, error))
            return -1;
    for (char **name = names; *name; name++) {
        if (!shims_add(*name, error))
            return -1;
        say_added(*name);
        if (strcmp(*name, "git") == 0)
            say_warning("prompts, editors and other programs of this machine call 'git', and get "
                        "the box's");
    }
    if (!shims_are_on_path())
        say_path();
    return 0;
}

static int take(const arguments *given, GError **error)
{
    for (char **name = given->operands + 1; *name; name++)
        if (!shims_remove(*name, error))
            return -1;
    return 0;
}

static int list(const arguments *given, GError **error)
{
    (void)given;
    (void)error;
    g_auto(GStrv) names = shims_names();
    if (set.json)
        print_json(names);
    else
        print_table(names);
    return 0;
}

static int run(const arguments *given, GError **error)
{
    static const command_verb verbs[] = {{"add", 1, G_MAXUINT, add, FALSE},
                                         {"remove", 1, G_MAXUINT, take, FALSE},
                                         {"list", 0, 0, list, TRUE},
                                         {NULL}};
    return command_run_verb(verbs, given, set.json,
                            "box shim add NAME…, box shim remove NAME…, or box shim list [--json]",
                            error);
}

const command command_shim = {
    .name = "shim",
    .group = GROUP_SETUP,
    .arguments = "add|list|remove [NAME…]",
    .verbs = "add list remove",
    .summary = "make commands that run in the box of the current folder",
    .details = "'box shim add claude' makes a 'claude' that runs in the box of the project you are "
               "in, and\n'claude-raw', the one of this machine.",
    .options = options,
    .completes = COMPLETE_PROGRAMS,
    .operands_max = INT_MAX,
    .run = run,
};
