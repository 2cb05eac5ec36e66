#include "config/agent_preset.h"

#include <string.h>

#include "common/text.h"
#include "config/data_files.h"
#include "config/value.h"

#define PRESETS_FOLDER "agents"

static void clear_start(agent_preset_start *self)
{
    g_strfreev(self->arguments);
    g_strfreev(self->env);
}

void agent_preset_free(agent_preset *self)
{
    g_free(self->name);
    g_free(self->file);
    g_free(self->package);
    g_free(self->install);
    g_free(self->program);
    g_free(self->version);
    g_strfreev(self->network);
    g_strfreev(self->install_network);
    g_strfreev(self->login);
    g_strfreev(self->login_by);
    g_free(self->pictures);
    g_strfreev(self->home);
    g_strfreev(self->share);
    g_strfreev(self->files);
    clear_start(&self->always);
    clear_start(&self->no_ask);
    clear_start(&self->ask);
    g_free(self);
}

gboolean agent_preset_name_is_valid(const char *name)
{
    gsize length = strlen(name);
    return length > 0 && length <= AGENT_PRESET_NAME_MAX && g_ascii_islower(*name) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] && name[length - 1] != '-';
}

agent_preset *agent_preset_read(const char *name, GError **error)
{
    g_autofree char *file = NULL, *data = NULL;
    gsize length = 0;
    gboolean is_valid = agent_preset_name_is_valid(name);
    if (is_valid && !data_file_read(PRESETS_FOLDER, name, &file, &data, &length, error))
        return NULL;
    if (data)
        return agent_preset_parse(name, file, data, length, error);
    g_auto(GStrv) names = agent_preset_names();
    g_autofree char *all = g_strjoinv(", ", names);
    g_autofree char *safe = text_safe_max(name, -1, 64);
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                "there is no preset '%s': there are %s, and those that you add as "
                "~/.config/litterbox/agents/NAME.toml",
                safe, all);
    return NULL;
}

gboolean agent_preset_exists(const char *name)
{
    return agent_preset_name_is_valid(name) && data_file_exists(PRESETS_FOLDER, name);
}

char **agent_preset_names(void)
{
    return data_file_names(PRESETS_FOLDER, agent_preset_name_is_valid);
}

char *agent_preset_package(const agent_preset *self)
{
    if (self->install)
        return g_strdup("-");
    return self->version ? g_strconcat(self->package, "@", self->version, NULL)
                         : g_strdup(self->package);
}

char *agent_preset_folder(const agent_preset *self)
{
    return g_build_filename("/run/litterbox-agents", self->name, NULL);
}

static void add_copies(GPtrArray *list, char *const *texts)
{
    for (; texts && *texts; texts++)
        g_ptr_array_add(list, g_strdup(*texts));
}

static void add_variables(GPtrArray *list, char *const *variables, const char *files)
{
    for (; variables && *variables; variables++) {
        g_auto(GStrv) parts = g_strsplit(*variables, AGENT_PRESET_FILES, -1);
        g_ptr_array_add(list, g_strjoinv(files, parts));
    }
}

static void add_arguments(GPtrArray *words, char *const *arguments, const char *project)
{
    g_autofree char *valid = g_utf8_make_valid(project, -1);
    g_autoptr(GString) escaped = g_string_new(NULL);
    value_print_string(escaped, valid);
    g_string_erase(escaped, 0, 1); /* the quotes */
    g_string_truncate(escaped, escaped->len - 1);
    for (; arguments && *arguments; arguments++) {
        g_auto(GStrv) parts = g_strsplit(*arguments, AGENT_PRESET_PROJECT, -1);
        g_ptr_array_add(words, g_strjoinv(escaped->str, parts));
    }
}

char **agent_preset_command(const agent_preset *self, gboolean asks, const char *program,
                            const char *project, char *const *rest)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, g_strdup(program));
    add_arguments(words, self->always.arguments, project);
    add_arguments(words, (asks ? &self->ask : &self->no_ask)->arguments, project);
    add_copies(words, rest);
    return text_list(words);
}

char **agent_preset_env(const agent_preset *self, gboolean asks)
{
    GPtrArray *list = g_ptr_array_new();
    g_autofree char *files = agent_preset_folder(self);
    add_variables(list, self->always.env, files);
    add_variables(list, (asks ? &self->ask : &self->no_ask)->env, files);
    return text_list(list);
}
