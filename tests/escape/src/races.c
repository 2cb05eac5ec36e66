/*
 * Races against the guard of protected names: one thread makes calls, the other changes what they
 * mean all the time.
 *
 *     races KIND PATH MILLISECONDS
 *
 * PATH is a protected name that does not exist; for "write" one that does, outside of any mount,
 * and for "linked…" one that does, with contents, and a second name races.d/plain/linked; for
 * "moved" a configuration of git. Status 0 and "SUCCEEDED": it was made or written; 1: never; 2:
 * the race does not work here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "race.h"

#define RENAME_SWAP 2 /* RENAME_EXCHANGE */

static char raced[PATH_MAX]; /* the name in memory that changes */
static char wanted[PATH_MAX], folder[PATH_MAX], other[PATH_MAX];
static char source[PATH_MAX + 8]; /* beside it: links and renames stay on one mount */
static const char *base;
static volatile int running = 1;
static int plain_folder, wanted_folder, flipping;

static void *flip_byte(void *unused)
{
    volatile char *last = raced + strlen(wanted) - 1;
    char right = *last;
    (void)unused;
    while (running) {
        *last = '~';
        *last = right;
    }
    return NULL;
}

static struct open_how how = {.flags = O_WRONLY | O_CREAT, .mode = 0600};

/* Harmless is the name or what is done to it, never both not. */
static void *flip_how(void *unused)
{
    volatile char *last = raced + strlen(wanted) - 1;
    volatile __u64 *flags = &how.flags, *mode = &how.mode;
    char right = *last;
    (void)unused;
    while (running) {
        *mode = 0;
        *flags = O_PATH;
        *last = right;
        *last = '~';
        *flags = O_WRONLY | O_CREAT;
        *mode = 0600;
    }
    return NULL;
}

static void *flip_cwd(void *unused)
{
    (void)unused;
    while (running) {
        if (fchdir(wanted_folder) < 0 || fchdir(plain_folder) < 0)
            return NULL;
    }
    return NULL;
}

static void *flip_descriptor(void *unused)
{
    (void)unused;
    while (running) {
        dup2(wanted_folder, flipping);
        dup2(plain_folder, flipping);
    }
    return NULL;
}

/* A folder and a link to the protected one change places. */
static void *flip_folder(void *unused)
{
    (void)unused;
    while (running)
        syscall(SYS_renameat2, plain_folder, "../swapped", plain_folder, "../link", RENAME_SWAP);
    return NULL;
}

/* The last name is a file, then a link to the protected one. */
static void *flip_last(void *unused)
{
    (void)unused;
    while (running)
        syscall(SYS_renameat2, plain_folder, "file", plain_folder, "file-link", RENAME_SWAP);
    return NULL;
}

/* The last name is a file, then the second name of the protected one. */
static void *flip_linked(void *unused)
{
    (void)unused;
    while (running)
        syscall(SYS_renameat2, plain_folder, "file", plain_folder, "linked", RENAME_SWAP);
    return NULL;
}

static void *flip_linked_fifo(void *unused)
{
    (void)unused;
    while (running)
        syscall(SYS_renameat2, plain_folder, "fifo", plain_folder, "linked", RENAME_SWAP);
    return NULL;
}

/* Of the one kind of device that everybody may make (mknod(2): a whiteout), and nobody can open. */
static void *flip_linked_device(void *unused)
{
    (void)unused;
    while (running)
        syscall(SYS_renameat2, plain_folder, "device", plain_folder, "linked", RENAME_SWAP);
    return NULL;
}

/* The folder that the repository lies in gets another name, and its own again. */
static void *flip_moved(void *unused)
{
    char from[PATH_MAX], to[PATH_MAX + 1];
    (void)unused;
    snprintf(from, sizeof from, "%s", folder);
    *strrchr(from, '/') = '\0';
    snprintf(to, sizeof to, "%s~", from);
    while (running) {
        rename(from, to);
        rename(to, from);
    }
    return NULL;
}

static int try_open(void)
{
    return open(raced, O_WRONLY | O_CREAT, 0600);
}

static int try_creat(void)
{
    return (int)syscall(SYS_openat, AT_FDCWD, raced, O_RDONLY | O_CREAT, 0600);
}

static int try_how(void)
{
    return (int)syscall(SYS_openat2, AT_FDCWD, raced, &how, sizeof how);
}

static int try_mkdir(void)
{
    return mkdir(raced, 0700);
}

static int try_mknod(void)
{
    return mknod(raced, S_IFREG | 0600, 0);
}

static int try_symlink(void)
{
    return symlink("/", raced);
}

static int try_link(void)
{
    return link(source, raced);
}

static int try_rename(void)
{
    int made = open(source, O_WRONLY | O_CREAT, 0600);
    if (made >= 0)
        close(made);
    return rename(source, raced);
}

static int try_base(void)
{
    return open(base, O_WRONLY | O_CREAT, 0600);
}

static int try_descriptor(void)
{
    return openat(flipping, base, O_WRONLY | O_CREAT, 0600);
}

static int try_folder(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "races.d/swapped/%s", base);
    return open(path, O_WRONLY | O_CREAT, 0600);
}

/* O_EXCL, for which the guard has a shorter way (guest/guard/open_new.c). */
static int try_exclusive(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "races.d/link/%s", base);
    unlink(path);
    snprintf(path, sizeof path, "races.d/swapped/%s", base);
    unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

static int try_exclusive_base(void)
{
    return open(base, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

static int try_exclusive_descriptor(void)
{
    return openat(flipping, base, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

static int try_last(void)
{
    return open("races.d/plain/file", O_WRONLY | O_CREAT, 0600);
}

/* Writing to what exists: the descriptor tells what was opened. */
static int try_write_to(const char *path, int flags)
{
    struct stat opened, protected;
    int fd = open(path, flags);
    if (fd >= 0 && fstat(fd, &opened) == 0 && stat(wanted, &protected) == 0 &&
        opened.st_ino == protected.st_ino) {
        puts("SUCCEEDED opened for writing");
        exit(0);
    }
    return fd;
}

static int try_write(void)
{
    return try_write_to(raced, O_WRONLY);
}

static int try_linked(void)
{
    return try_write_to("races.d/plain/file", O_WRONLY);
}

/* RESULT of a call that may have emptied the protected file. */
static int look_if_emptied(int result)
{
    struct stat protected;
    if (stat(wanted, &protected) < 0 || protected.st_size > 0)
        return result;
    puts("SUCCEEDED emptied it");
    exit(0);
}

static int try_linked_empty(void)
{
    return look_if_emptied(open("races.d/plain/file", O_RDONLY | O_TRUNC));
}

static int try_linked_truncate(void)
{
    return look_if_emptied(truncate("races.d/plain/file", 0));
}

/* Which opens at once for both ways. */
static int try_linked_fifo(void)
{
    int written = try_write_to("races.d/plain/fifo", O_RDWR);
    int emptied = look_if_emptied(open("races.d/plain/fifo", O_RDWR | O_TRUNC));
    if (emptied >= 0)
        close(emptied);
    return written;
}

/* The device is found as often as it cannot be opened for what it is. */
static int try_linked_device(void)
{
    look_if_emptied(try_write_to("races.d/plain/device", O_WRONLY | O_TRUNC));
    return errno == ENXIO || errno == EACCES ? 0 : -1;
}

/* By a descriptor that is open for reading; every other one is of a harmless file. */
static int try_moved(void)
{
    static int turn;
    char path[64];
    int is_harmless = turn++ % 2;
    int fd = openat(wanted_folder, is_harmless ? "source" : base, O_RDONLY);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int written = open(path, O_WRONLY);
    close(fd);
    if (written >= 0 && !is_harmless) {
        puts("SUCCEEDED opened for writing");
        exit(0);
    }
    return written;
}

#if defined __x86_64__
/* open(2) of the 32-bit ABI; its pointers must be low. */
static int try_open32(void)
{
    int result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(5), "b"(raced), "c"(O_WRONLY | O_CREAT), "d"(0600)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}
#endif

static const struct {
    const char *name;
    void *(*flip)(void *);
    int (*try)(void);
} kinds[] = {
    {"open", flip_byte, try_open},
    {"create-only", flip_byte, try_creat},
    {"openat2", flip_byte, try_how},
    {"how", flip_how, try_how},
    {"mkdir", flip_byte, try_mkdir},
    {"mknod", flip_byte, try_mknod},
    {"symlink", flip_byte, try_symlink},
    {"link", flip_byte, try_link},
    {"rename", flip_byte, try_rename},
    {"write", flip_byte, try_write},
    {"cwd", flip_cwd, try_base},
    {"descriptor", flip_descriptor, try_descriptor},
    {"folder", flip_folder, try_folder},
    {"exclusive", flip_folder, try_exclusive},
    {"exclusive-cwd", flip_cwd, try_exclusive_base},
    {"exclusive-descriptor", flip_descriptor, try_exclusive_descriptor},
    {"last", flip_last, try_last},
    {"linked", flip_linked, try_linked},
    {"linked-empty", flip_linked, try_linked_empty},
    {"linked-truncate", flip_linked, try_linked_truncate},
    {"linked-fifo", flip_linked_fifo, try_linked_fifo},
    {"linked-device", flip_linked_device, try_linked_device},
    {"moved", flip_moved, try_moved},
#if defined __x86_64__
    {"open32", flip_byte, try_open32},
#endif
};

static int prepare(const char *path)
{
    snprintf(wanted, sizeof wanted, "%s", path);
    snprintf(raced, sizeof raced, "%s", path);
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || path[0] != '/')
        return -1;
    *slash = '\0';
    snprintf(source, sizeof source, "%s/source", folder);
    base = strrchr(path, '/') + 1;
    snprintf(other, sizeof other, "%.*s~", (int)strlen(path) - 1, path);
    mkdir("races.d", 0700);
    mkdir("races.d/plain", 0700);
    mkdir("races.d/swapped", 0700);
    close(open("races.d/plain/file", O_WRONLY | O_CREAT, 0600));
    mkfifo("races.d/plain/fifo", 0600);
    mknod("races.d/plain/device", S_IFCHR | 0600, 0);
    close(open(source, O_WRONLY | O_CREAT, 0600));
    plain_folder = open("races.d/plain", O_RDONLY | O_DIRECTORY);
    wanted_folder = open(folder, O_RDONLY | O_DIRECTORY);
    flipping = dup(plain_folder);
    if (symlink(folder, "races.d/link") < 0 || symlink(wanted, "races.d/plain/file-link") < 0)
        return errno == EEXIST ? 0 : -1;
    return plain_folder < 0 || wanted_folder < 0 ? -1 : 0;
}

static int race(int (*try)(void), int exists, int ms)
{
    int64_t start = race_now();
    struct stat st;
    long tries = 0, done = 0;
    for (; race_goes_on(start, ms, tries, done); tries++) {
        int result = try();
        done += result >= 0;
        if (result > 2)
            close(result);
        if (!exists && lstat(wanted, &st) == 0) {
            printf("SUCCEEDED after %ld tries\n", tries + 1);
            return 0;
        }
        if (!exists && remove(other) < 0)
            unlinkat(plain_folder, base, 0);
    }
    printf("refused: %ld tries, %ld of them on the harmless name\n", tries, done);
    return race_both_sides_ran(tries, done) ? 1 : 2;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    struct stat st;
    if (argc != 4 || prepare(argv[2]) < 0)
        return 2;
    int exists = lstat(wanted, &st) == 0;
    if (exists)
        close(open(other, O_WRONLY | O_CREAT, 0600));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]) != 0)
            continue;
        if (exists != (!strcmp(argv[1], "write") || !strcmp(argv[1], "moved") ||
                       !strncmp(argv[1], "linked", 6)) ||
            pthread_create(&thread, NULL, kinds[i].flip, NULL) != 0)
            return 2;
        return race(kinds[i].try, exists, atoi(argv[3]));
    }
    return 2;
}
