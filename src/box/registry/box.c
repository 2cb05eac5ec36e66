#include "box/registry/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

#define NAME_FROM_FOLDER_MAX 40
/* Digits of the hash of the project's path that make a name unique. */
#define UNIQUE_MIN 6
#define UNIQUE_MAX 16
#define HOME_MARK_MAX (1024 * 1024)
G_STATIC_ASSERT(NAME_FROM_FOLDER_MAX + 1 + UNIQUE_MAX <= BOX_NAME_MAX);

void box_free(struct box *self)
{
    g_free(self->name);
    g_free(self->base);
    g_free(self->branch);
    g_free(self->project);
    g_free(self->container);
    g_free(self->data);
    g_free(self->home);
    g_free(self->runtime);
    g_strfreev(self->only);
    g_free(self);
}

gboolean box_name_is_valid(const char *name)
{
    gsize length = strlen(name);
    return length >= 1 && length <= BOX_NAME_MAX && g_ascii_isalnum(name[0]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == length;
}

char *box_data_path(const char *name)
{
    g_autofree char *tail = g_build_filename("boxes", name, NULL);
    return paths_data(tail);
}

struct box *box_new(const char *name, const char *project, GError **error)
{
    char *runtime = paths_runtime(name, error);
    if (!runtime)
        return NULL;
    struct box *self = g_new0(struct box, 1);
    self->name = g_strdup(name);
    self->base = g_strdup(name);
    self->project = g_strdup(project);
    self->container = paths_container(name);
    self->data = box_data_path(name);
    self->home = g_build_filename(self->data, "home", NULL);
    self->runtime = runtime;
    return self;
}

char *box_shared_file(const struct box *self, const char *name)
{
    g_autofree char *data = self->branch ? box_data_path(self->base) : g_strdup(self->data);
    return g_build_filename(data, name, NULL);
}

char *box_home_mark(const struct box *self, const char *name)
{
    g_autofree char *folder =
        self->isolated ? g_strdup(self->data) : g_path_get_dirname(self->home);
    return g_build_filename(folder, name, NULL);
}

gboolean box_home_mark_copy(const char *from, const char *to, GError **error)
{
    g_autofree char *data = NULL;
    g_autoptr(GError) problem = NULL;
    gsize length;
    if (fs_read(AT_FDCWD, from, HOME_MARK_MAX, &data, &length, &problem))
        return fs_write(to, data, (gssize)length, 0600, error);
    if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

/* A name that is valid for a host, a container and a folder. */
static char *name_from_folder(const char *project)
{
    g_autofree char *folder = g_path_get_basename(project);
    GString *name = g_string_new(NULL);
    for (const char *c = folder; *c && name->len < NAME_FROM_FOLDER_MAX; c++) {
        char lower = g_ascii_tolower(*c);
        gboolean keep = g_ascii_isalnum(lower) || (name->len && strchr("._-", lower));
        if (keep)
            g_string_append_c(name, lower);
        else if (name->len && name->str[name->len - 1] != '-')
            g_string_append_c(name, '-');
    }
    while (name->len && !g_ascii_isalnum(name->str[name->len - 1]))
        g_string_truncate(name, name->len - 1);
    if (!name->len)
        g_string_append(name, "box");
    return g_string_free(name, FALSE);
}

/* The name of the project's folder; with more and more digits of the path's hash while another box
 * has that name. */
static char *make_name(const char *project, box_name_owner owner, GError **error)
{
    g_autofree char *plain = name_from_folder(project);
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, project, -1);
    g_autofree char *name = g_strdup(plain);
    for (int digits = UNIQUE_MIN; digits <= UNIQUE_MAX + 1; digits++) {
        g_autofree char *other = NULL;
        if (!owner(name, &other, error))
            return NULL;
        if (!other)
            return g_steal_pointer(&name);
        g_free(name);
        name = g_strdup_printf("%s-%.*s", plain, digits, hash);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "the name '%s' and similar ones are taken: set [box] name", plain);
    return NULL;
}

char *box_name_choose(const char *project, const char *wanted, box_name_owner owner, GError **error)
{
    g_autofree char *other = NULL;
    if (!wanted)
        return make_name(project, owner, error);
    if (!owner(wanted, &other, error))
        return NULL;
    if (!other)
        return g_strdup(wanted);
    g_autofree char *safe = text_safe(other, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "the name '%s' is taken by the box of '%s': set another [box] name", wanted, safe);
    return NULL;
}

static const char *const names[] = {
    [STATE_FLAG_STOPPING] = "stopping",
    [STATE_FLAG_REMOVING] = "removing",
    [STATE_FLAG_STARTING] = "starting",
    [STATE_FLAG_NO_WINDOWS] = "no-windows",
    [STATE_FLAG_NO_X11] = "no-x11",
    [STATE_FLAG_NO_SOUND] = "no-sound",
    [STATE_FLAG_NO_GPU_ACCESS] = "no-gpu-access",
};
G_STATIC_ASSERT(G_N_ELEMENTS(names) == STATE_FLAG_NO_GPU_ACCESS + 1);

static char *flag_path(const struct box *self, enum state_flag flag)
{
    return g_build_filename(self->runtime, names[flag], NULL);
}

void state_flag_set(const struct box *self, enum state_flag flag)
{
    g_autofree char *path = flag_path(self, flag);
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

gboolean state_flag_is_set(const struct box *self, enum state_flag flag)
{
    g_autofree char *path = flag_path(self, flag);
    return access(path, F_OK) == 0;
}

void state_flag_clear(const struct box *self, enum state_flag flag)
{
    g_autofree char *path = flag_path(self, flag);
    unlink(path);
}

gboolean unfinished_is_there(void)
{
    static const char *const records[] = {UNFINISHED_RENAME, UNFINISHED_CLONE, UNFINISHED_TAKE,
                                          UNFINISHED_RESTORE, UNFINISHED_DETACH};
    for (gsize i = 0; i < G_N_ELEMENTS(records); i++) {
        g_autofree char *path = paths_data(records[i]);
        if (access(path, F_OK) == 0)
            return TRUE;
    }
    return FALSE;
}
