#include "box/registry/project_index.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/box.h"
#include "common/fs.h"
#include "common/paths.h"

#define INDEX "projects"

static char *index_path(const char *project)
{
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, project, -1);
    g_autofree char *tail = g_build_filename(INDEX, hash, NULL);
    return paths_data(tail);
}

char *project_index_find(const char *project)
{
    char target[BOX_NAME_MAX + 16];
    g_autofree char *link = index_path(project);
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0)
        return NULL;
    target[n] = '\0';
    const char *name = strrchr(target, '/');
    return name && box_name_is_valid(name + 1) ? g_strdup(name + 1) : NULL;
}

void project_index_write(const char *name, const char *project)
{
    g_autofree char *link = index_path(project);
    g_autofree char *folder = g_path_get_dirname(link);
    g_autofree char *target = g_build_filename("..", "boxes", name, NULL);
    g_autofree char *temporary = fs_temporary_path(folder);
    if (fs_make_folder(folder, 0700, NULL) && symlink(target, temporary) == 0 &&
        rename(temporary, link) < 0)
        unlink(temporary);
}

void project_index_remove(const char *project)
{
    g_autofree char *link = index_path(project);
    unlink(link);
}

void project_index_clean(void)
{
    g_autofree char *folder = paths_data(INDEX);
    fs_remove_temporary(folder);
}

#define RECORD_MAX 128

char *folder_identity(const char *folder)
{
    struct statx st;
    if (statx(AT_FDCWD, folder, 0, STATX_INO | STATX_BTIME, &st) < 0)
        return NULL;
    gboolean born = (st.stx_mask & STATX_BTIME) != 0;
    return g_strdup_printf("%u:%u %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT ".%u\n",
                           st.stx_dev_major, st.stx_dev_minor, (guint64)st.stx_ino,
                           born ? (gint64)st.stx_btime.tv_sec : 0, born ? st.stx_btime.tv_nsec : 0);
}

char *folder_identity_recorded(const char *name)
{
    g_autofree char *data = box_data_path(name);
    g_autofree char *path = g_build_filename(data, "folder", NULL);
    char *recorded = NULL;
    fs_read(AT_FDCWD, path, RECORD_MAX, &recorded, NULL, NULL);
    return recorded;
}
