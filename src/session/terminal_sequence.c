#include "session/terminal_sequence.h"

#include <stdio.h>
#include <string.h>

/* Larger numbers mean nothing to any terminal. */
#define NUMBER_MAX 99999

struct control {
    char prefix, middle, final; /* 0: none */
    char *parameters;
    size_t length; /* of the parameters */
    unsigned allowed;
};

static int is_parameter(char c)
{
    return (c >= '0' && c <= '9') || c == ';' || c == ':';
}

/* 0, or -1 when TEXT has not the form of a control sequence that any terminal knows. */
static int parse(struct control *self, char *text, size_t length)
{
    size_t at = 0;
    if (length == 0)
        return -1;
    if (strchr("<=>?", text[0]))
        self->prefix = text[at++];
    self->parameters = text + at;
    while (at < length && is_parameter(text[at]))
        at++;
    self->length = (size_t)(text + at - self->parameters);
    if (at < length && text[at] >= 0x20 && text[at] <= 0x2f)
        self->middle = text[at++];
    if (at + 1 != length || text[at] < 0x40)
        return -1;
    self->final = text[at];
    return 0;
}

/* The number in front of *AT, which is moved behind it and its ";". -1 for none. */
static long next_number(const char **at, const char *end)
{
    long number = -1;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
        number = (number < 0 ? 0 : number) * 10 + (**at - '0');
        if (number > NUMBER_MAX)
            number = NUMBER_MAX;
    }
    while (*at < end && *(*at)++ != ';')
        ;
    return number;
}

/* The parameter INDEX from 0, or FALLBACK. */
static long number_of(const struct control *self, int index, long fallback)
{
    const char *at = self->parameters, *end = at + self->length;
    long number = next_number(&at, end);
    for (; index > 0; index--)
        number = at < end ? next_number(&at, end) : -1;
    return number < 0 ? fallback : number;
}

/* Each of these returns 1 when the sequence may pass. */
typedef int control_rule(struct control *self, struct terminal_marks *marks);

static void set_left(struct terminal_marks *marks, unsigned bit, int on)
{
    marks->left = on ? marks->left | bit : marks->left & ~bit;
}

static int style(struct control *self, struct terminal_marks *marks)
{
    terminal_marks_style(marks, self->parameters, self->length);
    return 1;
}

static int margins(struct control *self, struct terminal_marks *marks)
{
    set_left(marks, MARK_MARGINS, self->length > 0);
    return 1;
}

static int tabs(struct control *self, struct terminal_marks *marks)
{
    marks->left |= MARK_TABS;
    return 1;
}

static int cursor(struct control *self, struct terminal_marks *marks)
{
    set_left(marks, MARK_CURSOR, number_of(self, 0, 0) != 0);
    return 1;
}

static int protect(struct control *self, struct terminal_marks *marks)
{
    set_left(marks, MARK_PROTECT, number_of(self, 0, 0) == 1);
    return 1;
}

static int ask_screen(struct control *self, struct terminal_marks *marks)
{
    marks->asked = 1;
    return 1;
}

static int graphics(struct control *self, struct terminal_marks *marks)
{
    int images = (self->allowed & TERMINAL_IMAGES) != 0;
    marks->asked |= images;
    return images;
}

/* Sizes in numbers, and the stack of titles. */
static int window(struct control *self, struct terminal_marks *marks)
{
    long what = number_of(self, 0, 0);
    if (what == 22 || what == 23)
        return (self->allowed & TERMINAL_TITLES) != 0;
    int sizes = what == 14 || what == 15 || what == 16 || what == 18 || what == 19;
    marks->asked |= sizes;
    return sizes;
}

static int modify_keys(struct control *self, struct terminal_marks *marks)
{
    long which = number_of(self, 0, -1);
    if (which >= MODIFY_KEYS)
        return 0;
    if (which < 0)
        marks->modified = 0;
    else if (number_of(self, 1, 0) == 0 && self->final == 'm')
        marks->modified &= ~(1u << which);
    else
        marks->modified |= 1u << which;
    return which >= 0 || self->final == 'm';
}

static int push_keys(struct control *self, struct terminal_marks *marks)
{
    int screen = terminal_marks_screen(marks);
    if (marks->keys[screen].pushed == KEY_MODES_MAX)
        return 0;
    marks->keys[screen].pushed++;
    return 1;
}

/* No more than the box has pushed: below are those of the user's own programs. */
static int pop_keys(struct control *self, struct terminal_marks *marks)
{
    int screen = terminal_marks_screen(marks);
    long count = number_of(self, 0, 1);
    if (count < 1 || count > marks->keys[screen].pushed)
        return 0;
    marks->keys[screen].pushed -= (unsigned)count;
    return 1;
}

static int set_keys(struct control *self, struct terminal_marks *marks)
{
    int screen = terminal_marks_screen(marks);
    marks->keys[screen].set |= marks->keys[screen].pushed == 0;
    return 1;
}

/* Switches, saves or restores modes: removes those that are not known. */
static int switch_modes(struct control *self, struct terminal_marks *marks)
{
    char *out = self->parameters;
    const char *at = self->parameters, *end = at + self->length;
    if (memchr(at, ':', self->length))
        return 0;
    while (at < end) {
        const char *from = at;
        long number = next_number(&at, end);
        int index = number < 0 ? -1 : terminal_mode_find(self->prefix == '?', (unsigned)number);
        if (index < 0)
            continue;
        if (self->final == 'h' || self->final == 'l')
            terminal_marks_mode(marks, index, self->final == 'h');
        else if (self->final == 'r')
            terminal_marks_unknown(marks, index);
        size_t length = (size_t)(at - from);
        memmove(out, from, length);
        out += length;
    }
    if (out > self->parameters && out[-1] == ';')
        out--;
    self->length = (size_t)(out - self->parameters);
    *out = self->final;
    return self->length > 0;
}

static const struct {
    char prefix, middle;
    const char *finals;
    control_rule *rule; /* NULL: passes */
} rules[] = {
    {0, 0, "m", style}, /* by far the most frequent */
    /* Moves, erases, scrolls, repeats. */
    {0, 0, "@ABCDEFGHIJKLMPSTXZ`abdefjksu", NULL},
    {0, ' ', "@A", NULL},
    {0, '!', "p", NULL},
    {0, '#', "{}pq", NULL},
    {0, '$', "rtvxz{", NULL},
    {0, '\'', "}~", NULL},
    {0, '*', "x", NULL},
    {'?', 0, "JK", NULL},
    {0, 0, "r", margins},
    {0, 0, "g", tabs},
    {0, 0, "t", window},
    {0, 0, "hl", switch_modes},
    {'?', 0, "hlsr", switch_modes},
    {0, ' ', "q", cursor},
    {0, '"', "q", protect},
    {'>', 0, "mn", modify_keys},
    {'>', 0, "u", push_keys},
    {'<', 0, "u", pop_keys},
    {'=', 0, "u", set_keys},
    {'?', 0, "S", graphics},
    /* Queries that terminals answer with numbers and names of their own. */
    {0, 0, "cnx", ask_screen},
    {0, '$', "p", ask_screen},
    {'?', '$', "p", ask_screen},
    {'?', 0, "nmu", ask_screen},
    {'>', 0, "cq", ask_screen},
    {'=', 0, "c", ask_screen},
};

size_t terminal_control(struct terminal_marks *marks, unsigned allowed, char *text, size_t length)
{
    struct control self = {.allowed = allowed};
    if (parse(&self, text, length) < 0)
        return 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].prefix != self.prefix || rules[i].middle != self.middle ||
            !strchr(rules[i].finals, self.final))
            continue;
        if (rules[i].rule && !rules[i].rule(&self, marks))
            return 0;
        return self.length + 1 + (self.prefix != 0) + (self.middle != 0);
    }
    return 0;
}

/* An alphabet for one of the four sets. */
static int is_charset(const char *text, size_t length)
{
    return length >= 2 && length <= 3 && strchr("()*+-./", text[0]) &&
           (length == 2 || strchr("\"%&", text[1]));
}

int terminal_escape(struct terminal_marks *marks, const char *text, size_t length)
{
    char final = text[length - 1];
    if (is_charset(text, length) || (length == 1 && strchr("no|}~", final))) {
        marks->left |= MARK_CHARSET;
        return 1;
    }
    if (length == 2)
        return (text[0] == '#' && strchr("34568", final)) || (text[0] == '%' && final == 'G') ||
               (text[0] == ' ' && final == 'F');
    if (length != 1)
        return 0;
    if (final == '=' || final == '>')
        set_left(marks, MARK_KEYPAD, final == '=');
    if (final == 'H')
        marks->left |= MARK_TABS;
    if (final == 'Z')
        marks->asked = 1;
    return strchr("6789=>DEHMNOZc\\", final) != NULL;
}
