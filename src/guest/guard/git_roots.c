#include "guest/guard/git_roots.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guard/file_system.h"

static struct {
    struct stat all[GIT_FOLDERS_MAX];
    int count;
    int cannot_tell;    /* one could not be looked at */
    int has_subvolumes; /* one lies on btrfs, each subvolume of which has another device */
} roots;

void git_roots_begin(const struct init_options *options)
{
    for (int i = 0; i < options->git_folder_count; i++) {
        int fd = open(options->git_folders[i], O_PATH | O_CLOEXEC);
        int found = fd >= 0 && fstat(fd, &roots.all[roots.count]) == 0;
        roots.count += found;
        roots.cannot_tell |= !found;
        roots.has_subvolumes |= found && guard_folder_has_subvolumes(fd);
        if (fd >= 0)
            close(fd);
    }
}

static int is_root(const struct stat *st)
{
    int found = roots.cannot_tell;
    for (int i = 0; i < roots.count; i++)
        found |= roots.all[i].st_dev == st->st_dev && roots.all[i].st_ino == st->st_ino;
    return found;
}

int git_roots_hold(int folder)
{
    if (!roots.count && !roots.cannot_tell)
        return 0;
    return guard_folder_is_within(openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC), is_root);
}

int git_roots_may_hold(int folder)
{
    struct stat st;
    if (!roots.count && !roots.cannot_tell)
        return 0;
    int found =
        fstat(folder, &st) < 0 || (roots.has_subvolumes && guard_folder_has_subvolumes(folder));
    for (int i = 0; i < roots.count; i++)
        found |= roots.all[i].st_dev == st.st_dev;
    return found || git_roots_hold(folder);
}
