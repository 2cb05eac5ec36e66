/*
 * on-terminal [--size ROWSxCOLUMNS] [--after TEXT] [--send TEXT | --answer QUESTION TEXT]… COMMAND…
 *
 * Runs COMMAND on a pseudo terminal of 24 x 80 and prints what it shows.
 *   --after: types nothing before TEXT is shown.
 *   --send: types TEXTs in order, each when the terminal has been quiet for a quarter of a second:
 * enough for a shell, which reads in order.
 *   --answer: types TEXT as soon as QUESTION is shown, for what must not come early: a signal, an
 * answer, a key of a program on the whole screen. TEXTs to type have C's escapes \n \r \t \\ \xHH.
 *
 * Ends with the command's status (256 less the signal that killed it), or with 124 when it did not
 * end: a minute without output, or ten minutes in all, as a program with a clock is never silent.
 */
#include <err.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS 250
#define SILENT_LIMIT 60
#define LIMIT 600
#define TYPED_MAX 64

/* What is typed, when QUESTION (NULL: nothing for QUIET_MS) has been shown since the last one. */
struct typed {
    const char *question;
    char *text;
    size_t length;
};

static struct {
    struct winsize size;
    const char *after;
    struct typed typed[TYPED_MAX];
    int typed_count;
    char **command;
} given = {.size = {.ws_row = 24, .ws_col = 80}};

/* What the terminal has shown; ASKED is where the part behind the last answer begins. */
static struct {
    char *data;
    size_t size, room, asked;
} shown;

/* Writes over TEXT what it stands for; its new length. */
static size_t unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        unsigned value;
        int used;
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from == 'x' && sscanf(from + 1, "%2x%n", &value, &used) == 1) {
            *to++ = (char)value;
            from += used;
        } else if (*from && strchr("nrt\\", *from)) {
            *to++ = "\n\r\t\\"[strchr("nrt\\", *from) - "nrt\\"];
        } else {
            errx(2, "no such escape: \\%s", from);
        }
    }
    return (size_t)(to - text);
}

static void parse(char **argv)
{
    for (argv++; *argv && strncmp(*argv, "--", 2) == 0; argv++) {
        const char *name = *argv, *question = NULL;
        if (strcmp(name, "--answer") == 0)
            question = *++argv;
        char *value = *argv ? *++argv : NULL;
        if (!value)
            errx(2, "%s: a value is missing", name);
        if (strcmp(name, "--size") == 0) {
            if (sscanf(value, "%hux%hu", &given.size.ws_row, &given.size.ws_col) != 2)
                errx(2, "--size: no ROWSxCOLUMNS");
        } else if (strcmp(name, "--after") == 0) {
            given.after = value;
        } else if (strcmp(name, "--send") != 0 && !question) {
            errx(2, "no such option: %s", name);
        } else if (given.typed_count == TYPED_MAX) {
            errx(2, "more than %d texts", TYPED_MAX);
        } else {
            size_t length = unescape(value);
            given.typed[given.typed_count++] = (struct typed){question, value, length};
        }
    }
    given.command = argv;
    if (!*argv)
        errx(2, "no command");
}

static void write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, data, size);
        if (written < 0)
            return; /* nobody reads */
        data += written;
        size -= (size_t)written;
    }
}

/* FALSE when the terminal has ended. */
static int take_output(int terminal)
{
    if (shown.room - shown.size < 65536)
        shown.data = realloc(shown.data, shown.room += 1 << 20);
    if (!shown.data)
        err(125, "output");
    ssize_t got = read(terminal, shown.data + shown.size, 65536);
    if (got <= 0)
        return 0;
    write_all(STDOUT_FILENO, shown.data + shown.size, (size_t)got);
    shown.size += (size_t)got;
    return 1;
}

static int has(size_t from, const char *text)
{
    return shown.data && memmem(shown.data + from, shown.size - from, text, strlen(text)) != NULL;
}

static time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Types what is due. QUIET: nothing was shown for QUIET_MS. */
static void type_next(int terminal, int quiet)
{
    static int next;
    if (next == given.typed_count || (given.after && !has(0, given.after)))
        return;
    const struct typed *typed = &given.typed[next];
    if (typed->question ? !has(shown.asked, typed->question) : !quiet)
        return;
    write_all(terminal, typed->text, typed->length);
    shown.asked = shown.size;
    next++;
}

/* FALSE when the command did not end in time. */
static int show(int terminal)
{
    time_t begun = seconds(), heard = begun;
    while (seconds() < begun + LIMIT && seconds() < heard + SILENT_LIMIT) {
        struct pollfd wait = {.fd = terminal, .events = POLLIN};
        int ready = poll(&wait, 1, QUIET_MS);
        if (ready > 0 && !take_output(terminal))
            return 1;
        if (ready > 0)
            heard = seconds();
        type_next(terminal, ready == 0);
    }
    return 0;
}

/* FALSE when the command has closed its terminal, and goes on without it. */
static int ends(pid_t pid)
{
    struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    return poll(&wait, 1, SILENT_LIMIT * 1000) == 1;
}

int main(int argc, char **argv)
{
    int terminal, status;
    (void)argc;
    parse(argv);
    pid_t pid = forkpty(&terminal, NULL, NULL, &given.size);
    if (pid < 0)
        err(125, "forkpty");
    if (pid == 0) {
        execvp(*given.command, given.command);
        err(127, "%s", *given.command);
    }
    int done = show(terminal);
    if (done)
        close(terminal);
    if (!done || !ends(pid)) {
        warnx("%s did not end", *given.command);
        kill(pid, SIGKILL);
        return 124;
    }
    if (waitpid(pid, &status, 0) < 0)
        err(125, "wait");
    return WIFSIGNALED(status) ? 256 - WTERMSIG(status) : WEXITSTATUS(status);
}
