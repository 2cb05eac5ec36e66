/*
 * With the echo off nothing may end or stop us but through here: such signals are held back, and
 * waited for together with the terminal. There is no moment at which one of them is neither.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "common/ask.h"
#include "common/ask_terminal.h"

/* Not SIGTTIN and SIGTTOU: they keep us from the terminal when it is another's. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGTSTP};

/* What is ignored, or held back already, stays so. Returns a descriptor that is readable when one
 * of the others has arrived; BEFORE goes to release_signals(). */
static int hold_signals(sigset_t *before)
{
    struct sigaction action;
    sigset_t held;

    sigprocmask(SIG_SETMASK, NULL, before);
    sigemptyset(&held);
    for (gsize i = 0; i < G_N_ELEMENTS(ending); i++) {
        sigaction(ending[i], NULL, &action);
        if (action.sa_handler != SIG_IGN && !sigismember(before, ending[i]))
            sigaddset(&held, ending[i]);
    }
    sigprocmask(SIG_BLOCK, &held, NULL);
    return signalfd(-1, &held, SFD_CLOEXEC);
}

/* What has arrived meanwhile does its work now: it ends us, or stops us for a while. */
static void release_signals(int signals, const sigset_t *before)
{
    if (signals >= 0)
        close(signals);
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* FALSE with EINTR when a signal has arrived. */
static gboolean wait_for(int fd, short what, int signals)
{
    struct pollfd ready[] = {{.fd = fd, .events = what}, {.fd = signals, .events = POLLIN}};

    while (poll(ready, 2, -1) < 0) {
        if (errno != EINTR)
            return FALSE;
    }
    errno = EINTR;
    return !ready[1].revents;
}

/* One line; of one that is too long, the rest is read over. FD does not block. */
static gssize read_line(int fd, int signals, char *buffer, gsize size)
{
    gboolean fits = TRUE;
    gsize used = 0;
    char c = 0;

    while (c != '\n') {
        if (!wait_for(fd, POLLIN, signals))
            return -1;
        ssize_t got = read(fd, &c, 1);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got == 0)
            errno = ENODATA;
        if (got <= 0)
            return -1;
        fits = fits && (used < size || c == '\n');
        if (fits && c != '\n')
            buffer[used++] = c;
    }
    errno = EMSGSIZE;
    return fits ? (gssize)used : -1;
}

static gssize ask_quietly(int fd, int signals, const char *question, char *buffer, gsize size)
{
    struct termios was, quiet;

    if (signals < 0 || tcgetattr(fd, &was) < 0)
        return -1;
    quiet = was;
    quiet.c_lflag = (quiet.c_lflag & ~(tcflag_t)ECHO) | ICANON | ISIG;
    gssize length = tcsetattr(fd, TCSANOW, &quiet);
    /* What was typed before the question was no answer to it. */
    tcflush(fd, TCIFLUSH);
    if (length == 0 && (!wait_for(fd, POLLOUT, signals) || dprintf(fd, "%s", question) < 0))
        length = -1;
    if (length == 0)
        length = read_line(fd, signals, buffer, size);
    int saved = errno;
    tcsetattr(fd, TCSANOW, &was);
    if (poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 0) > 0)
        dprintf(fd, "\n");
    errno = saved;
    return length;
}

gssize ask_hidden(const char *question, char *buffer, gsize size)
{
    gssize length;
    int saved, fd = ask_open_terminal();
    if (fd < 0) {
        errno = ENOTTY;
        return -1;
    }
    /* Another reader of the terminal may be faster than us. */
    fcntl(fd, F_SETFL, O_NONBLOCK);
    do {
        sigset_t before;
        int signals = hold_signals(&before);
        length = ask_quietly(fd, signals, question, buffer, size);
        saved = errno;
        release_signals(signals, &before);
    } while (length < 0 && saved == EINTR);
    close(fd);
    errno = saved;
    return length;
}
