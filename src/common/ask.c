#include "common/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "common/ask_terminal.h"

int ask_open_terminal(void)
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
    int fd = ask_open_terminal();
    if (fd < 0)
        return FALSE;
    close(fd);
    return TRUE;
}

/*
 * Whoever holds signals back to hand them on (a session's client) must not do so with the Ctrl-C
 * that answers a question: it is a no, and is used up by it. What asks us to end is a no, too, and
 * stays pending. Where signals are not held back they end us as ever.
 */
static gboolean wait_for_answer(int fd)
{
    sigset_t ending, interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    ending = interrupt;
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    int signals = signalfd(-1, &ending, SFD_CLOEXEC);
    struct pollfd ready[] = {{.fd = fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    while (poll(ready, 2, -1) < 0 && errno == EINTR)
        continue;
    if (signals >= 0)
        close(signals);
    if (!ready[1].revents)
        return TRUE;
    sigtimedwait(&interrupt, NULL, &(struct timespec){0});
    return FALSE;
}

gboolean ask_yes(const char *question)
{
    char answer[16];
    int fd = ask_open_terminal();
    FILE *terminal = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (!terminal)
        return FALSE;
    /* What was typed before the question was no answer to it. */
    tcflush(fd, TCIFLUSH);
    fprintf(terminal, "%s [y/N] ", question);
    fflush(terminal);
    gboolean waited = wait_for_answer(fd);
    gboolean got = waited && fgets(answer, sizeof answer, terminal) != NULL;
    if (!waited)
        fputc('\n', terminal);
    fclose(terminal);
    if (!got)
        return FALSE;
    g_strstrip(answer);
    return g_ascii_strcasecmp(answer, "y") == 0 || g_ascii_strcasecmp(answer, "yes") == 0;
}
