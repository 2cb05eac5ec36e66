#include "session/terminal.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "sys/clock.h"

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

/* Longest wait for each answer (the line may be slow) until ours has come, and then for others. */
#define ANSWER_MS 1000
#define MORE_ANSWERS_MS 100
/* And for all of them: a box may have asked thousands of times. More than a fast box can ask that a
 * terminal does not answer meanwhile; a key that is held down must not go on for ever. */
#define ALL_ANSWERS_MS 30000

int terminal_write(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, data, length);
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

int screen_show(struct screen *self, const char *data, size_t length)
{
    const char *out;
    size_t passed = terminal_filter_run(&self->filter, data, length, &out);
    self->is_writing = 1;
    int written = terminal_write(self->out, out, passed);
    self->is_writing = 0;
    return written;
}

/* Writes the text for the clipboard that the user has granted. */
static void write_copy(struct screen *self)
{
    struct terminal_copy *copy = &self->filter.copy;
    terminal_write(self->out, "\033]", 2);
    terminal_write(self->out, copy->sequence, copy->length);
    terminal_write(self->out, "\033\\", 2);
    terminal_copy_answer(copy, 0);
}

void screen_show_copy(struct screen *self)
{
    if (terminal_copy_state(&self->filter.copy) == COPY_GRANTED &&
        self->filter.state != TERMINAL_PASS)
        write_copy(self);
}

/* Text of ours, after the end of a string that the box has begun. */
static void write_own(struct screen *self, const char *text, size_t length)
{
    const char *end = terminal_filter_interrupt(&self->filter);
    if (terminal_write(self->out, end, strlen(end)) == 0)
        terminal_write(self->out, text, length);
}

/*
 * TRUE when TEXT ends, or has, the answer to a query of the device attributes: ESC [ ? numbers c.
 * SEEN is 0 at first: so much of the answer was at the end of the text before.
 */
static int has_attributes(const char *text, size_t length, int *seen)
{
    static const char begin[] = "\033[?";
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (*seen == 3 && c == 'c')
            return 1;
        if (*seen == 3 && ((c >= '0' && c <= '9') || c == ';'))
            continue;
        *seen = *seen < 3 && c == begin[*seen] ? *seen + 1 : c == begin[0];
    }
    return 0;
}

/*
 * Queries the device attributes and discards everything up to the answer, as terminals answer in
 * order. The box may have sent the same query, so this waits until no more answers come.
 */
static void discard_answers(int in, int out)
{
    static const char query[] = "\033[c";
    char buffer[4096];
    int wait_ms = ANSWER_MS, seen = 0;
    terminal_write(out, query, strlen(query));
    for (int64_t until = clock_ms() + ALL_ANSWERS_MS; clock_ms() < until;) {
        struct pollfd wait = {.fd = in, .events = POLLIN};
        if (poll(&wait, 1, wait_ms) <= 0)
            break;
        ssize_t n = read(in, buffer, sizeof buffer);
        if (n <= 0)
            break;
        if (has_attributes(buffer, (size_t)n, &seen))
            wait_ms = MORE_ANSWERS_MS;
    }
    tcflush(in, TCIFLUSH);
}

void screen_for_question(struct screen *self)
{
    char text[TERMINAL_UNDO_MAX];
    size_t length = terminal_marks_undo_style(&self->filter.marks, text);
    write_own(self, text, length);
    if (length > 0)
        terminal_write(self->out, "\r\n", 2);
}

void screen_stop(struct screen *self)
{
    char text[TERMINAL_UNDO_MAX];
    write_own(self, text, terminal_marks_undo(&self->filter.marks, text));
    self->is_stopped = 1;
}

void screen_continue(struct screen *self)
{
    char text[TERMINAL_UNDO_MAX];
    if (!self->is_stopped)
        return;
    self->is_stopped = 0;
    write_own(self, text, terminal_marks_redo(&self->filter.marks, text));
}

void screen_end(struct screen *self, int in)
{
    char text[TERMINAL_UNDO_MAX];
    write_own(self, text, terminal_marks_undo(&self->filter.marks, text));
    screen_show_copy(self);
    if (self->filter.marks.asked && in >= 0)
        discard_answers(in, self->out);
    self->long_copies = self->filter.copy.too_long;
    terminal_filter_clear(&self->filter);
}

void screen_rescue(struct screen *self)
{
    char text[TERMINAL_UNDO_MAX];
    if (self->is_stopped)
        return;
    if (self->is_writing)
        terminal_write(self->out, "\033\\", 2); /* ends a string, and makes others of no effect */
    write_own(self, text, terminal_marks_undo(&self->filter.marks, text));
}
