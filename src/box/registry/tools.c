#include "box/registry/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "box/registry/tools_files.h"
#include "common/fs.h"
#include "common/paths.h"
#include "plan/plan.h"

#define KIND_FILE "tools-kind"
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

char *tools_file(const char *folder, const char *name, const char *id)
{
    g_autofree char *full = id ? g_strconcat(name, ".", id, NULL) : g_strdup(name);
    g_autofree char *tail = g_build_filename(folder, full, NULL);
    return paths_data(tail);
}

char *tools_shared_file(const char *name, const char *file)
{
    g_autofree char *tail = g_build_filename(TOOLS_SHARED, name, file, NULL);
    return paths_data(tail);
}

char *tools_pointer(const char *name, const char *kind)
{
    g_autofree char *file = g_strconcat(TOOLS_POINTER, kind, NULL);
    return tools_shared_file(name, file);
}

static gboolean is_kind(const char *text)
{
    return g_ascii_isalnum(*text) && strlen(text) <= KIND_MAX &&
           !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._-")];
}

gboolean tools_id_is_valid(const char *text)
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

char *tools_read_kind(const char *path)
{
    char *kind = fs_read_text(path, KIND_MAX);
    if (kind && !is_kind(kind))
        g_clear_pointer(&kind, g_free);
    return kind;
}

char *tools_kind(const struct box *self, GError **error)
{
    g_autofree char *path = g_build_filename(self->runtime, KIND_FILE, NULL);
    char *kind = tools_read_kind(path);
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
    return tools_read_kind(path);
}

gboolean tools_disuse(const struct box *self, const char *name, GError **error)
{
    g_autofree char *path = use_path(self, name);
    return fs_remove_tree(path, error);
}

int tools_lock(const char *name, void (*waited)(const char *lock), GError **error)
{
    g_autofree char *folder = paths_data(TOOLS_LOCKS), *path = tools_file(TOOLS_LOCKS, name, NULL);
    return fs_make_folder(folder, 0700, error) ? fs_lock(path, waited, error) : -1;
}

char *tools_current(const char *name, const char *kind)
{
    g_autofree char *path = tools_pointer(name, kind);
    char *id = fs_read_text(path, ID_LENGTH);
    if (id && !tools_id_is_valid(id))
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
                        *lock = now ? tools_file(TOOLS_LOCKS, name, now) : NULL;
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
    g_autofree char *folder = tools_shared_file(name, id);
    return fs_open_below(folder, path, O_RDONLY | O_NONBLOCK);
}

char *tools_make_work(const char *name, const char *id, GError **error)
{
    g_autofree char *folder = tools_file(TOOLS_WORK, name, id);
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
    g_autofree char *from = tools_file(TOOLS_WORK, name, id), *to = tools_shared_file(name, id);
    g_autofree char *folder = tools_shared_file(name, NULL);
    g_autofree char *pointer = tools_pointer(name, kind);
    if (!fs_make_folder(folder, 0755, error))
        return FALSE;
    if (sync_folder(from) && rename(from, to) == 0)
        return fs_write(pointer, id, -1, 0600, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot put '%s' into its place: %s", name,
                g_strerror(errno));
    return FALSE;
}
