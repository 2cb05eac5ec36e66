#include "session/terminal_marks.h"

#include <stdarg.h>
#include <stdio.h>

/* A mode whose state is of no concern after the session. */
#define ANY 2

/*
 * The modes that boxes may switch. Not among them: those after which the terminal reads another
 * language or is of no use (?2 VT52, ?38 Tektronix, 2 locked keyboard), that write files or print
 * (?46, ?18), read the clipboard (?5522), change its size (?3, ?40), change for ever how keys are
 * sent (?67, ?1034 to ?1061, ?9001), or wait for the program (?1001).
 */
static const struct {
    int is_private;
    unsigned number;
    int rest; /* the state at rest, or ANY */
} modes[] = {
    {1, 1, 0},                                  /* cursor keys for applications */
    {1, 4, 0},                                  /* smooth scrolling */
    {1, 5, 0},                                  /* reverse video */
    {1, 6, 0},                                  /* origin at the margins */
    {1, 7, 1},                                  /* wrap lines */
    {1, 8, 1},                                  /* repeat keys */
    {1, 9, 0},                                  /* mouse, as X10 */
    {1, 12, 0},                                 /* blinking cursor */
    {1, 25, 1},                                 /* cursor */
    {1, 45, 0},                                 /* reverse wrap */
    {1, 47, 0},                                 /* alternate screen */
    {1, 66, 0},                                 /* application keypad */
    {1, 69, 0},                                 /* left and right margins */
    {1, 80, 0},                                 /* sixel without scrolling */
    {1, 1000, 0},                               /* mouse: buttons */
    {1, 1002, 0},                               /* drags */
    {1, 1003, 0},                               /* moves */
    {1, 1004, 0},                               /* focus */
    {1, 1005, 0},                               /* forms of the reports */
    {1, 1006, 0},   {1, 1007, 0},               /* wheel as cursor keys */
    {1, 1015, 0},   {1, 1016, 0}, {1, 1047, 0}, /* alternate screen */
    {1, 1048, ANY},                             /* save and restore the cursor */
    {1, 1049, 0},   {1, 1070, 1},               /* private colours for sixel */
    {1, 2004, 0},                               /* marked paste */
    {1, 2026, 0},                               /* hold the screen */
    {1, 2027, 0},                               /* grapheme clusters */
    {1, 2031, 0},                               /* reports: dark or light colours */
    {1, 2048, 0},                               /* reports: size */
    {1, 7727, 0},                               /* escape key as a sequence */
    {1, 8452, 0},                               /* cursor after a sixel image */
    {0, 4, 0},                                  /* insert */
    {0, 20, 0},                                 /* line feed returns */
};
#define N_MODES (sizeof modes / sizeof *modes)
_Static_assert(N_MODES <= 64, "one bit each");

int terminal_mode_find(int is_private, unsigned number)
{
    for (size_t i = 0; i < N_MODES; i++) {
        if (modes[i].is_private == is_private && modes[i].number == number)
            return (int)i;
    }
    return -1;
}

void terminal_marks_mode(struct terminal_marks *self, int index, int on)
{
    uint64_t bit = UINT64_C(1) << index;
    if (modes[index].rest == on || modes[index].rest == ANY)
        self->modes &= ~bit;
    else
        self->modes |= bit;
}

void terminal_marks_unknown(struct terminal_marks *self, int index)
{
    terminal_marks_mode(self, index, !modes[index].rest);
}

void terminal_marks_style(struct terminal_marks *self, const char *parameters, size_t length)
{
    int on = 0;
    for (size_t i = 0; i < length; i++)
        on |= parameters[i] != '0' && parameters[i] != ';';
    self->left = on ? self->left | MARK_STYLE : self->left & ~(unsigned)MARK_STYLE;
}

static int is_alternate(size_t index)
{
    return modes[index].is_private && (modes[index].number == 47 || modes[index].number == 1047 ||
                                       modes[index].number == 1049);
}

int terminal_marks_screen(const struct terminal_marks *self)
{
    for (size_t i = 0; i < N_MODES; i++) {
        if (self->modes & UINT64_C(1) << i && is_alternate(i))
            return 1;
    }
    return 0;
}

struct text {
    char *out;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t room = TERMINAL_UNDO_MAX - self->length;
    int n = vsnprintf(self->out + self->length, room, format, args);
    va_end(args);
    /* Never half a sequence. The unit tests show that all of them have room. */
    if (n > 0 && (size_t)n < room)
        self->length += (size_t)n;
}

static void add_modes(struct text *self, uint64_t which, int undo)
{
    for (size_t i = 0; i < N_MODES; i++) {
        if (which & UINT64_C(1) << i)
            add(self, "\033[%s%u%c", modes[i].is_private ? "?" : "", modes[i].number,
                modes[i].rest == undo ? 'h' : 'l');
    }
}

static void undo_keys(struct text *self, const struct terminal_marks *marks, int screen)
{
    if (marks->keys[screen].pushed)
        add(self, "\033[<%uu", marks->keys[screen].pushed);
    if (marks->keys[screen].set)
        add(self, "\033[=0u");
}

static void undo_colours(struct text *self, const struct terminal_marks *marks)
{
    if (marks->left & MARK_PALETTE)
        add(self, "\033]104\033\\");
    if (marks->left & MARK_SPECIALS)
        add(self, "\033]105\033\\");
    for (unsigned i = 0; i <= COLOUR_LAST - COLOUR_FIRST; i++) {
        if (marks->colours & 1u << i)
            add(self, "\033]%u\033\\", 100 + COLOUR_FIRST + i);
    }
}

static void undo_style(struct text *self, const struct terminal_marks *marks)
{
    if (marks->left & MARK_LINK)
        add(self, "\033]8;;\033\\");
    if (marks->left & MARK_STYLE)
        add(self, "\033[0m");
    if (marks->left & MARK_CHARSET)
        add(self, "\033(B\017");
    undo_colours(self, marks);
}

static void undo_others(struct text *self, const struct terminal_marks *marks)
{
    if (marks->left & MARK_KEYPAD)
        add(self, "\033>");
    if (marks->left & MARK_CURSOR)
        add(self, "\033[0 q");
    if (marks->left & MARK_TABS)
        add(self, "\033[?5W");
    if (marks->left & MARK_PROTECT)
        add(self, "\033[0\"q");
    for (unsigned i = 0; i < MODIFY_KEYS; i++) {
        if (marks->modified & 1u << i)
            add(self, "\033[>%um", i);
    }
}

size_t terminal_marks_undo(const struct terminal_marks *self, char out[TERMINAL_UNDO_MAX])
{
    struct text text = {out, 0};
    int screen = terminal_marks_screen(self);
    /* Each screen has key modes of its own: those of the one that is shown first. */
    undo_keys(&text, self, screen);
    add_modes(&text, self->modes, 1);
    if (screen)
        undo_keys(&text, self, 0);
    else if (self->keys[1].pushed || self->keys[1].set) {
        add(&text, "\033[?1047h");
        undo_keys(&text, self, 1);
        add(&text, "\033[?1047l");
    }
    if (self->left & MARK_MARGINS) /* which moves the cursor */
        add(&text, "\0337\033[r\0338");
    undo_style(&text, self);
    undo_others(&text, self);
    return text.length;
}

size_t terminal_marks_undo_style(const struct terminal_marks *self, char out[TERMINAL_UNDO_MAX])
{
    struct text text = {out, 0};
    int hold = terminal_mode_find(1, 2026);
    add_modes(&text, self->modes & UINT64_C(1) << hold, 1);
    undo_style(&text, self);
    return text.length;
}

size_t terminal_marks_redo(const struct terminal_marks *self, char out[TERMINAL_UNDO_MAX])
{
    struct text text = {out, 0};
    add_modes(&text, self->modes, 0);
    if (self->left & MARK_KEYPAD)
        add(&text, "\033=");
    return text.length;
}
