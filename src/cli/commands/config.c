#include <stdio.h>
#include <string.h>

#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "config/config.h"
#include "config/value.h"
#include "console/log.h"
#include "console/output.h"

static struct {
    gboolean all;
    GPtrArray *flags;
} config_given;

static const option config_options[] = {
    {"all", 'a', OPTION_FLAG, &config_given.all, NULL, "show: also settings at their default"},
    {"set", 0, OPTION_LIST, &config_given.flags, "KEY=VALUE",
     "show: the result as if KEY were set to VALUE"},
    {0},
};

static void add_setting_json(const schema_key *row, const void *field, settings_origin origin,
                             const char *file, gpointer user_data)
{
    g_autofree char *key = schema_name(row);
    json_object_set_new(user_data, key,
                        json_pack("{s:o, s:s, s:o}", "value", value_to_json(row, field), "origin",
                                  config_origin_name(origin), "file", json_text(file)));
}

static void add_setting_row(const schema_key *row, const void *field, settings_origin origin,
                            const char *file, gpointer user_data)
{
    if (!config_given.all && origin == ORIGIN_DEFAULT)
        return;
    g_autofree char *key = schema_name(row), *value = value_print(row, field);
    table_add(user_data, key);
    table_add(user_data, file ? file : config_origin_name(origin));
    table_add(user_data, value);
}

static int show_settings(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_PEEK, error);
    const char *const *flags = options_list(config_given.flags);
    g_autoptr(config) read =
        self ? config_load(self->project, self->name, flags, TRUST_IGNORE, error) : NULL;
    if (!read)
        return -1;
    if (call->json) {
        json_t *out = json_object();
        config_each(read, add_setting_json, out);
        json_print(out);
        return 0;
    }
    static const char *const headings[] = {"KEY", "FROM", "VALUE", NULL};
    g_autoptr(table) out = table_new(headings);
    config_each(read, add_setting_row, out);
    if (table_is_empty(out))
        log_note("all settings are at their defaults; --all lists them");
    else
        table_print(out);
    return 0;
}

static int files(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_PEEK, error);
    g_autoptr(config) read =
        self ? config_load(self->project, self->name, NULL, TRUST_IGNORE, error) : NULL;
    if (!read)
        return -1;
    static const char *const headings[] = {"FILE", "STATE", NULL};
    g_autoptr(table) out = table_new(headings);
    json_t *rows = json_array();
    for (const char *const *file = config_files(read); *file; file++) {
        gboolean exists = g_file_test(*file, G_FILE_TEST_IS_REGULAR);
        table_add(out, *file);
        table_add(out, exists ? "read" : "not there");
        json_array_append_new(rows,
                              json_pack("{s:o, s:b}", "file", json_text(*file), "exists", exists));
    }
    if (!call->json)
        table_print(out);
    else
        json_print(json_incref(rows));
    json_decref(rows);
    return 0;
}

static const struct command_verb config_verbs[] = {
    {"show", "[PROJECT]", 0, 1, show_settings, "show the settings that are not at their default",
     COMMAND_JSON, COMPLETE_PROJECT},
    {"files", "[PROJECT]", 0, 1, files, "list the configuration files", COMMAND_JSON,
     COMPLETE_PROJECT},
    {0},
};

const struct command command_config = {
    .name = "config",
    .group = GROUP_SETUP,
    .verbs = config_verbs,
    .summary = "show the settings and where each comes from",
    .options = config_options,
    .json = "print JSON; with show, every key",
};
