#include <stdio.h>
#include <string.h>

#include "box/commands/commands.h"
#include "box/json.h"
#include "cli/commands/project.h"
#include "box/say.h"
#include "console/table.h"
#include "config/config.h"

static struct {
    gboolean json, all;
    GPtrArray *flags;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "print JSON, every key"},
    {"all", 'a', OPTION_FLAG, &set.all, NULL, "also what is at its default"},
    {"set", 0, OPTION_LIST, &set.flags, "KEY=VALUE", "as if this were configured last"},
    {0},
};

static void add_json(const char *key, const char *value, config_origin origin, const char *file,
                     gpointer user_data)
{
    json_t *row = json_pack("{s:s, s:s, s:s*}", "value", value, "origin",
                            config_origin_name(origin), "file", file);
    json_object_set_new(user_data, key, row ? row : json_null());
}

static void add_row(const char *key, const char *value, config_origin origin, const char *file,
                    gpointer user_data)
{
    if (!set.all && origin == ORIGIN_DEFAULT)
        return;
    table_add(user_data, key);
    table_add(user_data, file ? file : config_origin_name(origin));
    table_add(user_data, value);
}

static int show(const arguments *given, GError **error)
{
    g_autoptr(box) self = project_box(given->operands[1], PROJECT_PEEK, error);
    const char *const *flags = options_list(set.flags);
    g_autoptr(config) read =
        self ? config_load(self->project, self->name, flags, TRUST_IGNORE, error) : NULL;
    if (!read)
        return -1;
    if (set.json) {
        json_t *out = json_object();
        config_each(read, add_json, out);
        json_print(out);
        return 0;
    }
    static const char *const headings[] = {"KEY", "FROM", "VALUE", NULL};
    g_autoptr(table) out = table_new(headings);
    config_each(read, add_row, out);
    if (table_is_empty(out))
        say_note("everything is at its default; --all shows it");
    else
        table_print(out);
    return 0;
}

static int files(const arguments *given, GError **error)
{
    g_autoptr(box) self = project_box(given->operands[1], PROJECT_PEEK, error);
    g_autoptr(config) read =
        self ? config_load(self->project, self->name, NULL, TRUST_IGNORE, error) : NULL;
    if (!read)
        return -1;
    static const char *const headings[] = {"FILE", "STATE", NULL};
    g_autoptr(table) out = table_new(headings);
    for (const char *const *file = config_files(read); *file; file++) {
        table_add(out, *file);
        table_add(out, g_file_test(*file, G_FILE_TEST_IS_REGULAR) ? "read" : "not there");
    }
    table_print(out);
    return 0;
}

static int run(const arguments *given, GError **error)
{
    static const command_verb verbs[] = {
        {"show", 0, 1, show, TRUE}, {"files", 0, 1, files, FALSE}, {NULL}};
    return command_run_verb(verbs, given, FALSE,
                            "say what to show: box config show|files [PROJECT]", error);
}

const command command_config = {
    .name = "config",
    .group = GROUP_SETUP,
    .arguments = "show|files [PROJECT]",
    .verbs = "show files",
    .summary = "show each setting and where it comes from",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .operands_max = 2,
    .run = run,
};
