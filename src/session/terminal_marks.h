/*
 * What a session's output has switched in the user's terminal, and the text that undoes it. libc
 * only.
 *
 * Source of the sequences: ECMA-48; xterm's "Control Sequences" (ctlseqs); kitty's keyboard
 * protocol.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Bits of LEFT, each set while something is not as at rest. */
enum {
    MARK_STYLE = 1 << 0,    /* colours, concealed text … of characters (SGR) */
    MARK_CHARSET = 1 << 1,  /* other alphabets */
    MARK_KEYPAD = 1 << 2,   /* application keypad */
    MARK_CURSOR = 1 << 3,   /* the cursor's shape */
    MARK_MARGINS = 1 << 4,  /* scrolling is limited to a part of the screen */
    MARK_TABS = 1 << 5,     /* tab stops */
    MARK_LINK = 1 << 6,     /* a link is open: all that follows would belong to it */
    MARK_PROTECT = 1 << 7,  /* characters that cannot be erased */
    MARK_PALETTE = 1 << 8,  /* OSC 4 */
    MARK_SPECIALS = 1 << 9, /* OSC 5 */
};

/* Colours by the number of their OSC. */
#define COLOUR_FIRST 10
#define COLOUR_LAST 19
/* Resources of XTMODKEYS: 0 to 7. */
#define MODIFY_KEYS 8
/* More pushes of key modes are dropped: the terminal's stack would lose the user's own. */
#define KEY_MODES_MAX 8

struct terminal_marks {
    uint64_t modes;    /* that are not as at rest: bits by index in the table of modes */
    unsigned left;     /* MARK_… */
    unsigned colours;  /* bits from COLOUR_FIRST on */
    unsigned modified; /* bits of resources of XTMODKEYS */
    int asked;         /* the terminal may be going to answer a query */
    struct {
        unsigned pushed; /* key modes of kitty's protocol that can be popped */
        int set;         /* the lowest of them was changed */
    } keys[2];           /* of the usual and the alternate screen */
};

/*
 * The index of the mode NUMBER, PRIVATE ("?") or not, for terminal_marks_mode(); -1 for a mode that
 * boxes may not switch.
 */
int terminal_mode_find(int is_private, unsigned number);
void terminal_marks_mode(struct terminal_marks *self, int index, int on);
/* A style (SGR) with these parameters. */
void terminal_marks_style(struct terminal_marks *self, const char *parameters, size_t length);
/* A mode was restored that the terminal had saved: nobody knows its state. */
void terminal_marks_unknown(struct terminal_marks *self, int index);
/* The screen that is shown, as index of keys[]. */
int terminal_marks_screen(const struct terminal_marks *self);

/* Longest text that the functions below write. */
#define TERMINAL_UNDO_MAX 2048

/* Writes to OUT what undoes all of SELF. Returns its length; 0: nothing was switched. */
size_t terminal_marks_undo(const struct terminal_marks *self, char out[TERMINAL_UNDO_MAX]);
/* The part of it without which a question of the host may not be legible. */
size_t terminal_marks_undo_style(const struct terminal_marks *self, char out[TERMINAL_UNDO_MAX]);
/* Switches the modes of SELF again, after terminal_marks_undo(). */
size_t terminal_marks_redo(const struct terminal_marks *self, char out[TERMINAL_UNDO_MAX]);
