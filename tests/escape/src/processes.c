/* Attacks on other processes: PID 1, box-session, whatever /proc shows. */
#include "attack.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int attack_ptrace(char **arguments)
{
    pid_t pid = atoi(arguments[0]);
    if (ptrace(PTRACE_ATTACH, pid, 0, 0) == 0 || ptrace(PTRACE_SEIZE, pid, 0, 0) == 0)
        return succeeded("traces %d", pid);
    return refused(errno, "ptrace");
}

static int attack_signal(char **arguments)
{
    pid_t pid = atoi(arguments[0]);
    return kill(pid, atoi(arguments[1])) == 0 ? succeeded("signalled %d", pid)
                                              : refused(errno, "kill");
}

static int attack_read_memory(char **arguments)
{
    char byte;
    struct iovec here = {&byte, 1};
    struct iovec there = {(void *)strtoul(arguments[1], NULL, 16), 1};
    if (process_vm_readv(atoi(arguments[0]), &here, 1, &there, 1, 0) == 1)
        return succeeded("read memory");
    return refused(errno, "process_vm_readv");
}

static int attack_write_memory(char **arguments)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/mem", arguments[0]);
    int fd = open(path, O_RDWR);
    return fd >= 0 ? succeeded("opened %s", path) : refused(errno, path);
}

/* Steals any descriptor of the first 64. */
static int attack_steal(char **arguments)
{
    int pidfd = (int)syscall(SYS_pidfd_open, atoi(arguments[0]), 0);
    if (pidfd < 0)
        return refused(errno, "pidfd_open");
    int error = 0;
    for (int fd = 0; fd < 64; fd++) {
        if (syscall(SYS_pidfd_getfd, pidfd, fd, 0) >= 0)
            return succeeded("stole descriptor %d", fd);
        if (errno != EBADF)
            error = errno;
    }
    return refused(error ? error : EBADF, "pidfd_getfd");
}

/* A child of ours that can be attacked: every tool above has to work on it. */
static int attack_victim(char **arguments)
{
    (void)arguments;
    static char secret = 's';
    pid_t victim = fork();
    if (victim == 0) {
        pause();
        _exit(0);
    }
    char pid[16], address[32];
    snprintf(pid, sizeof pid, "%d", victim);
    snprintf(address, sizeof address, "%lx", (unsigned long)&secret);
    int wrong = attack_steal((char *[]){pid}) + attack_read_memory((char *[]){pid, address}) +
                attack_write_memory((char *[]){pid}) + attack_ptrace((char *[]){pid}) +
                attack_signal((char *[]){pid, "9"});
    waitpid(victim, NULL, 0);
    return wrong ? BROKEN : succeeded("every tool works on a child");
}

/* Names in DIR of every process: link targets, file openings. Counts what could be followed. */
static int each_process(int (*act)(int dir, const char *pid, const char *name), const char *name)
{
    DIR *proc = opendir("/proc");
    int self = getpid(), hits = 0;
    if (!proc)
        return -1;
    for (struct dirent *entry; (entry = readdir(proc));) {
        int pid = atoi(entry->d_name);
        if (pid <= 0 || pid == self)
            continue;
        hits += act(dirfd(proc), entry->d_name, name);
    }
    closedir(proc);
    return hits;
}

/* /proc/PID/root of another process that is not our own root. */
static int other_root(int dir, const char *pid, const char *name)
{
    char path[64];
    (void)name;
    struct stat ours, theirs;
    snprintf(path, sizeof path, "%s/root", pid);
    if (stat("/", &ours) < 0 || fstatat(dir, path, &theirs, 0) < 0)
        return 0;
    int other = ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
    if (other)
        printf("another root: /proc/%s\n", path);
    return other;
}

static int attack_roots(char **arguments)
{
    (void)arguments;
    int hits = each_process(other_root, NULL);
    return hits > 0 ? succeeded("%d other roots", hits) : refused(EACCES, "no other root");
}

/* Every descriptor of every process, through /proc: any socket, any folder outside? */
static int opens(int dir, const char *pid, const char *name)
{
    char path[64];
    (void)name;
    snprintf(path, sizeof path, "%s/fd", pid);
    int folder = openat(dir, path, O_RDONLY | O_DIRECTORY);
    if (folder < 0)
        return 0;
    DIR *list = fdopendir(folder);
    int hits = 0;
    if (!list) {
        close(folder);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(list));) {
        char target[512];
        ssize_t n = readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1);
        if (n <= 0)
            continue;
        target[n] = '\0';
        if (strstr(target, "socket:") || strstr(target, "signalfd")) {
            printf("/proc/%s/%s is %s\n", path, entry->d_name, target);
            hits++;
        }
    }
    closedir(list);
    return hits;
}

static int attack_descriptors(char **arguments)
{
    (void)arguments;
    int hits = each_process(opens, NULL);
    return hits > 0 ? succeeded("%d sockets in reach", hits) : refused(EACCES, "no socket");
}

const struct attack process_attacks[] = {
    {"ptrace", 1, attack_ptrace},
    {"signal", 2, attack_signal},
    {"read-memory", 2, attack_read_memory},
    {"write-memory", 1, attack_write_memory},
    {"steal", 1, attack_steal},
    {"victim", 0, attack_victim},
    {"roots", 0, attack_roots},
    {"descriptors", 0, attack_descriptors},
    {0},
};
