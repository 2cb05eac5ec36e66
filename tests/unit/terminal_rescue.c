/* The rescue of a terminal whose client is killed: what it writes, and which mode it leaves. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "session/terminal_rescue.h"

#define HUGE_LENGTH 10000000

static int master, slave;

static void show(struct screen *screen, const char *text)
{
    screen_show(screen, text, strlen(text));
}

static void run_client(void (*what)(struct screen *, struct terminal_rescue *))
{
    struct terminal_rescue rescue = {0};
    struct screen *screen = terminal_rescue_screens(1);
    dup2(slave, STDIN_FILENO);
    dup2(slave, STDOUT_FILENO);
    close(slave);
    *screen = (struct screen){.out = STDOUT_FILENO, .filter.allowed = TERMINAL_ALL};
    terminal_rescue_begin(&rescue, screen, 1);
    terminal_raw(STDIN_FILENO);
    what(screen, &rescue);
    raise(SIGKILL);
}

/* Starts a client that does WHAT on a terminal, and is killed. */
static pid_t start_client(void (*what)(struct screen *, struct terminal_rescue *))
{
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    g_assert_cmpint(grantpt(master), ==, 0);
    g_assert_cmpint(unlockpt(master), ==, 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    g_assert_cmpint(slave, >=, 0);
    pid_t pid = fork();
    g_assert_cmpint(pid, >=, 0);
    if (pid == 0)
        run_client(what);
    return pid;
}

/* All ends; the rescue's new parent is this process. */
static void await_ends(void)
{
    while (waitpid(-1, NULL, 0) > 0)
        ;
    g_assert_cmpint(errno, ==, ECHILD);
}

/* All that the terminal shows until nobody has it open any more. */
static GString *shown_until_end(void)
{
    GString *shown = g_string_new(NULL);
    char data[65536];
    gssize n;
    close(slave);
    while ((n = read(master, data, sizeof data)) > 0)
        g_string_append_len(shown, data, n);
    await_ends();
    close(master);
    return shown;
}

static void shows(void (*what)(struct screen *, struct terminal_rescue *), const char *wanted)
{
    start_client(what);
    g_autofree char *shown = g_string_free(shown_until_end(), FALSE);
    g_assert_cmpstr(shown, ==, wanted);
}

static void switches(struct screen *screen, struct terminal_rescue *rescue)
{
    (void)rescue;
    show(screen, "\033[?1049h\033[31mred");
}

static void begins_title(struct screen *screen, struct terminal_rescue *rescue)
{
    switches(screen, rescue);
    show(screen, "\033]0;half");
}

static void ends(struct screen *screen, struct terminal_rescue *rescue)
{
    switches(screen, rescue);
    screen_end(screen, -1);
    terminal_restore();
    terminal_rescue_end(rescue);
    show(screen, "the host's");
}

static void stops(struct screen *screen, struct terminal_rescue *rescue)
{
    switches(screen, rescue);
    screen_stop(screen);
}

static void undoes_what_is_switched(void)
{
    shows(switches, "\033[?1049h\033[31mred\033[?1049l\033[0m");
    shows(begins_title, "\033[?1049h\033[31mred\033]0;half\033\\\033[?1049l\033[0m");
}

static void undoes_nothing_twice(void)
{
    shows(stops, "\033[?1049h\033[31mred\033[?1049l\033[0m");
    shows(ends, "\033[?1049h\033[31mred\033[?1049l\033[0mthe host's");
}

static void writes_long_title(struct screen *screen, struct terminal_rescue *rescue)
{
    g_autofree char *title = g_strnfill(HUGE_LENGTH, 't');
    (void)rescue;
    memcpy(title, "\033]0;", 4);
    title[HUGE_LENGTH - 1] = '\a';
    show(screen, title);
}

/* The filter has seen the title's end, and the terminal has not. */
static void ends_what_was_written_in_part(void)
{
    char begin[1000];
    pid_t client = start_client(writes_long_title);
    g_assert_cmpint(read(master, begin, sizeof begin), >, 0);
    kill(client, SIGKILL);
    GString *shown = shown_until_end();
    g_assert_cmpuint(shown->len, <, HUGE_LENGTH - 1000);
    g_assert_true(g_str_has_suffix(shown->str, "t\033\\"));
    g_string_free(shown, TRUE);
}

static void does_nothing(struct screen *screen, struct terminal_rescue *rescue)
{
    (void)screen;
    (void)rescue;
}

/* As a shell that reads a line. */
static void sets_mode_of_shell(struct screen *screen, struct terminal_rescue *rescue)
{
    struct termios mode;
    does_nothing(screen, rescue);
    tcgetattr(STDIN_FILENO, &mode);
    mode.c_lflag |= ISIG;
    mode.c_oflag |= OPOST;
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

static tcflag_t flags_after(void (*what)(struct screen *, struct terminal_rescue *))
{
    struct termios mode;
    start_client(what);
    await_ends();
    g_assert_cmpint(tcgetattr(slave, &mode), ==, 0);
    close(slave);
    close(master);
    return mode.c_lflag & (ICANON | ECHO | ISIG);
}

static void ends_raw_mode_alone(void)
{
    g_assert_cmpuint(flags_after(does_nothing), ==, ICANON | ECHO | ISIG);
    g_assert_cmpuint(flags_after(sets_mode_of_shell), ==, ISIG);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(prctl(PR_SET_CHILD_SUBREAPER, 1), ==, 0);
    g_test_add_func("/terminal-rescue/undoes-what-is-switched", undoes_what_is_switched);
    g_test_add_func("/terminal-rescue/undoes-nothing-twice", undoes_nothing_twice);
    g_test_add_func("/terminal-rescue/ends-what-was-written-in-part",
                    ends_what_was_written_in_part);
    g_test_add_func("/terminal-rescue/ends-raw-mode-alone", ends_raw_mode_alone);
    return g_test_run();
}
