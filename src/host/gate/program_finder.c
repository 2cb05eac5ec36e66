#include "host/gate/program_names.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "host/supervisor/launcher.h"
#include "sys/confine.h"

#define PROCESSES_MAX 2048
#define DESCRIPTORS_LOOKED_AT 8192
/* Of processor time: what else the machine does is no reason not to find a program. */
#define LOOK_MS 20

/* A search. */
struct look {
    int proc;
    char wanted[40]; /* "socket:[INODE]" */
    unsigned processes, descriptors;
    int64_t end;
};

static int64_t spent_ms(void)
{
    struct timespec spent = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (int64_t)spent.tv_sec * 1000 + spent.tv_nsec / 1000000;
}

static bool may_go_on(struct look *self)
{
    return self->processes < PROCESSES_MAX && self->descriptors < DESCRIPTORS_LOOKED_AT &&
           spent_ms() < self->end;
}

static DIR *open_folder(int at, const char *path)
{
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !folder)
        close(fd);
    return folder;
}

/* PROCESS is a name in /proc. */
static bool has_socket(struct look *self, const char *process)
{
    char path[32], link[sizeof self->wanted];
    snprintf(path, sizeof path, "%.10s/fd", process);
    DIR *folder = open_folder(self->proc, path);
    bool found = false;
    self->processes++;
    for (struct dirent *each; folder && !found && may_go_on(self) && (each = readdir(folder));
         self->descriptors++) {
        ssize_t length = readlinkat(dirfd(folder), each->d_name, link, sizeof link - 1);
        link[length > 0 ? length : 0] = '\0';
        found = strcmp(link, self->wanted) == 0;
    }
    if (folder)
        closedir(folder);
    return found;
}

void program_name_clean(const char *comm, int length, char name[NETWORK_PROGRAM_SIZE])
{
    int used = 0;
    while (length > 0 && comm[length - 1] == '\n')
        length--;
    for (; used < length && used < NETWORK_PROGRAM_SIZE - 1; used++)
        name[used] = comm[used] > ' ' && comm[used] <= '~' ? comm[used] : '?';
    name[used] = '\0';
}

static void read_name(const struct look *self, const char *process, char name[NETWORK_PROGRAM_SIZE])
{
    char path[32], comm[64];
    snprintf(path, sizeof path, "%.10s/comm", process);
    int fd = openat(self->proc, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, comm, sizeof comm) : -1;
    program_name_clean(comm, length > 0 ? (int)length : 0, name);
    if (fd >= 0)
        close(fd);
}

void program_finder_look(int proc, uint32_t inode, char name[NETWORK_PROGRAM_SIZE])
{
    /* What makes one connection often makes the next one. */
    static char last[16];
    struct look self = {.proc = proc, .end = spent_ms() + LOOK_MS};
    bool found = false;
    snprintf(self.wanted, sizeof self.wanted, "socket:[%u]", inode);
    name[0] = '\0';
    if (last[0] && has_socket(&self, last)) {
        read_name(&self, last, name);
        return;
    }
    DIR *folder = open_folder(proc, ".");
    for (struct dirent *each; folder && !found && may_go_on(&self) && (each = readdir(folder));)
        if (isdigit((unsigned char)each->d_name[0]) && has_socket(&self, each->d_name)) {
            snprintf(last, sizeof last, "%.10s", each->d_name);
            read_name(&self, last, name);
            found = true;
        }
    if (folder)
        closedir(folder);
}

/* The process. */

/* As the box has mounted it; root of the box cannot put another file system there. */
static int open_proc(const char *run)
{
    char path[64];
    struct statfs about;
    snprintf(path, sizeof path, "/proc/%.10s/root/proc", run);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstatfs(fd, &about) < 0 || about.f_type != PROC_SUPER_MAGIC)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void run_finder(int gate, void *data)
{
    const struct rlimit none = {0, 0};
    struct program_query query;
    int proc = open_proc(data);
    confine_harden();
    setrlimit(RLIMIT_FSIZE, &none);
    if (confine_calls(0) < 0)
        return;
    while (recv(gate, &query, sizeof query, 0) == sizeof query) {
        struct program_answer answer = {.number = query.number};
        /* Nobody may look into it while it is being made. */
        proc = proc < 0 ? open_proc(data) : proc;
        if (proc >= 0)
            program_finder_look(proc, query.inode, answer.name);
        if (send(gate, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
            return;
    }
}

int program_finder_fork(const char *run)
{
    return launcher_fork("gate-programs", run_finder, (void *)run);
}
