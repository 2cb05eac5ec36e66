/* The median time of each kind of call that the guard of a box holds: "NAME MICROSECONDS" lines. In
 * the current folder, which should be empty. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define CALLS 4001

/* An access control list that says no more than mode 0644: what `cp -a` sets for every file. */
static const char acl[] =
    "\2\0\0\0\1\0\6\0\377\377\377\377\4\0\4\0\377\377\377\377 \0\4\0\377\377\377\377";
static int file; /* "file", open for writing */
static int made; /* what the call has opened */

static void open_new(void)
{
    made = open("new", O_WRONLY | O_CREAT | O_EXCL, 0644);
}
static void open_new_below(void)
{
    made = open("folder/new", O_WRONLY | O_CREAT | O_EXCL, 0644);
}
static void open_to_write(void)
{
    made = open("file", O_WRONLY);
}
static void open_to_empty(void)
{
    made = open("file", O_WRONLY | O_TRUNC | O_CREAT, 0644);
}
static void open_null(void)
{
    made = open("/dev/null", O_WRONLY);
}
static void open_to_read(void)
{
    made = open("file", O_RDONLY);
}
static void make_folder(void)
{
    mkdir("new", 0755);
}
static void make_symlink(void)
{
    symlink("file", "new") < 0 ? abort() : (void)0;
}
static void make_link(void)
{
    link("file", "new") < 0 ? abort() : (void)0;
}
static void rename_file(void)
{
    rename("file", "new");
}
static void rename_back(void)
{
    rename("new", "file");
}
static void chmod_to_run(void)
{
    fchmod(file, 0755);
}
static void set_acl(void)
{
    fsetxattr(file, "system.posix_acl_access", acl, sizeof acl - 1, 0);
}
static void lock_file(void)
{
    flock(file, LOCK_EX);
}
static void set_mask(void)
{
    umask(022);
}

static void close_made(void)
{
    close(made);
}
static void remove_new(void)
{
    close(made);
    unlink("new");
}
static void remove_below(void)
{
    close(made);
    unlink("folder/new");
}
static void remove_folder(void)
{
    rmdir("new");
}
static void remove_name(void)
{
    unlink("new");
}
static void chmod_back(void)
{
    fchmod(file, 0644);
}
static void unlock_file(void)
{
    flock(file, LOCK_UN);
}
static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*call)(void), (*undo)(void);
} calls[] = {
    {"open-new", open_new, remove_new},
    {"open-new-in-folder", open_new_below, remove_below},
    {"open-to-write", open_to_write, close_made},
    {"open-to-empty", open_to_empty, close_made},
    {"open-null", open_null, close_made},
    {"mkdir", make_folder, remove_folder},
    {"symlink", make_symlink, remove_name},
    {"link", make_link, remove_name},
    {"rename", rename_file, rename_back},
    {"fchmod-to-run", chmod_to_run, chmod_back},
    {"fsetxattr-acl", set_acl, nothing},
    {"flock", lock_file, unlock_file},
    {"umask", set_mask, nothing},
    {"open-to-read", open_to_read, close_made},
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(void)
{
    static double times[CALLS];
    file = open("file", O_CREAT | O_RDWR, 0644);
    if (file < 0 || mkdir("folder", 0755) < 0)
        return 1;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (int j = 0; j < CALLS; j++) {
            double start = now();
            calls[i].call();
            times[j] = now() - start;
            calls[i].undo();
        }
        qsort(times, CALLS, sizeof *times, by_size);
        printf("%s %.2f\n", calls[i].name, times[CALLS / 2]);
    }
    unlink("file");
    return rmdir("folder") < 0;
}
