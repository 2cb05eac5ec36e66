#include "proto/git_config_parser.h"

#include <string.h>

#define END (-1)
static const char byte_order_mark[] = "\xef\xbb\xbf";

void git_config_parser_begin(struct git_config_parser *self, const char *text, size_t length)
{
    size_t mark = strlen(byte_order_mark);
    self->at = (const unsigned char *)text;
    self->end = self->at + length;
    self->entry = (struct git_config_entry){0};
    self->section_end = self->room_end = 0;
    self->is_comment = 0;
    self->has_failed = length > GIT_CONFIG_MAX || memchr(text, '\0', length) != NULL;
    if (length >= mark && memcmp(text, byte_order_mark, mark) == 0)
        self->at += mark;
}

/* A carriage return before a line feed does not count. */
static int next_byte(struct git_config_parser *self)
{
    if (self->at == self->end)
        return END;
    int c = *self->at++;
    return c == '\r' && self->at < self->end && *self->at == '\n' ? *self->at++ : c;
}

static int ends_line(int c)
{
    return c == '\n' || c == END;
}

static int is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == END;
}

static int is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_key_byte(int c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

/* What is added is never more than was read, and a NUL for each of four texts. */
static void add(struct git_config_parser *self, int c)
{
    self->room[self->room_end++] = (char)c;
}

static void add_lower(struct git_config_parser *self, int c)
{
    add(self, c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int fail(struct git_config_parser *self)
{
    self->has_failed = 1;
    return -1;
}

/* The rest of [section "name"], from the space on. */
static int read_name(struct git_config_parser *self, int c)
{
    do {
        if (ends_line(c))
            return fail(self);
        c = next_byte(self);
    } while (is_space(c) && c != END);
    if (c != '"')
        return fail(self);
    add(self, '\0');
    self->entry.name = self->room + self->room_end;
    while ((c = next_byte(self)) != '"') {
        if (c == '\\')
            c = next_byte(self);
        if (ends_line(c))
            return fail(self);
        add(self, c);
    }
    add(self, '\0');
    return next_byte(self) == ']' ? 0 : fail(self);
}

/* From behind the "[" to the "]". 0, or -1. */
static int read_header(struct git_config_parser *self)
{
    self->room_end = 0;
    self->entry = (struct git_config_entry){.section = self->room};
    for (;;) {
        int c = next_byte(self);
        if (c == END)
            return fail(self);
        if (c == ']' || is_space(c)) {
            if (c == ']' ? !self->room_end : read_name(self, c) < 0)
                return fail(self);
            break;
        }
        if (!is_key_byte(c) && c != '.')
            return fail(self);
        add_lower(self, c);
    }
    if (!self->entry.name)
        add(self, '\0');
    self->section_end = self->room_end;
    return 0;
}

/* What a backslash and C stand for; END for nothing, 0 for what git does not take. */
static int unescape(int c)
{
    switch (c) {
    case '\n':
    case END:
        return END;
    case 't':
        return '\t';
    case 'b':
        return '\b';
    case 'n':
        return '\n';
    case '\\':
    case '"':
        return c;
    default:
        return 0;
    }
}

static int read_value(struct git_config_parser *self)
{
    size_t start = self->room_end, kept = start; /* without blanks at the end */
    int is_quoted = 0, is_comment = 0, c;
    while (!ends_line(c = next_byte(self))) {
        if (is_comment)
            continue;
        if (is_space(c) && !is_quoted) {
            if (self->room_end > start)
                add(self, c);
            continue;
        }
        if (!is_quoted && (c == ';' || c == '#')) {
            is_comment = 1;
            continue;
        }
        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == '\\') {
            int meant = unescape(next_byte(self));
            if (!meant)
                return fail(self);
            if (meant != END)
                add(self, meant);
        } else {
            add(self, c);
        }
        kept = self->room_end;
    }
    self->room_end = kept;
    add(self, '\0');
    self->entry.value = self->room + start;
    return is_quoted ? fail(self) : 0;
}

/* The entry whose key begins with C. */
static int read_entry(struct git_config_parser *self, int c)
{
    self->room_end = self->section_end;
    self->entry.key = self->room + self->room_end;
    self->entry.value = NULL;
    for (; is_key_byte(c); c = next_byte(self))
        add_lower(self, c);
    add(self, '\0');
    while (c == ' ' || c == '\t')
        c = next_byte(self);
    if (ends_line(c))
        return 0;
    return c == '=' ? read_value(self) : fail(self);
}

const struct git_config_entry *git_config_parser_next(struct git_config_parser *self)
{
    while (!self->has_failed) {
        int c = next_byte(self);
        if (c == END)
            return NULL;
        if (c == '\n')
            self->is_comment = 0;
        if (self->is_comment || is_space(c))
            continue;
        if (c == '#' || c == ';')
            self->is_comment = 1;
        else if (c == '[')
            read_header(self);
        else if (!is_letter(c))
            fail(self);
        else if (read_entry(self, c) == 0)
            return &self->entry;
    }
    return NULL;
}
