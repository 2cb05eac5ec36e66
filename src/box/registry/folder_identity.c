#include "box/registry/folder_identity.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "box/registry/box.h"
#include "common/fs.h"

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
