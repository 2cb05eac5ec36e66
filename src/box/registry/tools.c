#include "box/registry/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/paths.h"
#include "plan/plan.h"

#define TOOLS_FOLDER "tools"
#define TOOLS_SHARED TOOLS_FOLDER "/shared"
#define WORK TOOLS_FOLDER "/work"
#define LOCKS TOOLS_FOLDER "/locks"
#define KIND_FILE "tools-kind"
#define POINTER "for-"
#define HOST_KIND "host-"
#define KIND_MAX 128
/* Hexadecimal digits. */
#define ID_LENGTH 16

char *tools_folder(void)
{
    return paths_data(TOOLS_SHARED);
}

char *tools_path(const char *name, const char *id)
{
    return g_build_filename(PLAN_TOOLS, name, id, NULL);
}

static char *below(const char *folder, const char *name, const char *id)
{
    g_autofree char *full = id ? g_strconcat(name, ".", id, NULL) : g_strdup(name);
    g_autofree char *tail = g_build_filename(folder, full, NULL);
    return paths_data(tail);
}

static char *shared_path(const char *name, const char *file)
{
    g_autofree char *tail = g_build_filename(TOOLS_SHARED, name, file, NULL);
    return paths_data(tail);
}

static char *pointer_path(const char *name, const char *kind)
{
    g_autofree char *file = g_strconcat(POINTER, kind, NULL);
    return shared_path(name, file);
}

static gboolean is_kind(const char *text)
{
    return g_ascii_isalnum(*text) && strlen(text) <= KIND_MAX &&
           !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._-")];
}

static gboolean is_id(const char *text)
{
    return strlen(text) == ID_LENGTH && !text[strspn(text, "0123456789abcdef")];
}

/* PART of the system's name or version, in the letters of a kind. */
static char *system_part(const char *key)
{
    g_autofree char *value = g_get_os_info(key);
    g_autofree char *lower = g_ascii_strdown(value ? value : "", -1);
    return g_strdup(g_strcanon(lower, "abcdefghijklmnopqrstuvwxyz0123456789._-", '-'));
}

void tools_note_kind(const struct box *self, const char *image, gboolean sees_tools)
{
    g_autofree char *path = g_build_filename(self->runtime, KIND_FILE, NULL);
    g_autofree char *id = system_part(G_OS_INFO_KEY_ID);
    g_autofree char *version = system_part(G_OS_INFO_KEY_VERSION_ID);
    g_autofree char *host = g_strconcat(HOST_KIND, id, *version ? "-" : "", version, NULL);
    const char *digits = image && *image ? strchr(image, ':') : NULL;
    const char *kind = !image || !*image ? host : digits ? digits + 1 : image;
    unlink(path);
    if (sees_tools && is_kind(kind))
        fs_write(path, kind, -1, 0600, NULL);
}

static char *read_kind(const char *path)
{
    char *kind = fs_read_text(path, KIND_MAX);
    if (kind && !is_kind(kind))
        g_clear_pointer(&kind, g_free);
    return kind;
}

char *tools_kind(const struct box *self, GError **error)
{
    g_autofree char *path = g_build_filename(self->runtime, KIND_FILE, NULL);
    char *kind = read_kind(path);
    if (!kind)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' was made by an earlier Litterbox, and has no folder of shared "
                    "programs: 'box apply %s' recreates it, with its home",
                    self->name, self->base);
    return kind;
}

const char *tools_kind_image(const char *kind)
{
    return g_str_has_prefix(kind, HOST_KIND) ? NULL : kind;
}

static char *use_path(const struct box *self, const char *name)
{
    g_autofree char *folder = box_shared_file(self, TOOLS_FOLDER);
    return g_build_filename(folder, name, NULL);
}

gboolean tools_use(const struct box *self, const char *name, const char *kind, GError **error)
{
    g_autofree char *before = tools_used_kind(self, name);
    g_autofree char *path = use_path(self, name);
    g_autofree char *folder = g_path_get_dirname(path);
    return g_strcmp0(before, kind) == 0 ||
           (fs_make_folder(folder, 0700, error) && fs_write(path, kind, -1, 0600, error));
}

char *tools_used_kind(const struct box *self, const char *name)
{
    g_autofree char *path = use_path(self, name);
    return read_kind(path);
}

gboolean tools_disuse(const struct box *self, const char *name, GError **error)
{
    g_autofree char *path = use_path(self, name);
    return fs_remove_tree(path, error);
}

int tools_lock(const char *name, void (*waited)(const char *lock), GError **error)
{
    g_autofree char *folder = paths_data(LOCKS), *path = below(LOCKS, name, NULL);
    return fs_make_folder(folder, 0700, error) ? fs_lock(path, waited, error) : -1;
}

char *tools_current(const char *name, const char *kind)
{
    g_autofree char *path = pointer_path(name, kind);
    char *id = fs_read_text(path, ID_LENGTH);
    if (id && !is_id(id))
        g_clear_pointer(&id, g_free);
    return id;
}

/* A lock that who runs a program shares with others. -1 with errno. */
static int share_lock(const char *path)
{
    int status = -1, fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (fd >= 0 && (status = flock(fd, LOCK_SH)) < 0 && errno == EINTR)
        ;
    if (status == 0 || fd < 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

int tools_hold(const char *name, const char *kind, char **id)
{
    for (;;) {
        g_autofree char *now = tools_current(name, kind),
                        *lock = now ? below(LOCKS, name, now) : NULL;
        int fd = now ? share_lock(lock) : -1;
        g_autofree char *then = fd >= 0 ? tools_current(name, kind) : NULL;
        if (fd < 0)
            return -1;
        if (g_strcmp0(now, then) == 0) {
            *id = g_steal_pointer(&now);
            return fd;
        }
        close(fd); /* another one has just taken its place */
    }
}

int tools_open(const char *name, const char *id, const char *path)
{
    g_autofree char *folder = shared_path(name, id);
    return fs_open_below(folder, path, O_RDONLY | O_NONBLOCK);
}

char *tools_make_work(const char *name, const char *id, GError **error)
{
    g_autofree char *folder = below(WORK, name, id);
    return fs_make_folder(folder, 0755, error) ? g_steal_pointer(&folder) : NULL;
}

/* All that was installed is on the disk before it gets its name. */
static gboolean sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    gboolean done = fd >= 0 && syncfs(fd) == 0;
    if (fd >= 0)
        close(fd);
    return done;
}

gboolean tools_publish(const char *name, const char *id, const char *kind, GError **error)
{
    g_autofree char *from = below(WORK, name, id), *to = shared_path(name, id);
    g_autofree char *folder = shared_path(name, NULL);
    g_autofree char *pointer = pointer_path(name, kind);
    if (!fs_make_folder(folder, 0755, error))
        return FALSE;
    if (sync_folder(from) && rename(from, to) == 0)
        return fs_write(pointer, id, -1, 0600, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot put '%s' into its place: %s", name,
                g_strerror(errno));
    return FALSE;
}

/* The kinds in which boxes use NAME. */
static GHashTable *used_kinds(const char *name)
{
    GHashTable *kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) boxes = registry_names();
    for (char **each = boxes; *each; each++) {
        g_autofree char *data = box_data_path(*each);
        g_autofree char *path = g_build_filename(data, TOOLS_FOLDER, name, NULL);
        char *kind = read_kind(path);
        if (kind)
            g_hash_table_add(kinds, kind);
    }
    return kinds;
}

/* Who has just found it looks once more what is current when it has the lock. */
static void remove_unless_run(const char *name, const char *id)
{
    g_autofree char *lock = below(LOCKS, name, id), *from = shared_path(name, id);
    g_autofree char *to = below(WORK, name, id), *work = paths_data(WORK);
    int fd = fs_try_lock(lock);
    if (fd < 0)
        return;
    if (fs_make_folder(work, 0700, NULL) && rename(from, to) == 0)
        unlink(lock);
    close(fd);
}

/* Calls EACH for all names in FOLDER that begin with PREFIX, with the rest of each. */
static void each_name(const char *folder, const char *prefix,
                      void (*each)(const char *rest, void *data), void *data)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const char *file; dir && (file = g_dir_read_name(dir));)
        if (g_str_has_prefix(file, prefix))
            g_ptr_array_add(names, g_strdup(file + strlen(prefix)));
    for (guint i = 0; i < names->len; i++)
        each(names->pdata[i], data);
}

typedef struct {
    const char *name;
    GHashTable *kinds; /* that boxes use */
    GHashTable *ids;   /* that they run */
    gboolean unused;   /* there is one that no box uses */
} sweep;

static void sweep_pointer(const char *kind, void *data)
{
    const sweep *self = data;
    g_autofree char *path = pointer_path(self->name, kind);
    char *id = g_hash_table_contains(self->kinds, kind) ? tools_current(self->name, kind) : NULL;
    if (id)
        g_hash_table_add(self->ids, id);
    else
        unlink(path);
}

static void sweep_id(const char *id, void *data)
{
    const sweep *self = data;
    if (is_id(id) && !g_hash_table_contains(self->ids, id))
        remove_unless_run(self->name, id);
}

static void sweep_lock(const char *id, void *data)
{
    const sweep *self = data;
    g_autofree char *path = shared_path(self->name, id), *lock = below(LOCKS, self->name, id);
    if (is_id(id) && access(path, F_OK) < 0 && errno == ENOENT)
        unlink(lock);
}

static void sweep_work(const char *id, void *data)
{
    const sweep *self = data;
    g_autofree char *path = below(WORK, self->name, id);
    if (is_id(id))
        discard_tree(path, NULL);
}

void tools_sweep(const char *name)
{
    g_autofree char *folder = shared_path(name, NULL), *work = paths_data(WORK),
                    *locks = paths_data(LOCKS);
    g_autofree char *prefix = g_strconcat(name, ".", NULL);
    g_autoptr(GHashTable) kinds = used_kinds(name);
    g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    sweep self = {.name = name, .kinds = kinds, .ids = ids};
    fs_remove_temporary(folder);
    each_name(folder, POINTER, sweep_pointer, &self);
    each_name(folder, "", sweep_id, &self);
    each_name(work, prefix, sweep_work, &self);
    each_name(locks, prefix, sweep_lock, &self);
    rmdir(folder); /* with the last one */
}

static void note_unused(const char *kind, void *data)
{
    sweep *self = data;
    if (!g_hash_table_contains(self->kinds, kind))
        self->unused = TRUE;
}

char **tools_unused(void)
{
    g_autofree char *top = tools_folder();
    g_autoptr(GDir) dir = g_dir_open(top, 0, NULL);
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *folder = shared_path(name, NULL);
        g_autoptr(GHashTable) kinds = used_kinds(name);
        sweep self = {.name = name, .kinds = kinds};
        each_name(folder, POINTER, note_unused, &self);
        if (self.unused)
            g_strv_builder_add(names, name);
    }
    return g_strv_builder_end(names);
}

gint64 tools_disk_freed(const char *name)
{
    g_autofree char *folder = shared_path(name, NULL);
    return discard_tree_frees(folder);
}
