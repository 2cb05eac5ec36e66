#include "podman/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"

#define PREFIX "litterbox-build-"
/* A younger folder may have been made a moment ago, and not be held yet. */
#define AGE_MIN_SECONDS 60

static int open_folder(const char *folder)
{
    return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int scratch_hold(const char *folder)
{
    int fd = open_folder(folder);

    if (fd >= 0 && flock(fd, LOCK_SH) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* TRUE when FOLDER is ours, and left behind. */
static gboolean is_abandoned(const char *folder)
{
    int fd = open_folder(folder);
    struct stat st;
    gboolean abandoned;

    if (fd < 0)
        return FALSE;
    abandoned = fstat(fd, &st) == 0 && st.st_uid == getuid() &&
                st.st_mtime < time(NULL) - AGE_MIN_SECONDS && flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return abandoned;
}

static void sweep(const char *base)
{
    g_autoptr(GDir) entries = g_dir_open(base, 0, NULL);
    const char *name;

    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *folder = g_build_filename(base, name, NULL);
        if (g_str_has_prefix(name, PREFIX) && is_abandoned(folder))
            fs_remove_tree(folder, NULL);
    }
}

char *scratch_make(GError **error)
{
    const char *wanted = g_getenv("TMPDIR");
    const char *base = wanted && g_path_is_absolute(wanted) ? wanted : "/var/tmp";
    g_autofree char *folder = g_build_filename(base, PREFIX "XXXXXX", NULL);

    sweep(base);
    if (g_mkdtemp_full(folder, 0700))
        return g_steal_pointer(&folder);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot make the folder '%s': %s", folder,
                g_strerror(errno));
    return NULL;
}
