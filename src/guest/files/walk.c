#include "guest/files/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int walk_matches(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *text = strchr(pattern, '/') || !slash ? path : slash + 1;
    return !*pattern || fnmatch(pattern, text, 0) == 0;
}

static int is_wanted(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* 1, or 0: enough. */
static int visit(const struct walk *self, int folder, const char *above, const char *name,
                 int level)
{
    char path[PATH_MAX];
    struct stat st;
    int length = strcmp(above, ".") == 0 ? snprintf(path, sizeof path, "%s", name)
                                         : snprintf(path, sizeof path, "%s/%s", above, name);
    if (length >= (int)sizeof path || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 1;
    if (!self->visit(self->data, folder, name, path, &st))
        return 0;
    if (!S_ISDIR(st.st_mode) || level >= self->depth || strcmp(name, ".git") == 0)
        return 1;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? 1 : walk_folder(self, fd, path, level + 1);
}

int walk_folder(const struct walk *self, int fd, const char *path, int level)
{
    struct dirent **entries;
    int going = 1, count = scandirat(fd, ".", &entries, is_wanted, alphasort);
    for (int i = 0; i < count; i++) {
        if (going)
            going = visit(self, fd, path, entries[i]->d_name, level);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    close(fd);
    return going;
}
