#include "config/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/toml.h"
#include "console/log.h"

#define SUFFIX ".toml"

static char *secret_folder(void)
{
    return paths_config("secrets");
}

char *secret_value_folder(void)
{
    return paths_data("secrets");
}

char *secret_login_folder(const char *name)
{
    g_autofree char *file = g_strconcat(name, ".login", NULL);
    g_autofree char *folder = secret_value_folder();
    return g_build_filename(folder, file, NULL);
}

char *secret_value_path(const char *name)
{
    g_autofree char *folder = secret_value_folder();
    return g_build_filename(folder, name, NULL);
}

static char *definition_path(const char *name)
{
    g_autofree char *folder = secret_folder();
    g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
    return g_build_filename(folder, file, NULL);
}

/* The text of KEY, in *TEXT; FALSE when it is something else. */
static gboolean take_text(const toml_tree *node, const char *key, const char **text)
{
    if (strcmp(node->key, key) != 0 || node->kind != TOML_STRING ||
        strlen(node->string) != node->length)
        return FALSE;
    *text = node->string;
    return TRUE;
}

static gboolean take_hosts(const toml_tree *node, GPtrArray *hosts)
{
    if (strcmp(node->key, "hosts") != 0 || node->kind != TOML_ARRAY)
        return FALSE;
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *host = node->children->pdata[i];
        if (host->kind != TOML_STRING || strlen(host->string) != host->length)
            return FALSE;
        g_ptr_array_add(hosts, host->string);
    }
    return TRUE;
}

static secret_definition *read_tree(const char *name, const toml_tree *tree, GError **error)
{
    g_autoptr(GPtrArray) hosts = g_ptr_array_new();
    secret_texts texts = {.name = name};
    for (guint i = 0; i < tree->children->len; i++) {
        const toml_tree *node = tree->children->pdata[i];
        if (take_hosts(node, hosts) || take_text(node, "login", &texts.login) ||
            take_text(node, "as", &texts.as) || take_text(node, "variable", &texts.variable) ||
            take_text(node, "file", &texts.file) ||
            take_text(node, "file_text", &texts.file_text) ||
            take_text(node, "base_url_variable", &texts.base_url) ||
            take_text(node, "source", &texts.source))
            continue;
        g_autofree char *safe = text_safe_max(node->key, -1, 64);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "line %u: unknown key '%s', or a value of the wrong kind", node->key_at.line,
                    safe);
        return NULL;
    }
    g_ptr_array_add(hosts, NULL);
    texts.hosts = (const char *const *)hosts->pdata;
    return secret_definition_new(&texts, error);
}

static secret_definition *read_text(const char *name, const char *text, gsize length,
                                    GError **error)
{
    toml_place at;
    g_autofree char *message = NULL;
    g_autoptr(toml_tree) tree = toml_parse(text, length, &at, &message);
    if (tree)
        return read_tree(name, tree, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "line %u: %s", at.line, message);
    return NULL;
}

secret_definition *secret_file_read(const char *name, GError **error)
{
    g_autofree char *path = definition_path(name);
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    gsize length;
    if (!secret_name_is_valid(name) ||
        (!fs_read(AT_FDCWD, path, SECRET_FILE_MAX, &text, &length, &problem) &&
         g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))) {
        g_autofree char *safe = text_safe_max(name, -1, 64);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "there is no secret '%s': 'box secret list' shows those that are there", safe);
        return NULL;
    }
    secret_definition *self = text ? read_text(name, text, length, &problem) : NULL;
    if (!self) {
        g_autofree char *safe = text_safe(path, -1);
        g_propagate_prefixed_error(error, g_steal_pointer(&problem), "%s: ", safe);
    }
    return self;
}

/* TOML's basic strings and JSON's have the same escapes for what check functions let through. */
static void add_line(GString *text, const char *key, const char *value)
{
    if (!value)
        return;
    g_autofree char *escaped = g_strescape(value, NULL);
    g_string_append_printf(text, "%s = \"%s\"\n", key, escaped);
}

/* A login is renewed within a minute, but one whose new tokens cannot be written waits for that. */
static void say_waits(const char *path)
{
    (void)path;
    log_note("waiting for a box that renews the tokens of this login");
}

/* Removes the tokens of the login NAME, and ALL of its folder. */
static gboolean remove_login(const char *name, gboolean all, GError **error)
{
    g_autofree char *folder = secret_login_folder(name);
    g_autofree char *lock = g_build_filename(folder, SECRET_LOGIN_LOCK, NULL);
    g_autofree char *tokens = g_build_filename(folder, SECRET_LOGIN_TOKENS, NULL);
    g_autofree char *away = g_strconcat(folder, ".removed", NULL);
    if (access(folder, F_OK) < 0 && errno == ENOENT)
        return fs_remove_tree(away, error);
    int held = fs_lock(lock, say_waits, error);
    gboolean done = held >= 0 && fs_remove_tree(tokens, error);
    /* A box that waits for the lock must not find room for a new one before the folder is gone. */
    if (all)
        done = done && fs_remove_tree(away, error) && fs_rename(folder, away, error) &&
               fs_remove_tree(away, error);
    if (held >= 0)
        close(held);
    return done;
}

gboolean secret_file_write(const secret_texts *texts, GError **error)
{
    g_autofree char *folder = secret_folder();
    g_autofree char *path = definition_path(texts->name);
    g_autofree char *value = secret_value_path(texts->name);
    g_autoptr(GString) text = g_string_new(NULL);
    for (const char *const *host = texts->hosts; host && *host; host++)
        g_string_append_printf(text, "%s\"%s\"", host == texts->hosts ? "hosts = [" : ", ", *host);
    g_string_append(text, text->len > 0 ? "]\n" : "");
    add_line(text, "login", texts->login);
    add_line(text, "as", texts->as);
    add_line(text, "variable", texts->variable);
    add_line(text, "file", texts->file);
    add_line(text, "file_text", texts->file_text);
    add_line(text, "base_url_variable", texts->base_url);
    add_line(text, "source", texts->source);
    /* What cannot be read back, such as a control character of a command, is not written. */
    g_autoptr(secret_definition) again = read_text(texts->name, text->str, text->len, error);
    if (!again || !fs_make_folder(folder, 0700, error) ||
        !fs_write(path, text->str, (gssize)text->len, 0600, error))
        return FALSE;
    /* What one of the other kind has kept is of no use any more. */
    return again->login ? fs_remove_tree(value, error) : remove_login(texts->name, TRUE, error);
}

gboolean secret_login_forget(const char *name, GError **error)
{
    return remove_login(name, FALSE, error);
}

gboolean secret_file_remove(const char *name, GError **error)
{
    g_autofree char *value = secret_value_path(name);
    g_autofree char *path = definition_path(name);
    return fs_remove_tree(value, error) && remove_login(name, TRUE, error) &&
           fs_remove_tree(path, error);
}

char **secret_names(void)
{
    g_autofree char *folder = secret_folder();
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const char *file; files && (file = g_dir_read_name(files));) {
        g_autofree char *name = g_strdup(file);
        if (!g_str_has_suffix(name, SUFFIX))
            continue;
        name[strlen(name) - strlen(SUFFIX)] = '\0';
        if (secret_name_is_valid(name))
            g_ptr_array_add(names, g_steal_pointer(&name));
    }
    g_ptr_array_sort(names, text_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}
