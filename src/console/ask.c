#include "console/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "common/interrupt.h"

/* /dev/tty when this process is in its foreground; else -1. */
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

static const int ending_numbers[] = {SIGINT, SIGTERM, SIGHUP};

/* Those that a handler only notes (common/interrupt.h) are blocked, as a session's client does. */
static void block_handled(sigset_t *before)
{
    struct sigaction action;
    sigset_t handled;
    sigemptyset(&handled);
    for (gsize i = 0; i < G_N_ELEMENTS(ending_numbers); i++) {
        sigaction(ending_numbers[i], NULL, &action);
        if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
            sigaddset(&handled, ending_numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &handled, before);
}

/*
 * A session's client blocks signals to pass them on to the session. The Ctrl-C that answers a
 * question must not reach the session, so it is taken here. SIGTERM and SIGHUP are a no as well,
 * and stay pending for the client. Signals that are not blocked end the process as usual.
 */
static gboolean wait_for_answer(int fd)
{
    sigset_t ending, interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigemptyset(&ending);
    for (gsize i = 0; i < G_N_ELEMENTS(ending_numbers); i++)
        sigaddset(&ending, ending_numbers[i]);
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

/* Prints PROMPT on TERMINAL and reads the line that answers it. FALSE: there is none. */
static gboolean ask_on(FILE *terminal, const char *prompt, char *answer, int size)
{
    /* Keys that were typed before the question appeared do not answer it. */
    tcflush(fileno(terminal), TCIFLUSH);
    fprintf(terminal, "%s ", prompt);
    fflush(terminal);
    gboolean waited = wait_for_answer(fileno(terminal));
    gboolean got = waited && fgets(answer, size, terminal) != NULL;
    if (!waited)
        fputc('\n', terminal);
    return got;
}

/* The line that answers PROMPT, without blanks around it. FALSE: there is none. */
static gboolean ask_line(const char *prompt, char *answer, int size)
{
    sigset_t before;
    int fd = open_terminal();
    FILE *terminal = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (!terminal)
        return FALSE;
    block_handled(&before);
    /* One that has just been noted is an answer, too. */
    gboolean got = interrupt_check(NULL) && ask_on(terminal, prompt, answer, size);
    sigprocmask(SIG_SETMASK, &before, NULL);
    fclose(terminal);
    if (got)
        g_strstrip(answer);
    return got;
}

gboolean ask_yes(const char *question)
{
    char answer[16];
    g_autofree char *prompt = g_strconcat(question, " [y/N]", NULL);
    return ask_line(prompt, answer, sizeof answer) &&
           (g_ascii_strcasecmp(answer, "y") == 0 || g_ascii_strcasecmp(answer, "yes") == 0);
}

char ask_letter(const char *question)
{
    char answer[16];
    if (!ask_line(question, answer, sizeof answer))
        return 0;
    return *answer && !answer[1] ? g_ascii_tolower(*answer) : ' ';
}

/*
 * While the echo is off, these signals must not end or stop the process before the terminal is
 * restored: they are blocked, and a signalfd is polled together with the terminal. SIGTTIN and
 * SIGTTOU are not among them: they keep a background process from the terminal.
 */
static const int held_back[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGTSTP};

/* Signals that are ignored or blocked already stay so. Returns a signalfd of the others; *BEFORE
 * is for unblock_signals(). */
static int block_signals(sigset_t *before)
{
    struct sigaction action;
    sigset_t held;

    sigprocmask(SIG_SETMASK, NULL, before);
    sigemptyset(&held);
    for (gsize i = 0; i < G_N_ELEMENTS(held_back); i++) {
        sigaction(held_back[i], NULL, &action);
        if (action.sa_handler != SIG_IGN && !sigismember(before, held_back[i]))
            sigaddset(&held, held_back[i]);
    }
    sigprocmask(SIG_BLOCK, &held, NULL);
    return signalfd(-1, &held, SFD_CLOEXEC);
}

/* A signal that has arrived meanwhile takes effect now: it ends or stops the process. */
static void unblock_signals(int signals, const sigset_t *before)
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

/* Reads one line; the rest of one that is too long is discarded. FD does not block. */
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

static gssize ask_without_echo(int fd, int signals, const char *question, char *buffer, gsize size)
{
    struct termios old, quiet;

    if (signals < 0 || tcgetattr(fd, &old) < 0)
        return -1;
    quiet = old;
    quiet.c_lflag = (quiet.c_lflag & ~(tcflag_t)ECHO) | ICANON | ISIG;
    gssize length = tcsetattr(fd, TCSANOW, &quiet);
    /* Keys that were typed before the question appeared do not answer it. */
    tcflush(fd, TCIFLUSH);
    if (length == 0 && (!wait_for(fd, POLLOUT, signals) || dprintf(fd, "%s", question) < 0))
        length = -1;
    if (length == 0)
        length = read_line(fd, signals, buffer, size);
    int saved = errno;
    tcsetattr(fd, TCSANOW, &old);
    if (poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 0) > 0)
        dprintf(fd, "\n");
    errno = saved;
    return length;
}

gssize ask_hidden(const char *question, char *buffer, gsize size)
{
    gssize length;
    int saved, fd = open_terminal();
    if (fd < 0) {
        errno = ENOTTY;
        return -1;
    }
    /* Another reader of the terminal may take the bytes between poll() and read(). */
    fcntl(fd, F_SETFL, O_NONBLOCK);
    do {
        sigset_t before;
        int signals = block_signals(&before);
        length = ask_without_echo(fd, signals, question, buffer, size);
        saved = errno;
        unblock_signals(signals, &before);
    } while (length < 0 && saved == EINTR);
    close(fd);
    errno = saved;
    return length;
}
