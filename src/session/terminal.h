/* The user's terminal: raw while a session has it, as it was afterwards. libc only. */
#pragma once

#include <stddef.h>
#include <sys/ioctl.h>

/* Puts the terminal FD into raw mode and remembers how it was. 0, or -1 with errno. */
int terminal_raw(int fd);
/* Puts it back as it was; harmless when it is not raw. */
void terminal_restore(void);
/* Raw again after a terminal_restore (a stop, a question). */
void terminal_resume(void);

/* 24 x 80 when FD is no terminal or does not know. */
struct winsize terminal_size(int fd);

/*
 * Reads what passed over the terminal to find what a session left behind: modes that are still on
 * (alternate screen, mouse, paste, hidden cursor …) and questions to the terminal whose answers
 * would arrive as typed text at the user's shell ("answer-back": a box that prints ESC [ 21 t or a
 * DECRQSS as its last words could type a command into the host's shell).
 */
struct screen {
    unsigned modes; /* bits of the table in screen.c that are on */
    int asked;      /* an answer may be under way */
    int touched;    /* some sequence was seen: colours and such may be left */
    int number;     /* inside an OSC, before its first ";" */
    unsigned char state, last;
    char parameters[32];
    size_t length;
};
void screen_watch(struct screen *self, const char *data, size_t length);

/* Before the host itself asks something on OUT: the box must not have hidden what it will say. */
void screen_for_question(const struct screen *self, int out);

/*
 * Turns off on FD what SELF found on, and swallows answers that are still to come (waits a
 * second at most, and only when something was asked). The terminal must still be raw.
 */
void screen_reset(struct screen *self, int in, int out);
