#include "common/ask.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static int open_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && tcgetpgrp(fd) != getpgrp()) {
        close(fd);
        return -1;
    }
    return fd;
}

gboolean ask_can(void)
{
    int fd = open_terminal();
    if (fd < 0)
        return FALSE;
    close(fd);
    return TRUE;
}

gboolean ask_yes(const char *question)
{
    char answer[16];
    int fd = open_terminal();
    FILE *terminal = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (!terminal)
        return FALSE;
    /* What was typed before the question was no answer to it. */
    tcflush(fd, TCIFLUSH);
    fprintf(terminal, "%s [y/N] ", question);
    fflush(terminal);
    gboolean got = fgets(answer, sizeof answer, terminal) != NULL;
    fclose(terminal);
    if (!got)
        return FALSE;
    g_strstrip(answer);
    return g_ascii_strcasecmp(answer, "y") == 0 || g_ascii_strcasecmp(answer, "yes") == 0;
}
