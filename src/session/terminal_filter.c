#include "session/terminal_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "session/terminal_scan.h"
#include "sys/utf8.h"

/* Most bytes that pass for one that comes: a replacement character for an invalid one. */
#define GROWTH 3
#define REPLACEMENT "\357\277\275"
#define STRING_END "\033\\"

static void put(struct terminal_filter *self, const void *data, size_t length)
{
    terminal_output_put(&self->out, data, length);
}

static void put_byte(struct terminal_filter *self, unsigned char c)
{
    put(self, &c, 1);
}

/* The length of what passes as it is in the ground state. */
static size_t clean_length(struct terminal_filter *self, const unsigned char *from,
                           const unsigned char *end)
{
    const unsigned char *at = from, *before;
    int is_8bit = (self->allowed & TERMINAL_8BIT) != 0;
    do {
        at += terminal_clean_length(at, end, is_8bit);
        before = at;
        at += terminal_style_length(at, end);
        if (at > before)
            terminal_marks_style(&self->marks, (const char *)before + 2, (size_t)(at - before) - 3);
    } while (at > before);
    return (size_t)(at - from);
}

static void begin(struct terminal_filter *self, enum terminal_state state)
{
    self->state = state;
    self->n_held = 0;
    self->too_long = 0;
    self->escape = 0;
}

static void hold(struct terminal_filter *self, unsigned char c)
{
    if (self->n_held < sizeof self->held)
        self->held[self->n_held++] = (char)c;
    else
        self->too_long = 1;
}

static void step(struct terminal_filter *self, unsigned char c);
static void judge(struct terminal_filter *self, int has_ended);

/* A character beyond ASCII, which is valid. As the first one of a text it belongs to the head. */
static void take_character(struct terminal_filter *self, const unsigned char *at, size_t length)
{
    if (self->state != TERMINAL_HEAD) {
        put(self, at, length);
        return;
    }
    for (size_t i = 0; i < length; i++)
        hold(self, at[i]);
    judge(self, 0);
}

/* A byte of a character, or one that is none. Returns how many bytes were taken. */
static size_t step_character(struct terminal_filter *self, const unsigned char *at, size_t room)
{
    int in_string = self->state != TERMINAL_GROUND;
    if (self->allowed & TERMINAL_8BIT) {
        if (*at >= 0xa0)
            take_character(self, at, 1);
        return 1;
    }
    int length = utf8_length(at, room);
    if (length < 0) {
        memcpy(self->part, at, room);
        self->n_part = room;
        return room;
    }
    if (length > 0 && !utf8_is_c1(at))
        take_character(self, at, (size_t)length);
    else if (length == 0 && !in_string)
        put(self, REPLACEMENT, strlen(REPLACEMENT));
    return length > 0 ? (size_t)length : 1;
}

/* A control character on its own, also in the middle of a sequence. */
static void step_c0(struct terminal_filter *self, unsigned char c)
{
    if (c == ESC)
        begin(self, TERMINAL_ESCAPE);
    else if (c == CAN || c == SUB)
        begin(self, TERMINAL_GROUND);
    else if (c != ENQ && c != DEL)
        put_byte(self, c);
    if (c == SHIFT_OUT)
        self->marks.left |= MARK_CHARSET;
}

static void step_escape(struct terminal_filter *self, unsigned char c)
{
    if (c < 0x20 || c == DEL) {
        step_c0(self, c);
    } else if (c >= 0x80) {
        begin(self, TERMINAL_GROUND);
        step(self, c);
    } else if (c < 0x30) {
        hold(self, c);
    } else if (self->n_held == 0 && c == '[') {
        begin(self, TERMINAL_CONTROL);
    } else if (self->n_held == 0 && strchr("]P_^Xk", c)) {
        begin(self, TERMINAL_HEAD);
        self->string = (struct terminal_string){.kind = (char)c};
        judge(self, 0);
    } else {
        hold(self, c);
        if (!self->too_long && terminal_escape(&self->marks, self->held, self->n_held)) {
            put_byte(self, ESC);
            put(self, self->held, self->n_held);
        }
        begin(self, TERMINAL_GROUND);
    }
}

/* A control sequence is complete in HELD. */
static void end_control(struct terminal_filter *self)
{
    size_t length = self->too_long
                        ? 0
                        : terminal_control(&self->marks, self->allowed, self->held, self->n_held);
    if (length > 0) {
        put(self, "\033[", 2);
        put(self, self->held, length);
    }
    begin(self, TERMINAL_GROUND);
}

/* The same for one that is complete at AT: most are, and this is faster than a step for each byte.
 * Returns how many bytes were taken; 0: it is not. */
static size_t take_control(struct terminal_filter *self, const unsigned char *at,
                           const unsigned char *end)
{
    size_t room = (size_t)(end - at), length = 2;
    if (room < 3 || at[0] != ESC || at[1] != '[')
        return 0;
    while (length < room && at[length] >= 0x20 && at[length] < 0x40)
        length++;
    if (length == room || at[length] < 0x40 || at[length] >= DEL || length - 1 > sizeof self->held)
        return 0;
    self->n_held = length - 1;
    memcpy(self->held, at + 2, self->n_held);
    self->too_long = 0;
    end_control(self);
    return length + 1;
}

static void step_control(struct terminal_filter *self, unsigned char c)
{
    if (c < 0x20 || c == DEL) {
        step_c0(self, c);
        return;
    }
    if (c >= 0x80) {
        begin(self, TERMINAL_GROUND);
        step(self, c);
        return;
    }
    hold(self, c);
    if (c >= 0x40)
        end_control(self);
}

/* Judges the head. HAS_ENDED: nothing more comes. */
static void judge(struct terminal_filter *self, int has_ended)
{
    enum terminal_verdict verdict =
        self->too_long ? VERDICT_DROP
                       : terminal_string_judge(&self->string, &self->marks, self->allowed,
                                               self->held, self->n_held, has_ended);
    if (verdict == VERDICT_MORE)
        return;
    if (verdict == VERDICT_ASK && terminal_copy_begin(&self->copy, self->held, self->n_held)) {
        self->state = TERMINAL_COPY;
        return;
    }
    self->state = verdict == VERDICT_PASS ? TERMINAL_PASS : TERMINAL_DROP;
    if (verdict == VERDICT_PASS) {
        put_byte(self, ESC);
        put_byte(self, (unsigned char)self->string.kind);
        put(self, self->held, self->n_held);
    }
}

/* 1 where characters beyond ASCII may come. */
static int has_text(const struct terminal_filter *self)
{
    return self->state == TERMINAL_GROUND ||
           ((self->state == TERMINAL_HEAD || self->state == TERMINAL_PASS) && !self->escape &&
            (self->string.kind == STRING_OSC || self->string.kind == STRING_TITLE));
}

/* The string has ended, by TERMINATOR or (NULL) by something that may end it or not. */
static void end_string(struct terminal_filter *self, const char *terminator)
{
    if (self->state == TERMINAL_HEAD && terminator)
        judge(self, 1);
    if (self->state == TERMINAL_PASS)
        put(self, terminator ? terminator : STRING_END, terminator ? strlen(terminator) : 2);
    else if (self->state == TERMINAL_COPY)
        terminal_copy_end(&self->copy, terminator != NULL);
    begin(self, TERMINAL_GROUND);
}

/*
 * The Linux console has two OSC without a terminator: R, and P with seven digits, which ncurses
 * prints there. 1: C belongs to one of these, or ends it. They are dropped.
 */
static int step_console(struct terminal_filter *self, unsigned char c)
{
    if (self->string.kind != STRING_OSC ||
        (self->n_held == 0 ? c != 'R' && c != 'P' : self->held[0] != 'P'))
        return 0;
    if (self->n_held > 0 && !isxdigit(c)) {
        begin(self, TERMINAL_GROUND);
        step(self, c);
        return 1;
    }
    hold(self, c);
    if (c == 'R' || self->n_held == 8)
        begin(self, TERMINAL_GROUND);
    return 1;
}

static void step_head(struct terminal_filter *self, unsigned char c)
{
    if (step_console(self, c))
        return;
    hold(self, c);
    judge(self, 0);
}

static void step_string(struct terminal_filter *self, unsigned char c)
{
    if (self->escape && c == '\\') {
        end_string(self, STRING_END);
    } else if (self->escape) {
        end_string(self, NULL);
        begin(self, TERMINAL_ESCAPE);
        step(self, c);
    } else if (c == ESC) {
        self->escape = 1;
    } else if (c == CAN || c == SUB) {
        end_string(self, NULL);
    } else if (c == BEL && self->string.kind == STRING_OSC) {
        end_string(self, "\a");
    } else if (c < 0x20 || c == DEL) {
        if (self->state == TERMINAL_PASS && self->string.has_lines && (c == '\n' || c == '\r'))
            put_byte(self, c);
    } else if (self->state == TERMINAL_HEAD) {
        step_head(self, c);
    } else if (self->state == TERMINAL_COPY) {
        terminal_copy_add(&self->copy, (const char *)&c, 1);
    }
}

static void step(struct terminal_filter *self, unsigned char c)
{
    switch (self->state) {
    case TERMINAL_GROUND:
        if (c < 0x80)
            step_c0(self, c);
        else
            step_character(self, &c, 1);
        return;
    case TERMINAL_ESCAPE:
        step_escape(self, c);
        return;
    case TERMINAL_CONTROL:
        step_control(self, c);
        return;
    case TERMINAL_HEAD:
    case TERMINAL_PASS:
    case TERMINAL_COPY:
    case TERMINAL_DROP:
        step_string(self, c);
        return;
    }
}

/* Adds to a character that was not complete. Returns how many bytes were taken. */
static size_t finish_character(struct terminal_filter *self, const unsigned char *at, size_t room)
{
    size_t taken = 0;
    while (self->n_part > 0 && taken < room) {
        self->part[self->n_part] = at[taken];
        int length = utf8_length(self->part, self->n_part + 1);
        if (length == 0) {
            /* As without the division: one for each byte, and the last one is looked at again. */
            for (; self->state == TERMINAL_GROUND && self->n_part > 0; self->n_part--)
                put(self, REPLACEMENT, strlen(REPLACEMENT));
            self->n_part = 0;
            break;
        }
        taken++;
        if (length > 0 && !utf8_is_c1(self->part))
            take_character(self, self->part, (size_t)length);
        self->n_part = length > 0 ? 0 : self->n_part + 1;
    }
    return taken;
}

/* Text of a string's payload, which passes, is kept or dropped. Returns its length. */
static size_t take_payload(struct terminal_filter *self, const unsigned char *from,
                           const unsigned char *end)
{
    const unsigned char *at = from;
    while (at < end && *at >= 0x20 && *at < DEL)
        at++;
    size_t length = (size_t)(at - from);
    if (self->state == TERMINAL_COPY) {
        terminal_copy_add(&self->copy, (const char *)from, length);
    } else if (self->state == TERMINAL_PASS) {
        terminal_string_payload(&self->string, &self->marks, (const char *)from, length);
        put(self, from, length);
    }
    return length;
}

/* The next piece of which all bytes are treated alike, or one byte. Returns its length. */
static size_t run_piece(struct terminal_filter *self, const unsigned char *at,
                        const unsigned char *end)
{
    size_t taken = 0;
    if (self->n_part > 0)
        return finish_character(self, at, (size_t)(end - at));
    if (self->state == TERMINAL_GROUND) {
        taken = clean_length(self, at, end);
        put(self, at, taken);
        if (taken == 0)
            taken = take_control(self, at, end);
    } else if (self->state >= TERMINAL_PASS && !self->escape) {
        taken = take_payload(self, at, end);
    }
    if (taken > 0)
        return taken;
    if (*at >= 0x80 && has_text(self))
        return step_character(self, at, (size_t)(end - at));
    step(self, *at);
    return 1;
}

size_t terminal_filter_run(struct terminal_filter *self, const char *data, size_t length,
                           const char **out)
{
    const unsigned char *at = (const unsigned char *)data, *end = at + length;
    *out = data;
    if (self->state == TERMINAL_GROUND && self->n_part == 0 &&
        clean_length(self, at, end) == length)
        return length;
    size_t room = GROWTH * (length + sizeof self->part) + sizeof self->held;
    if (!terminal_output_begin(&self->out, room))
        return 0;
    while (at < end)
        at += run_piece(self, at, end);
    *out = self->out.data;
    return self->out.length;
}

const char *terminal_filter_interrupt(struct terminal_filter *self)
{
    if (self->state != TERMINAL_PASS)
        return "";
    self->state = TERMINAL_DROP;
    self->n_part = 0;
    return STRING_END;
}

void terminal_filter_clear(struct terminal_filter *self)
{
    free(self->out.data);
    terminal_copy_clear(&self->copy);
    *self = (struct terminal_filter){0};
}
