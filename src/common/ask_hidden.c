#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/ask.h"
#include "common/ask_terminal.h"

/* What would end or stop us with the echo off. */
static const int caught[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
                             SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU};
#define CAUGHT G_N_ELEMENTS(caught)

static volatile sig_atomic_t arrived;

static void note(int number)
{
    arrived = number;
}

/* Without SA_RESTART, so that the read ends. A signal that is ignored stays so. */
static void catch_signals(struct sigaction before[CAUGHT])
{
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (gsize i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
}

static void release_signals(const struct sigaction before[CAUGHT])
{
    for (gsize i = 0; i < CAUGHT; i++)
        sigaction(caught[i], &before[i], NULL);
}

/* One line; of one that is too long, the rest is read over. */
static gssize read_line(int fd, char *buffer, gsize size)
{
    gboolean fits = TRUE;
    gsize used = 0;
    char c = 0;

    while (!arrived) {
        ssize_t got = read(fd, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = ENODATA;
        if (got <= 0)
            return -1;
        if (c == '\n')
            break;
        fits = fits && used < size;
        if (fits)
            buffer[used++] = c;
    }
    c = 0;
    explicit_bzero(&c, sizeof c);
    errno = arrived ? EINTR : EMSGSIZE;
    return fits && !arrived ? (gssize)used : -1;
}

static gssize ask_once(int fd, const char *question, char *buffer, gsize size)
{
    struct sigaction before[CAUGHT];
    struct termios was, quiet;

    if (tcgetattr(fd, &was) < 0)
        return -1;
    quiet = was;
    quiet.c_lflag = (quiet.c_lflag & ~(tcflag_t)ECHO) | ICANON | ISIG;
    arrived = 0;
    catch_signals(before);
    /* TCSAFLUSH: what was typed before the question was no answer to it. */
    gssize length = tcsetattr(fd, TCSAFLUSH, &quiet);
    if (length == 0 && dprintf(fd, "%s", question) >= 0)
        length = read_line(fd, buffer, size);
    int saved = errno;
    tcsetattr(fd, TCSANOW, &was);
    dprintf(fd, "\n");
    release_signals(before);
    errno = saved;
    return length;
}

gssize ask_hidden(const char *question, char *buffer, gsize size)
{
    gssize length;
    int fd = ask_open_terminal();
    if (fd < 0) {
        errno = ENOTTY;
        return -1;
    }
    do {
        length = ask_once(fd, question, buffer, size);
        int saved = errno;
        if (arrived)
            raise(arrived);
        errno = saved;
    } while (length < 0 && errno == EINTR);
    int saved = errno;
    close(fd);
    errno = saved;
    return length;
}
