/* Reads the text of a preset. */
#include "config/agent_preset.h"

#include <string.h>

#include "common/text.h"
#include "config/check.h"
#include "config/data_files.h"

/* Longest name of a package in npm's registry, with its scope. */
#define NPM_NAME_MAX 214

/* What single texts may be; each is a text_check. */

typedef char *(*text_check)(const char *text, const char **wrong);

static gboolean is_npm_word(const char *text)
{
    return g_ascii_isalnum(*text) &&
           !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._~-")];
}

/* Nothing that npm takes for an option, an address, another package's alias or a version. */
static char *check_npm_package(const char *text, const char **wrong)
{
    g_auto(GStrv) parts = g_strsplit(*text == '@' ? text + 1 : text, "/", -1);
    gboolean is_name =
        strlen(text) <= NPM_NAME_MAX && g_strv_length(parts) == (*text == '@' ? 2u : 1u);
    for (char **part = parts; is_name && *part; part++)
        is_name = is_npm_word(*part);
    if (*text == '/')
        return check_absolute(text, wrong);
    *wrong = "must be a package of npm, such as \"@example/agent\", or an absolute path";
    return is_name ? g_strdup(text) : NULL;
}

static char *check_npm_version(const char *text, const char **wrong)
{
    *wrong = "must be a version, range or tag of npm, such as \"^2.1\"";
    gboolean is_version = *text && *text != '-' && strlen(text) <= AGENT_PRESET_VERSION_MAX &&
                          text_has_only(text, ".^~<>=|*+- ");
    return is_version ? g_strdup(text) : NULL;
}

static char *check_agent_program(const char *text, const char **wrong)
{
    *wrong = "must be the name of a program";
    gboolean is_name =
        g_ascii_isalnum(*text) && strlen(text) <= NPM_NAME_MAX && text_has_only(text, "._-");
    return is_name ? g_strdup(text) : NULL;
}

static char *check_content(const char *text, const char **wrong)
{
    (void)wrong;
    return g_strdup(text);
}

static char *check_home_path(const char *text, const char **wrong)
{
    char *path = check_share(text, wrong);
    *wrong = "must be a path below the home, such as \"~/.agent/login.json\"";
    return path;
}

/* No '=', which ends the name in "NAME=CONTENT". */
static char *check_file_name(const char *text, const char **wrong)
{
    if (g_str_has_prefix(text, "~/") && !strchr(text, '='))
        return check_home_path(text, wrong);
    *wrong = "must be a name of letters, digits, '.', '_' and '-', and begin with no '.' or '-'; "
             "or a path below the home, such as \"~/.agent/settings.json\", without '='";
    return g_ascii_isalnum(*text) && text_has_only(text, "._-") ? g_strdup(text) : NULL;
}

static char *check_login_way(const char *text, const char **wrong)
{
    static const char *const ways[] = {"secret", "device", "paste", "callback", "command", NULL};
    *wrong = "must be \"secret\", \"device\", \"paste\", \"callback\" or \"command\"";
    return g_strv_contains(ways, text) ? g_strdup(text) : NULL;
}

/* Reading a file: each key_reader sets the field of its key. FALSE with an error. */

typedef struct {
    const char *file;
    GError **error;
} preset_source;

typedef gboolean (*key_reader)(const preset_source *from, const toml_tree *node, void *field);

typedef struct {
    const char *name; /* NULL ends a table */
    key_reader read;
    gsize field;
} preset_key;

static gboolean wrong_kind(const preset_source *from, const toml_tree *node, const char *key,
                           const char *what)
{
    return data_file_wrong(from->file, node->at, from->error, "%s must be %s", key, what);
}

/* Sets *OUT to the text of NODE, which CHECK has taken. */
static gboolean read_checked(const preset_source *from, const toml_tree *node, const char *key,
                             text_check check, char **out)
{
    const char *why = "";
    if (node->kind != TOML_STRING || strlen(node->string) != node->length)
        return wrong_kind(from, node, key, "a text without NUL");
    if (node->length > AGENT_PRESET_TEXT_MAX)
        return wrong_kind(from, node, key, "at most " G_STRINGIFY(AGENT_PRESET_TEXT_MAX) " bytes");
    *out = check(node->string, &why);
    g_autofree char *safe = text_safe_max(node->string, -1, 120);
    return *out ||
           data_file_wrong(from->file, node->at, from->error, "%s: '%s' %s", key, safe, why);
}

static gboolean read_package(const preset_source *from, const toml_tree *node, void *field)
{
    return read_checked(from, node, node->key, check_npm_package, field);
}

static gboolean read_install(const preset_source *from, const toml_tree *node, void *field)
{
    return read_checked(from, node, node->key, check_content, field);
}

static gboolean read_version(const preset_source *from, const toml_tree *node, void *field)
{
    return read_checked(from, node, node->key, check_npm_version, field);
}

static gboolean read_program(const preset_source *from, const toml_tree *node, void *field)
{
    return read_checked(from, node, node->key, check_agent_program, field);
}

static gboolean read_texts(const preset_source *from, const toml_tree *node, text_check check,
                           char ***out)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    if (node->kind != TOML_ARRAY || node->children->len > AGENT_PRESET_LIST_MAX)
        return wrong_kind(from, node, node->key,
                          "a list of at most " G_STRINGIFY(AGENT_PRESET_LIST_MAX));
    for (guint i = 0; i < node->children->len; i++) {
        char *text = NULL;
        if (!read_checked(from, node->children->pdata[i], node->key, check, &text))
            return FALSE;
        g_ptr_array_add(list, text);
    }
    *out = text_list(g_steal_pointer(&list));
    return TRUE;
}

static gboolean read_network(const preset_source *from, const toml_tree *node, void *field)
{
    return read_texts(from, node, check_allow, field);
}

static gboolean read_home_paths(const preset_source *from, const toml_tree *node, void *field)
{
    return read_texts(from, node, check_home_path, field);
}

static gboolean read_login_ways(const preset_source *from, const toml_tree *node, void *field)
{
    return read_texts(from, node, check_login_way, field);
}

static gboolean read_arguments(const preset_source *from, const toml_tree *node, void *field)
{
    return read_texts(from, node, check_content, field);
}

/* Adds "KEY=VALUE" of NODE, in the table ABOVE. */
static gboolean read_pair(const preset_source *from, const char *above, const toml_tree *node,
                          text_check name_check, text_check value_check, GPtrArray *list)
{
    const char *why = "";
    g_autofree char *name = name_check(node->key, &why), *value = NULL;
    g_autofree char *safe = text_safe_max(node->key, -1, 120);
    if (!name)
        return data_file_wrong(from->file, node->key_at, from->error, "%s: '%s' %s", above, safe,
                               why);
    if (!read_checked(from, node, name, value_check, &value))
        return FALSE;
    g_ptr_array_add(list, g_strconcat(name, "=", value, NULL));
    return TRUE;
}

static gboolean read_pairs(const preset_source *from, const toml_tree *node, text_check name_check,
                           text_check value_check, char ***out)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    if (node->kind != TOML_TABLE || node->children->len > AGENT_PRESET_LIST_MAX)
        return wrong_kind(from, node, node->key,
                          "a table of at most " G_STRINGIFY(AGENT_PRESET_LIST_MAX) " texts");
    for (guint i = 0; i < node->children->len; i++)
        if (!read_pair(from, node->key, node->children->pdata[i], name_check, value_check, list))
            return FALSE;
    *out = text_list(g_steal_pointer(&list));
    return TRUE;
}

static gboolean read_env(const preset_source *from, const toml_tree *node, void *field)
{
    return read_pairs(from, node, check_env_name, check_env_value, field);
}

static gboolean read_files(const preset_source *from, const toml_tree *node, void *field)
{
    return read_pairs(from, node, check_file_name, check_content, field);
}

static gboolean read_keys(const preset_source *from, const toml_tree *table, const preset_key *keys,
                          void *into)
{
    for (guint i = 0; i < table->children->len; i++) {
        const toml_tree *node = table->children->pdata[i];
        const preset_key *key = keys;
        while (key->name && strcmp(key->name, node->key) != 0)
            key++;
        g_autofree char *safe = key->name ? NULL : text_safe_max(node->key, -1, 64);
        if (safe)
            return data_file_wrong(from->file, node->key_at, from->error, "unknown key '%s'", safe);
        if (!key->read(from, node, (char *)into + key->field))
            return FALSE;
    }
    return TRUE;
}

static const preset_key start_keys[] = {
    {"arguments", read_arguments, offsetof(agent_preset_start, arguments)},
    {"env", read_env, offsetof(agent_preset_start, env)},
    {0},
};

static gboolean read_start(const preset_source *from, const toml_tree *node, void *field)
{
    if (node->kind != TOML_TABLE)
        return wrong_kind(from, node, node->key, "a table");
    return read_keys(from, node, start_keys, field);
}

static const preset_key preset_keys[] = {
    {"package", read_package, offsetof(agent_preset, package)},
    {"version", read_version, offsetof(agent_preset, version)},
    {"program", read_program, offsetof(agent_preset, program)},
    {"install", read_install, offsetof(agent_preset, install)},
    {"install_network", read_network, offsetof(agent_preset, install_network)},
    {"network", read_network, offsetof(agent_preset, network)},
    {"login", read_home_paths, offsetof(agent_preset, login)},
    {"login_by", read_login_ways, offsetof(agent_preset, login_by)},
    {"home", read_home_paths, offsetof(agent_preset, home)},
    {"share", read_home_paths, offsetof(agent_preset, share)},
    {"pictures", read_program, offsetof(agent_preset, pictures)},
    {"files", read_files, offsetof(agent_preset, files)},
    {"arguments", read_arguments, offsetof(agent_preset, always.arguments)},
    {"env", read_env, offsetof(agent_preset, always.env)},
    {"no_ask", read_start, offsetof(agent_preset, no_ask)},
    {"ask", read_start, offsetof(agent_preset, ask)},
    {0},
};

/* What single keys cannot tell. FALSE with an error. */
static gboolean check_whole(const preset_source *from, const agent_preset *self)
{
    const toml_place begin = {1, 1};
    const char *wrong = NULL;
    if (!self->program || (!self->package && !self->install))
        wrong = "a preset needs 'program', and 'package' or 'install'";
    else if (self->package && self->install)
        wrong = "a preset has either 'package' or 'install'";
    else if (self->version && self->package && *self->package == '/')
        wrong = "a package that is a path has no 'version'";
    return !wrong || data_file_wrong(from->file, begin, from->error, "%s", wrong);
}

agent_preset *agent_preset_parse(const char *name, const char *file, const char *text, gsize length,
                                 GError **error)
{
    toml_place at;
    g_autofree char *message = NULL;
    g_autoptr(toml_tree) tree = toml_parse(text, length, &at, &message);
    g_autoptr(agent_preset) self = g_new0(agent_preset, 1);
    const preset_source from = {file, error};
    self->name = g_strdup(name);
    self->file = g_strdup(file);
    if (!tree)
        data_file_wrong(file, at, error, "%s", message);
    else if (read_keys(&from, tree, preset_keys, self) && check_whole(&from, self))
        return g_steal_pointer(&self);
    return NULL;
}
