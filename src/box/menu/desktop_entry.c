#include "box/menu/desktop_entry.h"

#include <string.h>

#include "common/text.h"

/* Limits of an entry on the host: characters of a name and of a comment; number of words in a list
 * and their characters. */
#define NAME_MAX_LENGTH 80
#define COMMENT_MAX_LENGTH 200
#define WORDS_MAX 32
#define WORD_MAX_LENGTH 64
#define ICON_SUFFIX ".png"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* The main categories of the Desktop Menu Specification. */
static const char *const main_categories[] = {"AudioVideo", "Development", "Education", "Game",
                                              "Graphics",   "Network",     "Office",    "Science",
                                              "Settings",   "System",      "Utility",   NULL};

/* Allowed media types. Others, such as x-scheme-handler/https and inode/directory, would offer the
 * box as the program for the user's links and folders. */
static const char *const mime_kinds[] = {"application/", "audio/", "font/",  "image/",
                                         "model/",       "text/",  "video/", NULL};

void desktop_entry_free(desktop_entry *self)
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

gboolean desktop_entry_id_is_valid(const char *id, gssize length)
{
    gsize size = length < 0 ? strlen(id) : (gsize)length;
    return size <= ENTRY_ID_MAX && is_made_of(id, size, LETTERS DIGITS "._-") && id[0] != '.' &&
           id[0] != '-';
}

static char *get_text(GKeyFile *file, const char *key, gsize max)
{
    g_autofree char *text = g_key_file_get_string(file, ENTRY_GROUP, key, NULL);
    char *clean = text ? g_strstrip(text) : NULL;
    return clean && *clean ? text_safe_max(clean, -1, (gssize)max) : NULL;
}

static gboolean is_main_category(const char *word)
{
    return g_strv_contains(main_categories, word);
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

static gboolean is_not_empty(const char *word)
{
    return *word != '\0';
}

/* The words of a list for which IS_VALID is TRUE, made safe, without duplicates. */
static char **get_words(GKeyFile *file, const char *key, gboolean (*is_valid)(const char *word))
{
    GPtrArray *kept = g_ptr_array_new();
    g_auto(GStrv) words = g_key_file_get_string_list(file, ENTRY_GROUP, key, NULL, NULL);
    for (char **word = words; word && *word && kept->len < WORDS_MAX; word++) {
        g_autofree char *safe = text_safe_max(*word, -1, WORD_MAX_LENGTH);
        if (is_valid(safe) && !g_ptr_array_find_with_equal_func(kept, safe, g_str_equal, NULL))
            g_ptr_array_add(kept, g_steal_pointer(&safe));
    }
    g_ptr_array_add(kept, NULL);
    return (char **)g_ptr_array_free(kept, FALSE);
}

static char *get_icon(GKeyFile *file)
{
    g_autofree char *icon = g_key_file_get_string(file, ENTRY_GROUP, "Icon", NULL);
    if (!icon || !desktop_entry_id_is_valid(icon, -1))
        return NULL;
    if (g_str_has_suffix(icon, ICON_SUFFIX))
        icon[strlen(icon) - strlen(ICON_SUFFIX)] = '\0';
    return *icon ? g_steal_pointer(&icon) : NULL;
}

static char *get_wm_class(GKeyFile *file)
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

static void read_fields(desktop_entry *self, GKeyFile *file)
{
    self->name = get_text(file, "Name", NAME_MAX_LENGTH);
    self->generic = get_text(file, "GenericName", NAME_MAX_LENGTH);
    self->comment = get_text(file, "Comment", COMMENT_MAX_LENGTH);
    self->exec = g_key_file_get_string(file, ENTRY_GROUP, "Exec", NULL);
    self->icon = get_icon(file);
    self->wm_class = get_wm_class(file);
    self->categories = get_words(file, "Categories", is_main_category);
    self->mime_types = get_words(file, "MimeType", is_mime_type);
    self->keywords = get_words(file, "Keywords", is_not_empty);
    self->terminal = is_set(file, "Terminal");
    self->notify = is_set(file, "StartupNotify");
    self->field = self->exec ? desktop_entry_field_code(self->exec) : 0;
}

desktop_entry *desktop_entry_parse(const char *id, const char *source, const char *data,
                                   gsize length)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    if (!length || length > ENTRY_MAX || memchr(data, '\0', length) ||
        !desktop_entry_id_is_valid(id, -1) ||
        !g_key_file_load_from_data(file, data, length, G_KEY_FILE_NONE, NULL) || !is_for_menu(file))
        return NULL;
    g_autoptr(desktop_entry) self = g_new0(desktop_entry, 1);
    self->id = g_strdup(id);
    self->source = g_strdup(source);
    read_fields(self, file);
    g_auto(GStrv) argv = self->name && self->exec ? desktop_entry_argv(self, NULL, NULL) : NULL;
    return argv ? g_steal_pointer(&self) : NULL;
}

#define ENTRY_SUFFIX ".desktop"

/* One file of the list that a box sends; points into the list. */
typedef struct {
    const char *folder, *path; /* NUL-terminated */
    const char *data;
    gsize length;
} sent_file;

/* The next NUL NUL from AT on; END when there is none. */
static const char *next_mark(const char *at, const char *end)
{
    while (at < end) {
        const char *zero = memchr(at, '\0', (gsize)(end - at));
        if (!zero || zero + 1 >= end)
            return end;
        if (zero[1] == '\0')
            return zero;
        at = zero + 1;
    }
    return end;
}

/* Reads the file after the two NULs before AT. FALSE when it is cut off. */
static gboolean read_file(const char *at, const char *end, sent_file *file)
{
    const char *zero = memchr(at, '\0', (gsize)(end - at));
    const char *path = zero ? zero + 1 : end;
    const char *second = path < end ? memchr(path, '\0', (gsize)(end - path)) : NULL;
    if (!second)
        return FALSE;
    *file = (sent_file){.folder = at, .path = path, .data = second + 1};
    file->length = (gsize)(next_mark(file->data, end) - file->data);
    return TRUE;
}

/* The desktop file ID of the specification: PATH with "-" for "/". A new string; NULL: not valid.
 */
static char *id_from_path(const char *path)
{
    gsize length = strlen(path);
    if (!g_str_has_suffix(path, ENTRY_SUFFIX) || length > ENTRY_ID_MAX + strlen(ENTRY_SUFFIX))
        return NULL;
    g_autofree char *id = g_strndup(path, length - strlen(ENTRY_SUFFIX));
    g_strdelimit(id, "/", '-');
    return desktop_entry_id_is_valid(id, -1) && !strstr(path, "..") ? g_steal_pointer(&id) : NULL;
}

/* Entries that are not for menus, which do not count as refused. */
static gboolean is_hidden(const sent_file *file)
{
    return file->length <= ENTRY_MAX && !memchr(file->data, '\0', file->length) &&
           (g_strstr_len(file->data, (gssize)file->length, "\nNoDisplay=") ||
            g_strstr_len(file->data, (gssize)file->length, "\nHidden=") ||
            !g_strstr_len(file->data, (gssize)file->length, "\nType=Application"));
}

static void add_file(GPtrArray *list, GHashTable *seen, const sent_file *file, guint *refused)
{
    g_autofree char *id = id_from_path(file->path);
    if (!id) {
        (*refused)++;
        return;
    }
    if (g_hash_table_contains(seen, id))
        return;
    g_autofree char *source = g_build_filename(file->folder, file->path, NULL);
    desktop_entry *one = desktop_entry_parse(id, source, file->data, file->length);
    if (one)
        g_ptr_array_add(list, one);
    else
        *refused += !is_hidden(file);
    g_hash_table_add(seen, g_steal_pointer(&id));
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const desktop_entry *one = *(const desktop_entry *const *)a,
                        *other = *(const desktop_entry *const *)b;
    int order = g_ascii_strcasecmp(one->name, other->name);
    return order ? order : strcmp(one->id, other->id);
}

GPtrArray *desktop_entries_parse(const char *data, gsize length, guint *refused)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)desktop_entry_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const char *end = data + length, *mark = next_mark(data, end);
    *refused = 0;
    for (guint count = 0; mark < end && count < ENTRIES_MAX; count++) {
        sent_file file;
        if (!read_file(mark + 2, end, &file))
            break;
        add_file(list, seen, &file, refused);
        mark = next_mark(file.data, end);
    }
    g_ptr_array_sort(list, compare);
    return list;
}

const desktop_entry *desktop_entries_find(const GPtrArray *list, const char *id)
{
    for (guint i = 0; i < list->len; i++) {
        const desktop_entry *one = list->pdata[i];
        if (strcmp(one->id, id) == 0)
            return one;
    }
    return NULL;
}

static void set(GKeyFile *file, const char *key, const char *value)
{
    if (value)
        g_key_file_set_string(file, ENTRY_GROUP, key, value);
}

static void set_list(GKeyFile *file, const char *key, char **values)
{
    if (*values)
        g_key_file_set_string_list(file, ENTRY_GROUP, key, (const char *const *)values,
                                   g_strv_length(values));
}

/* One argument, quoted by the rules for Exec. GKeyFile adds the escapes of the file. */
static char *quote(const char *argument)
{
    GString *out = g_string_new("\"");
    for (; *argument; argument++) {
        if (strchr("\"`$\\", *argument))
            g_string_append_c(out, '\\');
        else if (*argument == '%')
            g_string_append_c(out, '%');
        g_string_append_c(out, *argument);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, FALSE);
}

/* The command contains nothing from the box but a valid ID and at most one field code. */
static char *make_exec(const desktop_entry *self, const desktop_entry_owner *owner)
{
    g_autofree char *program = quote(owner->program);
    g_autofree char *instance =
        *owner->instance ? g_strdup_printf("/usr/bin/env LITTERBOX_INSTANCE=%s ", owner->instance)
                         : g_strdup("");
    const char code[] = {' ', '%', self->field, '\0'};
    return g_strconcat(instance, program, " app run ", owner->box, " ", self->id,
                       self->field ? code : "", NULL);
}

static gboolean check_program(const char *program, GError **error)
{
    gboolean good = g_path_is_absolute(program) && g_utf8_validate(program, -1, NULL);
    for (const char *at = program; *at; at++)
        good &= (unsigned char)*at >= ' ' && *at != 0x7f;
    if (!good)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "a desktop entry cannot contain the path of 'box'");
    return good;
}

char *desktop_entry_to_text(const desktop_entry *self, const desktop_entry_owner *owner,
                            GError **error)
{
    if (!check_program(owner->program, error))
        return NULL;
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autofree char *name = g_strdup_printf("%s (%s)", self->name, owner->box);
    g_autofree char *exec = make_exec(self, owner);
    set(file, "Type", "Application");
    set(file, "Version", "1.0");
    set(file, "Name", name);
    set(file, "GenericName", self->generic);
    set(file, "Comment", self->comment);
    set(file, "Exec", exec);
    set(file, "TryExec", owner->program);
    set(file, "Icon", owner->icon);
    g_key_file_set_boolean(file, ENTRY_GROUP, "Terminal", self->terminal);
    if (self->notify)
        g_key_file_set_boolean(file, ENTRY_GROUP, "StartupNotify", TRUE);
    set(file, "StartupWMClass", self->wm_class);
    set_list(file, "Categories", self->categories);
    if (self->field)
        set_list(file, "MimeType", self->mime_types);
    set_list(file, "Keywords", self->keywords);
    set(file, ENTRY_KEY_BOX, owner->box);
    set(file, ENTRY_KEY_INSTANCE, *owner->instance ? owner->instance : NULL);
    set(file, ENTRY_KEY_APP, self->id);
    return g_key_file_to_data(file, NULL, NULL);
}
