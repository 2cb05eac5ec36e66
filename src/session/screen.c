/* Source: ECMA-48; xterm's "Control Sequences" (ctlseqs). */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "session/terminal.h"

#define ANSWER_WAIT_MS 100

/* Private modes that make a terminal unusable when they are left on; cursor (25) when left off. */
static const struct {
    int number;
    int on;          /* the state that has to be undone: 1 after "h", 0 after "l" */
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

static void end_csi(struct screen *self, char final)
{
    self->parameters[self->length] = '\0';
    if (self->parameters[0] == '?' && (final == 'h' || final == 'l'))
        set_modes(self, final == 'h');
    /* Device attributes, status, mode and window reports, terminal parameters, keyboard flags. */
    else if (strchr("cntpxqu", final))
        self->asked = 1;
}

/* One byte behind an ESC. Returns 0 when the sequence is over. */
static void step(struct screen *self, unsigned char c)
{
    switch (self->state) {
    case ESCAPE:
        self->length = 0;
        self->state = c == '[' ? CSI : GROUND;
        if (c == 'Z') /* DECID */
            self->asked = 1;
        /* DCS, OSC, APC and PM may each ask something: colours, settings, graphics. */
        if (c == 'P' || c == ']' || c == '_' || c == '^') {
            self->state = STRING;
            self->asked |= c == 'P' || c == '_';
        }
        return;
    case STRING: /* ends at BEL, or at the ESC of an ST */
        if (c == '?')
            self->asked = 1;
        if (c == '\a' || c == '\033')
            self->state = c == '\a' ? GROUND : ESCAPE;
        return;
    default:
        if (c >= 0x40 && c <= 0x7e) {
            self->state = GROUND;
            end_csi(self, (char)c);
        } else if (c == '\033') {
            self->state = ESCAPE;
        } else if (self->length + 1 < sizeof self->parameters) {
            self->parameters[self->length++] = (char)c;
        }
        return;
    }
}

void screen_watch(struct screen *self, const char *data, size_t length)
{
    const char *at = data, *end = data + length;
    while (at < end) {
        if (self->state == GROUND) {
            /* ENQ (0x05) asks for the answer-back text itself. */
            const char *escape = memchr(at, '\033', (size_t)(end - at));
            const char *stop = escape ? escape : end;
            if (!self->asked && memchr(at, 5, (size_t)(stop - at)))
                self->asked = 1;
            if (!escape)
                return;
            self->state = ESCAPE;
            at = escape + 1;
        } else {
            step(self, (unsigned char)*at++);
        }
    }
}

static void say(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        return; /* the terminal is gone: nothing to tidy */
}

/* Asks for the device attributes and drops everything up to their end: answers come in order. */
static void swallow_answers(int in, int out)
{
    char buffer[256];
    int last_was_ours = 0;
    say(out, "\033[c");
    for (int rounds = 0; rounds < 64 && !last_was_ours; rounds++) {
        struct pollfd wait = {.fd = in, .events = POLLIN};
        if (poll(&wait, 1, ANSWER_WAIT_MS) <= 0)
            break;
        ssize_t n = read(in, buffer, sizeof buffer);
        if (n <= 0)
            break;
        /* "ESC [ ? … c", and nothing behind it */
        last_was_ours = buffer[n - 1] == 'c' && memchr(buffer, '\033', (size_t)n) != NULL;
    }
    tcflush(in, TCIFLUSH);
}

void screen_settle(struct screen *self, int in, int out)
{
    if (self->state != GROUND)
        say(out, "\033\\"); /* ends a string that was left open */
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (self->modes & 1u << i)
            say(out, modes[i].off);
    }
    if (self->asked)
        swallow_answers(in, out);
    *self = (struct screen){0};
}
