/* For LD_PRELOAD: a machine on which nft(8) is not installed. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int execve(const char *path, char *const argv[], char *const environment[])
{
    const char *name = strrchr(path, '/');
    if (name && strcmp(name, "/nft") == 0) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_execve, path, argv, environment);
}
