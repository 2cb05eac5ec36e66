#include "session/terminal_rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#include "sys/descriptors.h"

struct screen *terminal_rescue_screens(size_t count)
{
    void *screens = mmap(NULL, count * sizeof(struct screen), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return screens == MAP_FAILED ? NULL : screens;
}

void terminal_rescue_free(struct screen *screens, size_t count)
{
    if (screens)
        munmap(screens, count * sizeof *screens);
}

/* Nothing is written to this line: it ends with the last process that has its other end. */
static void await_end(int line)
{
    char byte;
    while (read(line, &byte, 1) < 0 && errno == EINTR)
        ;
}

/* Ends raw mode, unless the user's shell has set its own mode by now. */
static void restore_mode(int fd, const struct termios *before)
{
    struct termios now, raw = *before;
    cfmakeraw(&raw);
    if (tcgetattr(fd, &now) == 0 && now.c_iflag == raw.c_iflag && now.c_oflag == raw.c_oflag &&
        now.c_lflag == raw.c_lflag)
        tcsetattr(fd, TCSANOW, before);
}

/* In the process of its own. After an usual end nothing is left to undo. */
static void rescue(int line, struct screen *screens, int n_screens, const struct termios *before)
{
    int keep[] = {line, before ? STDIN_FILENO : -1, -1, -1};
    for (int i = 0; i < n_screens; i++)
        keep[2 + i] = screens[i].out;
    descriptors_keep(keep, sizeof keep / sizeof *keep);
    prctl(PR_SET_NAME, "box-terminal");
    await_end(line);
    for (int i = 0; i < n_screens; i++)
        screen_rescue(&screens[i]);
    if (before)
        restore_mode(STDIN_FILENO, before);
}

void terminal_rescue_begin(struct terminal_rescue *self, struct screen *screens, int n_screens)
{
    int ends[2];
    struct termios before;
    int has_mode = tcgetattr(STDIN_FILENO, &before) == 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        /* Signals for the terminal's processes, ^C and hang-ups, do not reach another session; and
         * it may write to the terminal while the shell has it. */
        setsid();
        rescue(ends[0], screens, n_screens, has_mode ? &before : NULL);
        _exit(0);
    }
    close(ends[0]);
    if (pid < 0)
        close(ends[1]);
    else
        *self = (struct terminal_rescue){pid, ends[1]};
}

void terminal_rescue_end(struct terminal_rescue *self)
{
    if (!self->pid)
        return;
    /* Not by the line's end, for which it would have to run once more, and be waited for: should it
     * look at the terminal later, that may have the mode of another program. */
    kill(self->pid, SIGKILL);
    close(self->line);
    *self = (struct terminal_rescue){0};
}
