/*
 * Races of bind(2) against the guard of protected names: one thread binds, the other changes what
 * the call means all the time.
 *
 *     bind-races KIND PATH MILLISECONDS
 *
 * PATH is a protected name that does not exist, as an absolute path. A socket there that may not be
 * executed is harmless ("folder" can make one); each is tried to be made executable. Status 0 and
 * "SUCCEEDED": one came about that is not; 1: never; 2: the race does not work here.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "race.h"

#define RENAME_SWAP 2 /* RENAME_EXCHANGE */
#define MAY_RUN 0111

static const char *wanted, *base;
static char folder[sizeof(struct sockaddr_un)];
static struct sockaddr_un raced = {.sun_family = AF_UNIX}; /* the address in memory that changes */
static volatile int running = 1;
static int plain_folder, unix_socket, network_socket, flipping;

static void *flip_byte(void *unused)
{
    volatile char *last = raced.sun_path + strlen(wanted) - 1;
    char right = *last;
    (void)unused;
    while (running) {
        *last = '~';
        *last = right;
    }
    return NULL;
}

/* An abstract name, which makes no file, and a path. */
static void *flip_start(void *unused)
{
    volatile char *first = raced.sun_path;
    (void)unused;
    while (running) {
        *first = '\0';
        *first = '/';
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

/* A socket that takes no path, and one that does. */
static void *flip_socket(void *unused)
{
    (void)unused;
    while (running) {
        dup2(network_socket, flipping);
        dup2(unix_socket, flipping);
    }
    return NULL;
}

static int bind_to(int fd, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return bind(fd, (struct sockaddr *)&address, sizeof address);
}

static int with_new_socket(int (*call)(int fd))
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), result = call(fd);
    close(fd);
    return result;
}

static int bind_raced(int fd)
{
    return bind(fd, (struct sockaddr *)&raced, sizeof raced);
}

static int try_raced(void)
{
    return with_new_socket(bind_raced);
}

static int bind_swapped(int fd)
{
    char path[sizeof raced.sun_path];
    snprintf(path, sizeof path, "races.d/swapped/%s", base);
    return bind_to(fd, path);
}

static int try_folder(void)
{
    return with_new_socket(bind_swapped);
}

static int try_socket(void)
{
    static int turn;
    int made = socket(AF_UNIX, SOCK_STREAM, 0);
    dup2(made, unix_socket);
    close(made);
    return bind_to(flipping, turn++ % 2 ? wanted : "races.d/harmless");
}

static const struct {
    const char *name;
    void *(*flip)(void *);
    int (*try)(void);
} kinds[] = {
    {"address", flip_byte, try_raced},
    {"abstract", flip_start, try_raced},
    {"folder", flip_folder, try_folder},
    {"socket", flip_socket, try_socket},
};

static int prepare(const char *path)
{
    wanted = path;
    if (path[0] != '/' || strlen(path) >= sizeof raced.sun_path)
        return -1;
    strcpy(raced.sun_path, path);
    strcpy(folder, path);
    *strrchr(folder, '/') = '\0';
    base = strrchr(path, '/') + 1;
    mkdir("races.d", 0700);
    mkdir("races.d/plain", 0700);
    mkdir("races.d/swapped", 0700);
    plain_folder = open("races.d/plain", O_RDONLY | O_DIRECTORY);
    unix_socket = socket(AF_UNIX, SOCK_STREAM, 0);
    network_socket = socket(AF_INET, SOCK_STREAM, 0);
    flipping = dup(network_socket);
    if (symlink(folder, "races.d/link") < 0 && errno != EEXIST)
        return -1;
    return plain_folder < 0 || unix_socket < 0 || flipping < 0 ? -1 : 0;
}

/* What has come about at the harmless names. */
static void clear(void)
{
    char path[sizeof raced.sun_path + 16];
    snprintf(path, sizeof path, "%.*s~", (int)strlen(wanted) - 1, wanted);
    unlink(path);
    unlink("races.d/harmless");
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "races.d/%s/%s", i ? "link" : "swapped", base);
        struct stat st;
        char parent[32];
        snprintf(parent, sizeof parent, "races.d/%s", i ? "link" : "swapped");
        if (lstat(parent, &st) == 0 && S_ISDIR(st.st_mode))
            unlink(path);
    }
}

/* All ways to give the socket that a race has left the right to be executed. */
static void let_it_run(void)
{
    char name[64];
    int fd = open(wanted, O_PATH | O_NOFOLLOW);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (chmod(wanted, 0777) < 0 && chmod(name, 0777) < 0) {
        chmod(folder, 0);
        chmod(name, 0777);
        chmod(folder, 0700);
    }
    if (link(wanted, "races.d/alias") == 0 || rename(wanted, "races.d/alias") == 0) {
        chmod("races.d/alias", 0777);
        rename("races.d/alias", wanted);
    }
    unlink("races.d/alias");
    close(fd);
}

/* 1 when what stands at PATH is worth something. */
static int is_made(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && !(st.st_mode & MAY_RUN))
        let_it_run();
    return lstat(path, &st) == 0 && (!S_ISSOCK(st.st_mode) || (st.st_mode & MAY_RUN));
}

static int race(int (*try)(void), int ms)
{
    int64_t start = race_now();
    long tries = 0, done = 0, left = 0;
    for (; race_goes_on(start, ms, tries, done); tries++) {
        done += try() == 0;
        if (is_made(wanted)) {
            printf("SUCCEEDED after %ld tries\n", tries + 1);
            return 0;
        }
        left += unlink(wanted) == 0;
        clear();
    }
    printf("refused: %ld tries, %ld of them done, %ld with a harmless socket\n", tries, done, left);
    return race_both_sides_ran(tries, done) ? 1 : 2;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 4 || prepare(argv[2]) < 0 || access(argv[2], F_OK) == 0)
        return 2;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]) != 0)
            continue;
        if (pthread_create(&thread, NULL, kinds[i].flip, NULL) != 0)
            return 2;
        return race(kinds[i].try, atoi(argv[3]));
    }
    return 2;
}
