/*
 * lock-holder FILE: prints the process that FILE names, when somebody holds its lock
 * (host/supervisor/helper_lock.h); else nothing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;
    int pid;
    if (!file)
        return argc != 2;
    if (fcntl(fileno(file), F_OFD_GETLK, &lock) < 0)
        return 1;
    if (lock.l_type != F_UNLCK && fscanf(file, "%d", &pid) == 1)
        printf("%d\n", pid);
    return 0;
}
