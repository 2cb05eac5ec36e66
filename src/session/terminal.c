#include "session/terminal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
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

/* The sequences below: ECMA-48; xterm's "Control Sequences" (ctlseqs). */

/* Longest wait for the first answer (the line may be slow), and between two. */
#define FIRST_ANSWER_MS 1000
#define ANSWER_WAIT_MS 100

/* Private modes that make a terminal unusable when they are left on; cursor (25) when left off. */
static const struct {
    int number;
    int on;          /* the state to undo: 1 (set by "h") or 0 (set by "l") */
    const char *off; /* what undoes it */
} modes[] = {
    {1, 1, "\033[?1l"},       {9, 1, "\033[?9l"},       {25, 0, "\033[?25h"},
    {47, 1, "\033[?47l"},     {1000, 1, "\033[?1000l"}, {1002, 1, "\033[?1002l"},
    {1003, 1, "\033[?1003l"}, {1004, 1, "\033[?1004l"}, {1005, 1, "\033[?1005l"},
    {1006, 1, "\033[?1006l"}, {1015, 1, "\033[?1015l"}, {1016, 1, "\033[?1016l"},
    {1047, 1, "\033[?1047l"}, {1049, 1, "\033[?1049l"}, {2004, 1, "\033[?2004l"},
    {2026, 1, "\033[?2026l"}, {2031, 1, "\033[?2031l"},
};
_Static_assert(sizeof modes / sizeof *modes < sizeof(unsigned) * 8, "one bit each");

enum { GROUND, ESCAPE, CSI, STRING };
/* Control characters with an effect of their own: request the answer-back text, switch the
 * character set, cancel a sequence. */
enum { ENQ = 5, SHIFT_OUT = 14, CAN = 24, SUB = 26 };

static void set_modes(struct screen *self, int on)
{
    char *at = self->parameters + 1; /* behind the "?" */
    while (*at) {
        char *end;
        long number = strtol(at, &end, 10);
        if (end == at)
            return;
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            if (modes[i].number != number)
                continue;
            if (modes[i].on == on)
                self->modes |= 1u << i;
            else
                self->modes &= ~(1u << i);
        }
        at = *end == ';' ? end + 1 : end;
    }
}

/* 1 when the terminal does not answer: moving, erasing, colours, scrolling. All other sequences
 * count as queries. */
static int is_silent(const struct screen *self, char final)
{
    static const char plain[] = "@ABCDEFGHIJKLMPSTXZ`abdefghilmrsu";
    switch (self->parameters[0]) {
    case '?':
        return strchr("hlsrJK", final) != NULL;
    case '>':
    case '=':
    case '<':
        return 0;
    default:
        if (final == 'q' && !strcmp(self->parameters + strspn(self->parameters, "0123456789"), " "))
            return 1; /* the cursor's shape */
        return strchr(plain, final) && !strpbrk(self->parameters, " !\"#$%&'()*+,-./");
    }
}

static void end_csi(struct screen *self, char final)
{
    self->parameters[self->length] = '\0';
    if (self->parameters[0] == '?' && (final == 'h' || final == 'l'))
        set_modes(self, final == 'h');
    if (!is_silent(self, final))
        self->asked = 1;
}

/* 1 for numbers of OSC that only set something (titles, folders, links, prompt marks). */
static int is_silent_osc(const char *number)
{
    static const char *const known[] = {"0", "1", "2", "7", "8", "9", "133", "633", "777"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strcmp(known[i], number))
            return 1;
    }
    return 0;
}

static void keep(struct screen *self, unsigned char c)
{
    if (self->length + 1 < sizeof self->parameters)
        self->parameters[self->length++] = (char)c;
    else
        self->asked = 1; /* longer than any usual sequence: assume a query */
}

static void step_escape(struct screen *self, unsigned char c)
{
    self->length = 0;
    self->number = 0;
    /* Controls, a second ESC and intermediates do not end the sequence. */
    if (c < 0x30 || c == 0x7f)
        return;
    self->state = c == '[' ? CSI : GROUND;
    if (c == 'Z') /* DECID */
        self->asked = 1;
    if (c == 'P' || c == ']' || c == '_' || c == '^' || c == 'X') {
        self->state = STRING;
        self->number = c == ']';
        self->asked |= c == 'P' || c == '_'; /* settings, graphics */
    }
}

static void step_string(struct screen *self, unsigned char c)
{
    int end = c == '\a' || c == '\033';
    if (self->number && (c == ';' || end)) {
        self->parameters[self->length] = '\0';
        self->asked |= !is_silent_osc(self->parameters);
        self->number = 0;
    } else if (self->number) {
        keep(self, c);
    }
    if (c == '?') /* queries for a colour, or the clipboard */
        self->asked = 1;
    if (end)
        self->state = c == '\a' ? GROUND : ESCAPE;
}

/* One byte after an ESC. */
static void step(struct screen *self, unsigned char c)
{
    if (c == ENQ)
        self->asked = 1;
    if (c == CAN || c == SUB)
        self->state = GROUND;
    else if (self->state == ESCAPE)
        step_escape(self, c);
    else if (self->state == STRING)
        step_string(self, c);
    else if (c == '\033')
        self->state = ESCAPE;
    else if (c >= 0x40 && c <= 0x7e) {
        self->state = GROUND;
        end_csi(self, (char)c);
    } else if (c >= 0x20 && c != 0x7f) {
        keep(self, c);
    }
}

/* 1 when plain text contains a query of one byte, or may begin one without ESC. */
static int holds_control(const struct screen *self, const unsigned char *at,
                         const unsigned char *end)
{
    unsigned char last = self->last;
    for (; at < end; last = *at++) {
        /* C1 controls (CSI is 0x9b), as single bytes or in UTF-8. */
        if (*at == ENQ || *at == SHIFT_OUT ||
            (*at >= 0x80 && *at <= 0x9f && (last < 0x80 || last == 0xc2)))
            return 1;
    }
    return 0;
}

void screen_watch(struct screen *self, const char *data, size_t length)
{
    const char *at = data, *end = data + length;
    while (at < end) {
        if (self->state != GROUND) {
            step(self, (unsigned char)*at);
            self->last = (unsigned char)*at++;
            continue;
        }
        const char *escape = memchr(at, '\033', (size_t)(end - at));
        const char *stop = escape ? escape : end;
        if (!self->asked && holds_control(self, (const void *)at, (const void *)stop))
            self->asked = self->touched = 1;
        if (stop > at)
            self->last = (unsigned char)stop[-1];
        if (!escape)
            return;
        self->state = ESCAPE;
        self->touched = 1;
        at = escape + 1;
    }
}

static void write_text(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        return; /* the terminal is gone */
}

/*
 * Queries the device attributes and discards everything up to the answer, as terminals answer in
 * order. The box may have sent the same query, so this waits until no more answers come.
 */
static void discard_answers(int in, int out)
{
    char buffer[256];
    int wait_ms = FIRST_ANSWER_MS;
    write_text(out, "\033[c");
    for (int rounds = 0; rounds < 256; rounds++) {
        struct pollfd wait = {.fd = in, .events = POLLIN};
        if (poll(&wait, 1, wait_ms) <= 0)
            break;
        ssize_t n = read(in, buffer, sizeof buffer);
        if (n <= 0)
            break;
        wait_ms = ANSWER_WAIT_MS;
    }
    tcflush(in, TCIFLUSH);
}

/* Ends an open sequence; resets colours, concealed text, margins and character sets. */
static const char plain_text[] = "\033\\\033[!p\033[0m\033(B\017";

void screen_for_question(const struct screen *self, int out)
{
    if (self->touched) {
        write_text(out, plain_text);
        write_text(out, "\r\n");
    }
}

void screen_reset(struct screen *self, int in, int out)
{
    if (self->touched)
        write_text(out, plain_text);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (self->modes & 1u << i)
            write_text(out, modes[i].off);
    }
    if (self->asked)
        discard_answers(in, out);
    *self = (struct screen){0};
}
