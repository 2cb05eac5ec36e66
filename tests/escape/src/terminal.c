/* Attacks on terminals: typing into them for whoever reads next. */
#include "attack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* attack type FD: TIOCSTI, by each ABI, and with bits that the kernel does not look at. */
static int attack_type(char **arguments)
{
    int fd = atoi(arguments[0]);
    static const unsigned long requests[] = {TIOCSTI, 0x100000000ul | TIOCSTI};
    int error = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (syscall(SYS_ioctl, fd, requests[i], "x") == 0)
            return succeeded("typed");
        error = errno;
        if (error != EPERM)
            return succeeded("TIOCSTI reached the kernel: %s", strerrorname_np(error));
    }
    long result = call_by_compat(54, fd, TIOCSTI, 16);
    if (result != -EPERM && result != -ENOSYS)
        return succeeded("TIOCSTI reached the kernel by compat: %ld", result);
    return refused(error, "TIOCSTI");
}

/* attack paste FD: TIOCLINUX, the console's own way to type. */
static int attack_paste(char **arguments)
{
    char paste[] = {3};
    int fd = atoi(arguments[0]);
    if (syscall(SYS_ioctl, fd, TIOCLINUX, paste) == 0)
        return succeeded("pasted");
    return errno == EPERM ? refused(errno, "TIOCLINUX")
                          : succeeded("TIOCLINUX reached the kernel: %s", strerrorname_np(errno));
}

/* attack terminal-here: an ordinary ioctl works on stdin. A control. */
static int attack_here(char **arguments)
{
    (void)arguments;
    struct winsize size;
    return ioctl(0, TIOCGWINSZ, &size) == 0 ? succeeded("a terminal") : refused(errno, "none");
}

const struct attack terminal_attacks[] = {
    {"type", 1, attack_type},
    {"paste", 1, attack_paste},
    {"terminal-here", 0, attack_here},
    {0},
};
