#include "session/terminal.h"

#include <errno.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static int raw_fd = -1;
static int is_raw;

static int set_raw(void)
{
    struct termios raw = before;
    cfmakeraw(&raw);
    return tcsetattr(raw_fd, TCSADRAIN, &raw);
}

int terminal_raw(int fd)
{
    if (tcgetattr(fd, &before) < 0)
        return -1;
    raw_fd = fd;
    if (set_raw() < 0)
        return -1;
    is_raw = 1;
    return 0;
}

void terminal_restore(void)
{
    if (!is_raw)
        return;
    is_raw = 0;
    while (tcsetattr(raw_fd, TCSADRAIN, &before) < 0 && errno == EINTR)
        ;
}

void terminal_resume(void)
{
    if (raw_fd >= 0 && !is_raw && set_raw() == 0)
        is_raw = 1;
}

struct winsize terminal_size(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    return size;
}
