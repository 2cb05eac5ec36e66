#include "identity/git_identity.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "identity/git_settings.h"
#include "identity/host_keys.h"

/* Includes of includes, as git allows; and files altogether. */
#define DEPTH_MAX 10
#define FILES_MAX 64

static void setting_free(gpointer data)
{
    git_identity_setting *setting = data;

    g_free(setting->section);
    g_free(setting->name);
    g_free(setting->key);
    g_free(setting->value);
    g_free(setting);
}

git_identity *git_identity_new(void)
{
    git_identity *self = g_new0(git_identity, 1);

    self->settings = g_ptr_array_new_with_free_func(setting_free);
    return self;
}

void git_identity_free(git_identity *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->settings);
    g_free(self->problem);
    g_free(self);
}

/* Files while they are read. */
typedef struct {
    git_identity *identity;
    const git_identity_source *source;
    int depth, files;
} reading;

/* PATH of an include in FILE; NULL for what git does not take. */
static char *expand(const char *path, const char *file, const char *home)
{
    if (g_str_has_prefix(path, "~/"))
        return g_build_filename(home, path + 2, NULL);
    if (!*path || *path == '~' || *path == '%')
        return NULL;
    g_autofree char *folder = g_path_get_dirname(file);
    return g_canonicalize_filename(path, folder);
}

/*
 * What a box may know of user.signingkey: the public key itself, as the file that the setting names
 * is not in the box; or the name of an OpenPGP key. A path of a private key stands for that of the
 * public one, as it does for ssh-keygen.
 */
static char *signing_key(reading *self, const char *value, const char *file)
{
    gboolean literal = g_str_has_prefix(value, "key::");
    g_autofree char *key = public_key_from_line(value + (literal ? strlen("key::") : 0));

    if (!key && literal)
        return NULL;
    if (!key && !strchr(value, '/'))
        return g_strdup(value);
    if (!key) {
        gsize length = 0;
        g_autofree char *path = expand(value, file, self->source->home);
        g_autofree char *public = path && !g_str_has_suffix(path, ".pub")
                                      ? g_strconcat(path, ".pub", NULL)
                                      : g_strdup(path);
        g_autofree char *line =
            public ? self->source->read(public, &length, self->source->data) : NULL;
        key = line ? public_key_from_line(line) : NULL;
    }
    return key ? g_strconcat("key::", key, NULL) : NULL;
}

static git_identity_setting *find(git_identity *self, const struct git_config_entry *entry)
{
    for (guint i = 0; i < self->settings->len; i++) {
        git_identity_setting *setting = self->settings->pdata[i];
        if (strcmp(setting->section, entry->section) == 0 &&
            g_strcmp0(setting->name, entry->name) == 0 && strcmp(setting->key, entry->key) == 0)
            return setting;
    }
    return NULL;
}

/* Takes VALUE. */
static void set(git_identity *self, const struct git_config_entry *entry, char *value)
{
    git_identity_setting *setting = find(self, entry);

    if (!setting) {
        setting = g_new0(git_identity_setting, 1);
        setting->section = g_strdup(entry->section);
        setting->name = g_strdup(entry->name);
        setting->key = g_strdup(entry->key);
        g_ptr_array_add(self->settings, setting);
    }
    g_free(setting->value);
    setting->value = value;
}

static void add_entry(reading *self, const struct git_config_entry *entry, const char *file)
{
    g_autofree char *value = git_setting_check(entry);

    if (value && git_setting_is_for_signing(entry->section, entry->key) &&
        strcmp(entry->key, "signingkey") == 0) {
        char *key = signing_key(self, value, file);
        g_free(value);
        value = key;
    }
    if (value)
        set(self->identity, entry, g_steal_pointer(&value));
}

static gboolean is_include(reading *self, const struct git_config_entry *entry, const char *file)
{
    if (!entry->value || !entry->section || strcmp(entry->key, "path") != 0)
        return FALSE;
    if (strcmp(entry->section, "include") == 0)
        return !entry->name;
    g_autofree char *folder = g_path_get_dirname(file);
    return strcmp(entry->section, "includeif") == 0 && entry->name &&
           git_condition_matches(entry->name, self->source->git_folder, self->source->home, folder);
}

static void add_file(reading *self, const char *path);

static void add_text(reading *self, const char *text, gsize length, const char *file)
{
    g_autofree struct git_config_parser *parser = g_new(struct git_config_parser, 1);
    const struct git_config_entry *entry;

    git_config_parser_begin(parser, text, length);
    while ((entry = git_config_parser_next(parser))) {
        if (is_include(self, entry, file)) {
            g_autofree char *included = expand(entry->value, file, self->source->home);
            if (included)
                add_file(self, included);
        } else {
            add_entry(self, entry, file);
        }
    }
    if (parser->has_failed && !self->identity->problem)
        self->identity->problem =
            g_strdup_printf("'%s' has a line that git does not understand, or is too long", file);
}

static void add_file(reading *self, const char *path)
{
    gsize length = 0;

    if (self->depth == DEPTH_MAX || self->files == FILES_MAX)
        return;
    g_autofree char *text = self->source->read(path, &length, self->source->data);
    if (!text)
        return;
    self->depth++;
    self->files++;
    add_text(self, text, length, path);
    self->depth--;
}

void git_identity_add_file(git_identity *self, const char *path, const git_identity_source *source)
{
    reading files = {.identity = self, .source = source};

    add_file(&files, path);
}

/* Symbolic links are followed: many people keep these files elsewhere and link to them. */
static char *read_host(const char *path, gsize *length, gpointer data)
{
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return NULL;
    if (!fs_read_fd(fd, path, GIT_CONFIG_MAX, &text, length, NULL))
        text = NULL;
    close(fd);
    return text;
}

git_identity *git_identity_read_host(const char *home, const char *git_folder)
{
    git_identity *self = git_identity_new();
    git_identity_source source = {.read = read_host, .home = home, .git_folder = git_folder};
    g_autofree char *first = g_build_filename(g_get_user_config_dir(), "git", "config", NULL);
    g_autofree char *second = g_build_filename(home, ".gitconfig", NULL);

    git_identity_add_file(self, first, &source);
    git_identity_add_file(self, second, &source);
    return self;
}

static void append_quoted(GString *out, const char *value)
{
    g_string_append_c(out, '"');
    for (; *value; value++) {
        if (*value == '"' || *value == '\\' || *value == '\n')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *value == '\n' ? 'n' : *value);
    }
    g_string_append_c(out, '"');
}

char *git_identity_text(const git_identity *self, const char *system_file, gboolean for_signing)
{
    GString *out = g_string_new("# From your git configuration on the host ([git] identity).\n"
                                "# A box's own settings: git config --global, or --local.\n"
                                "[include]\n\tpath = ");

    append_quoted(out, system_file);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < self->settings->len; i++) {
        const git_identity_setting *setting = self->settings->pdata[i];
        if (!for_signing && git_setting_is_for_signing(setting->section, setting->key))
            continue;
        g_string_append_printf(out, "[%s", setting->section);
        if (setting->name)
            g_string_append_printf(out, " \"%s\"", setting->name);
        g_string_append_printf(out, "]\n\t%s = ", setting->key);
        append_quoted(out, setting->value);
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}
