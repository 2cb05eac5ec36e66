/* Files and folders that another process may change meanwhile, by their descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"

#define BLOCK 65536

/* From AT to END, or to where FROM ends meanwhile. */
static gboolean copy_stretch(int from, int to, off_t at, off_t end)
{
    char block[BLOCK];
    while (at < end) {
        errno = EINTR;
        if (!interrupt_check(NULL))
            return FALSE;
        ssize_t n = pread(from, block, (gsize)MIN(end - at, (off_t)sizeof block), at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        if (!fs_write_all(to, block, (gsize)n))
            return FALSE;
        at += n;
    }
    return TRUE;
}

gboolean fs_copy_contents(int from, int to)
{
    off_t at = 0, end = lseek(from, 0, SEEK_END);
    if (end < 0)
        return FALSE;
    if (ioctl(to, FICLONE, from) == 0)
        return TRUE;
    /* Holes stay holes. What is appended meanwhile could come for ever. */
    for (off_t data; at < end && (data = lseek(from, at, SEEK_DATA)) >= 0;) {
        at = lseek(from, data, SEEK_HOLE);
        if (at < 0 || lseek(to, data, SEEK_SET) < 0 || !copy_stretch(from, to, data, MIN(at, end)))
            return FALSE;
    }
    if (at < end && errno != ENXIO)
        return FALSE;
    off_t size = lseek(from, 0, SEEK_END);
    return size >= 0 && ftruncate(to, MIN(size, end)) == 0;
}

/* Fills BUFFER from AT as far as FD goes. -1 with errno. */
static ssize_t read_block(int fd, char *buffer, off_t at)
{
    gsize got = 0;
    while (got < BLOCK) {
        ssize_t n = pread(fd, buffer + got, BLOCK - got, at + (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (gsize)n;
    }
    return (ssize_t)got;
}

static gboolean has_holes(const struct stat *st)
{
    return (off_t)st->st_blocks * 512 < st->st_size;
}

/* Where the next data of FD are, from AT on; END behind the last. */
static off_t find_data(int fd, off_t at, off_t end)
{
    off_t found = lseek(fd, at, SEEK_DATA);
    return found >= 0 ? MIN(found, end) : errno == ENXIO ? end : at;
}

/* A box can make a file of any size that takes no room: what is a hole in both is not read. */
gboolean fs_same_contents(int a, int b)
{
    struct stat st, other_st;
    g_autofree char *one = g_malloc(BLOCK), *other = g_malloc(BLOCK);
    if (fstat(a, &st) < 0 || fstat(b, &other_st) < 0 || st.st_size != other_st.st_size)
        return FALSE;
    gboolean skips = has_holes(&st) && has_holes(&other_st);
    for (off_t at = 0;;) {
        if (skips)
            at = MIN(find_data(a, at, st.st_size), find_data(b, at, st.st_size));
        ssize_t n = read_block(a, one, at), m = read_block(b, other, at);
        if (n != m || n < 0 || memcmp(one, other, (gsize)n) != 0)
            return FALSE;
        if (n == 0)
            return TRUE;
        at += n;
    }
}

char *fs_join(const char *in, const char *name)
{
    return *in ? g_build_filename(in, name, NULL) : g_strdup(name);
}

GPtrArray *fs_list_names(int fd, GPtrArray *devices)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    if (!folder) {
        if (copy >= 0)
            close(copy);
        return NULL;
    }
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        g_ptr_array_add(names, g_strdup(entry->d_name));
        if (devices && (entry->d_type == DT_CHR || entry->d_type == DT_UNKNOWN))
            g_ptr_array_add(devices, g_strdup(entry->d_name));
    }
    closedir(folder);
    g_ptr_array_sort(names, text_compare);
    return names;
}
