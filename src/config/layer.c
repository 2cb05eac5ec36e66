#include "config/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/value.h"

/* " (did you mean \"x\"?)" or "", a new string. */
static char *hint(const char *nearest)
{
    return nearest ? g_strdup_printf("; did you mean \"%s\"?", nearest) : g_strdup("");
}

/* "; it belongs into [box]", "; did you mean \"image\" in [box]?" or "", a new string. */
static char *hint_elsewhere(const char *key)
{
    const schema_key *row = schema_nearest_anywhere(key);
    if (!row)
        return g_strdup("");
    return g_strcmp0(row->key, key) == 0
               ? g_strdup_printf("; it belongs into [%s]", row->section)
               : g_strdup_printf("; did you mean \"%s\" in [%s]?", row->key, row->section);
}

static void unknown_key(const layer *self, const char *section, const toml_tree *node)
{
    const char *nearest = schema_nearest_key(section, node->key);
    g_autofree char *near = nearest ? hint(nearest) : hint_elsewhere(node->key);
    problems_add(self->problems, self->file, node->key_at, section, node->key, "unknown key%s",
                 near);
}

static gboolean apply_row(const layer *self, const schema_key *row, const toml_tree *node)
{
    value_source from = {.row = row, .file = self->file, .problems = self->problems};

    if (row->project_only && (self->origin == ORIGIN_USER || self->origin == ORIGIN_BOX)) {
        problems_add(self->problems, self->file, node->key_at, row->section, row->key,
                     "belongs into a project's litterbox.toml, not into your own configuration");
        return FALSE;
    }
    if (row->user_only && self->origin == ORIGIN_PROJECT) {
        problems_add(self->problems, self->file, node->key_at, row->section, row->key,
                     "is for you alone to choose: it belongs into your own configuration, not into "
                     "a project's litterbox.toml");
        return FALSE;
    }
    if (!value_read(&from, node, schema_field(row, self->into)))
        return FALSE;
    if (self->set)
        self->set[row - schema_keys] = TRUE;
    return TRUE;
}

static gboolean apply_section(const layer *self, const toml_tree *section)
{
    gboolean ok = TRUE;
    if (section->kind != TOML_TABLE) {
        problems_add(self->problems, self->file, section->key_at, NULL, section->key,
                     "must be a section: [%s]", section->key);
        return FALSE;
    }
    for (guint i = 0; i < section->children->len; i++) {
        const toml_tree *node = g_ptr_array_index(section->children, i);
        const schema_key *row = schema_find(section->key, node->key);
        if (!row)
            unknown_key(self, section->key, node);
        ok &= row && apply_row(self, row, node);
    }
    return ok;
}

static gboolean apply_unknown(const layer *self, const toml_tree *node)
{
    g_autofree char *elsewhere = hint_elsewhere(node->key);
    g_autofree char *near = hint(schema_nearest_section(node->key));
    if (node->kind == TOML_TABLE || node->kind == TOML_ARRAY)
        problems_add(self->problems, self->file, node->key_at, node->key, NULL, "unknown section%s",
                     near);
    else
        problems_add(self->problems, self->file, node->key_at, NULL, node->key,
                     "unknown key outside of any section%s", elsewhere);
    return FALSE;
}

static gboolean apply_tree(const layer *self, const toml_tree *root)
{
    gboolean ok = TRUE;
    for (guint i = 0; i < root->children->len; i++) {
        const toml_tree *node = g_ptr_array_index(root->children, i);
        const schema_key *whole = schema_find(node->key, NULL);
        if (whole)
            ok &= apply_row(self, whole, node);
        else if (schema_has_section(node->key))
            ok &= apply_section(self, node);
        else
            ok &= apply_unknown(self, node);
    }
    return ok;
}

gboolean layer_apply(const layer *self, const char *text, gsize length)
{
    toml_place at = {0, 0};
    g_autofree char *message = NULL;
    g_autoptr(toml_tree) root = toml_parse(text, length, &at, &message);

    if (!root) {
        problems_add(self->problems, self->file, at, NULL, NULL, "%s", message);
        return FALSE;
    }
    return apply_tree(self, root);
}

/* FLAG with its value in quotes. */
static char *quoted(const char *flag, const char *equals)
{
    g_autoptr(GString) text = g_string_new_len(flag, equals - flag + 1);
    value_print_string(text, equals + 1);
    return g_strdup(text->str);
}

/* A flag has no lines, so its places mean nothing. */
static void forget_places(toml_tree *tree)
{
    tree->at = tree->key_at = (toml_place){0, 0};
    for (guint i = 0; tree->children && i < tree->children->len; i++)
        forget_places(g_ptr_array_index(tree->children, i));
}

gboolean layer_apply_flag(const layer *self, const char *flag)
{
    toml_place at;
    g_autofree char *message = NULL;
    const char *equals = strchr(flag, '=');
    if (!equals || !g_utf8_validate(flag, -1, NULL)) {
        problems_add(self->problems, self->file, (toml_place){0, 0}, NULL, NULL,
                     "must be section.key=value");
        return FALSE;
    }
    /* As one line of TOML; if that is not valid, with the value as a string. */
    g_autoptr(toml_tree) root = toml_parse(flag, strlen(flag), &at, &message);
    if (!root) {
        g_autofree char *text = quoted(flag, equals);
        g_free(g_steal_pointer(&message));
        root = toml_parse(text, strlen(text), &at, &message);
    }
    if (!root) {
        problems_add(self->problems, self->file, (toml_place){0, 0}, NULL, NULL, "%s", message);
        return FALSE;
    }
    forget_places(root);
    return apply_tree(self, root);
}

static gboolean fail(GError **error, const char *path)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: cannot be read: %s", safe,
                saved == ELOOP ? "symbolic links are not followed here" : g_strerror(saved));
    return FALSE;
}

/* Reads FD and closes it. Every error becomes a BOX_ERROR_CONFIG. */
static gboolean read_and_close(int fd, const char *path, char **data, gsize *length, GError **error)
{
    g_autoptr(GError) wrong = NULL;
    gboolean ok = fs_read_fd(fd, path, CONFIG_FILE_MAX, data, length, &wrong);
    close(fd);
    if (!ok)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CONFIG, wrong->message);
    return ok;
}

gboolean layer_read_own_file(const char *path, char **data, gsize *length, GError **error)
{
    *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? TRUE : fail(error, path);
    return read_and_close(fd, path, data, length, error);
}

gboolean layer_read_project_file(const char *project, char **data, gsize *length, GError **error)
{
    g_autofree char *path = g_build_filename(project, PROJECT_FILE, NULL);
    struct stat st;

    *data = NULL;
    int folder = open(project, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return fail(error, project);
    int fd = fs_open_beneath(folder, PROJECT_FILE, O_RDONLY | O_NONBLOCK, 0);
    int saved = errno;
    close(folder);
    errno = saved;
    if (fd < 0)
        return errno == ENOENT ? TRUE : fail(error, path);
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return TRUE;
    }
    if (!read_and_close(fd, path, data, length, error))
        return FALSE;
    if (!*length)
        g_clear_pointer(data, g_free); /* a placeholder, too */
    if (!*data)
        return TRUE;
    /* The contents are kept and compared as strings, so a NUL must not hide a part. */
    if (strlen(*data) == *length)
        return TRUE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: contains a NUL character", safe);
    g_clear_pointer(data, g_free);
    return FALSE;
}

char *layer_user_file_path(void)
{
    return paths_config("config.toml");
}

void layer_complete_ask(settings *into, gboolean is_said)
{
    if (into->network.mode == NETWORK_ASK && !is_said)
        into->network.ask = TRUE;
}

settings *layer_merge_project(const char *project, const char *contents, GError **error)
{
    g_autofree char *user = layer_user_file_path();
    g_autofree char *file = g_build_filename(project, PROJECT_FILE, NULL);
    g_autofree char *data = NULL;
    g_autoptr(problems) wrong = problems_new();
    gsize length;

    if (!layer_read_own_file(user, &data, &length, error))
        return NULL;
    g_autoptr(settings) merged = settings_new_defaults();
    g_autofree gboolean *set = g_new0(gboolean, schema_count);
    layer each = {
        .file = user, .origin = ORIGIN_USER, .problems = wrong, .into = merged, .set = set};
    if (data)
        layer_apply(&each, data, length);
    each.file = file;
    each.origin = ORIGIN_PROJECT;
    if (contents)
        layer_apply(&each, contents, strlen(contents));
    layer_complete_ask(merged, set[schema_find("network", "ask") - schema_keys]);
    return problems_check(wrong, error) ? g_steal_pointer(&merged) : NULL;
}
