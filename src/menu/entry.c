#include "menu/entry.h"

#include <string.h>

#include "common/text.h"

#define NAME_SHOWN 80
#define TEXT_SHOWN 200
#define WORDS_MAX 32
#define WORD_MAX 64
#define ICON_SUFFIX ".png"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* The menu's main categories; of a box's own invention it would show nothing. */
static const char *const categories_known[] = {"AudioVideo", "Development", "Education", "Game",
                                               "Graphics",   "Network",     "Office",    "Science",
                                               "Settings",   "System",      "Utility",   NULL};

/*
 * Kinds of files. The others, such as x-scheme-handler/https and inode/directory, would offer the
 * box as the one who opens the user's links and folders.
 */
static const char *const mime_kinds[] = {"application/", "audio/", "font/",  "image/",
                                         "model/",       "text/",  "video/", NULL};

void entry_free(entry *self)
{
    g_free(self->id);
    g_free(self->source);
    g_free(self->name);
    g_free(self->generic);
    g_free(self->comment);
    g_free(self->exec);
    g_free(self->icon);
    g_free(self->wm_class);
    g_strfreev(self->categories);
    g_strfreev(self->mime_types);
    g_strfreev(self->keywords);
    g_free(self);
}

static gboolean is_made_of(const char *text, gsize length, const char *letters)
{
    for (gsize i = 0; i < length; i++)
        if (!text[i] || !strchr(letters, text[i]))
            return FALSE;
    return length > 0;
}

gboolean entry_id_is_valid(const char *id, gssize length)
{
    gsize size = length < 0 ? strlen(id) : (gsize)length;
    return size <= ENTRY_ID_MAX && is_made_of(id, size, LETTERS DIGITS "._-") && id[0] != '.' &&
           id[0] != '-';
}

static char *text_of(GKeyFile *file, const char *key, gsize max)
{
    g_autofree char *text = g_key_file_get_string(file, ENTRY_GROUP, key, NULL);
    char *clean = text ? g_strstrip(text) : NULL;
    return clean && *clean ? text_safe_max(clean, -1, (gssize)max) : NULL;
}

static gboolean is_known(const char *word)
{
    return g_strv_contains(categories_known, word);
}

static gboolean is_mime_type(const char *word)
{
    for (const char *const *kind = mime_kinds; *kind; kind++)
        if (g_str_has_prefix(word, *kind)) {
            const char *type = word + strlen(*kind);
            return is_made_of(type, strlen(type), LETTERS DIGITS "!#&^_.+-");
        }
    return FALSE;
}

static gboolean is_any(const char *word)
{
    return *word != '\0';
}

/* The words of a list that IS_GOOD takes, each made safe and there once. */
static char **words_of(GKeyFile *file, const char *key, gboolean (*is_good)(const char *word))
{
    GPtrArray *kept = g_ptr_array_new();
    g_auto(GStrv) words = g_key_file_get_string_list(file, ENTRY_GROUP, key, NULL, NULL);
    for (char **word = words; word && *word && kept->len < WORDS_MAX; word++) {
        g_autofree char *safe = text_safe_max(*word, -1, WORD_MAX);
        if (is_good(safe) && !g_ptr_array_find_with_equal_func(kept, safe, g_str_equal, NULL))
            g_ptr_array_add(kept, g_steal_pointer(&safe));
    }
    g_ptr_array_add(kept, NULL);
    return (char **)g_ptr_array_free(kept, FALSE);
}

static char *icon_of(GKeyFile *file)
{
    g_autofree char *icon = g_key_file_get_string(file, ENTRY_GROUP, "Icon", NULL);
    if (!icon || !entry_id_is_valid(icon, -1))
        return NULL;
    if (g_str_has_suffix(icon, ICON_SUFFIX))
        icon[strlen(icon) - strlen(ICON_SUFFIX)] = '\0';
    return *icon ? g_steal_pointer(&icon) : NULL;
}

static char *class_of(GKeyFile *file)
{
    g_autofree char *name = g_key_file_get_string(file, ENTRY_GROUP, "StartupWMClass", NULL);
    return name && strlen(name) <= ENTRY_ID_MAX &&
                   is_made_of(name, strlen(name), LETTERS DIGITS "._- ")
               ? g_steal_pointer(&name)
               : NULL;
}

static gboolean is_set(GKeyFile *file, const char *key)
{
    return g_key_file_get_boolean(file, ENTRY_GROUP, key, NULL);
}

static gboolean is_for_menu(GKeyFile *file)
{
    g_autofree char *type = g_key_file_get_string(file, ENTRY_GROUP, "Type", NULL);
    return g_strcmp0(type, "Application") == 0 && !is_set(file, "NoDisplay") &&
           !is_set(file, "Hidden");
}

static void read_all(entry *self, GKeyFile *file)
{
    self->name = text_of(file, "Name", NAME_SHOWN);
    self->generic = text_of(file, "GenericName", NAME_SHOWN);
    self->comment = text_of(file, "Comment", TEXT_SHOWN);
    self->exec = g_key_file_get_string(file, ENTRY_GROUP, "Exec", NULL);
    self->icon = icon_of(file);
    self->wm_class = class_of(file);
    self->categories = words_of(file, "Categories", is_known);
    self->mime_types = words_of(file, "MimeType", is_mime_type);
    self->keywords = words_of(file, "Keywords", is_any);
    self->terminal = is_set(file, "Terminal");
    self->notify = is_set(file, "StartupNotify");
    self->field = self->exec ? entry_field(self->exec) : 0;
}

entry *entry_parse(const char *id, const char *source, const char *data, gsize length)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    if (!length || length > ENTRY_MAX || memchr(data, '\0', length) || !entry_id_is_valid(id, -1) ||
        !g_key_file_load_from_data(file, data, length, G_KEY_FILE_NONE, NULL) || !is_for_menu(file))
        return NULL;
    g_autoptr(entry) self = g_new0(entry, 1);
    self->id = g_strdup(id);
    self->source = g_strdup(source);
    read_all(self, file);
    g_auto(GStrv) argv = self->name && self->exec ? entry_argv(self, NULL, NULL) : NULL;
    return argv ? g_steal_pointer(&self) : NULL;
}
