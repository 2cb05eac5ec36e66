#include "session/terminal_string.h"

/* OSC 100 + N resets what OSC N sets. */
#define OSC_RESETS 100

typedef enum terminal_verdict head_rule(struct head *self);

static enum terminal_verdict title(struct head *self)
{
    return pass_if(self->allowed & TERMINAL_TITLES);
}

static enum terminal_verdict colours(struct head *self)
{
    return VERDICT_PASS;
}

/* OSC 8 ; parameters ; address. A file: of the host, or a program that some scheme starts, is not
 * for a box to name. */
static enum terminal_verdict judge_link(struct head *self)
{
    static const char *const schemes[] = {"https:", "http:", "mailto:", NULL};
    size_t length;
    if (!(self->allowed & TERMINAL_LINKS))
        return VERDICT_DROP;
    if (!until(self, ';', &length))
        return wait_or_drop(self);
    if (left(self) == 0 && self->has_ended) { /* the end of a link */
        self->marks->left &= ~(unsigned)MARK_LINK;
        return VERDICT_PASS;
    }
    enum terminal_verdict verdict = begins_one(self, schemes);
    if (verdict == VERDICT_PASS)
        self->marks->left |= MARK_LINK;
    return verdict;
}

/* OSC 9: progress (9 ; 4), or a notification whose text begins with no number: those are ConEmu's
 * commands, some of which run programs. */
static enum terminal_verdict notify_plain(struct head *self)
{
    const char *at = self->at;
    while (at < self->end && is_digit(*at))
        at++;
    if (at == self->end)
        return wait_or_drop(self);
    if (at > self->at && *at == ';')
        return pass_if(at == self->at + 1 && *self->at == '4');
    return pass_if(self->allowed & TERMINAL_NOTIFICATIONS);
}

/* What is before C, or all, and moves behind it. */
static const char *next_part(struct head *self, char c, size_t *length)
{
    const char *part = until(self, c, length);
    if (part)
        return part;
    part = self->at;
    *length = left(self);
    self->at = self->end;
    return part;
}

static enum terminal_verdict notify_named(struct head *self)
{
    static const char *const words[] = {"notify;", NULL};
    return self->allowed & TERMINAL_NOTIFICATIONS ? begins_one(self, words) : VERDICT_DROP;
}

/* One key=value of OSC 99. Not those by which a click answers (a=report, c=1). */
static int is_notification_key(const char *pair, size_t length)
{
    if (length < 2 || pair[1] != '=' || !strchr("idpeuo", pair[0]))
        return 0;
    const char *value = pair + 2;
    length -= 2;
    if (pair[0] == 'p')
        return (length == 5 && memcmp(value, "title", 5) == 0) ||
               (length == 4 && memcmp(value, "body", 4) == 0);
    for (size_t i = 0; i < length; i++) {
        if (!is_letter(value[i]) && !is_digit(value[i]) && !strchr("_-+.", value[i]))
            return 0;
    }
    return 1;
}

/* OSC 99 ; key=value : … ; text */
static enum terminal_verdict notify_kitty(struct head *self)
{
    size_t length, word;
    if (!(self->allowed & TERMINAL_NOTIFICATIONS))
        return VERDICT_DROP;
    const char *pairs = until(self, ';', &length);
    if (!pairs)
        return wait_or_drop(self);
    for (struct head rest = {.at = pairs, .end = pairs + length}; left(&rest) > 0;) {
        const char *pair = next_part(&rest, ':', &word);
        if (!is_notification_key(pair, word))
            return VERDICT_DROP;
    }
    return VERDICT_PASS;
}

/* OSC 52 ; selections ; data. "?" as data asks what is in the clipboard; no data empties it, which
 * nobody is asked about. */
static enum terminal_verdict clipboard(struct head *self)
{
    size_t length;
    int allowed = (self->allowed & TERMINAL_CLIPBOARD) != 0;
    if (!allowed && !(self->allowed & TERMINAL_ASK_CLIPBOARD))
        return VERDICT_DROP;
    const char *selections = until(self, ';', &length);
    if (!selections || left(self) == 0)
        return selections && self->has_ended ? pass_if(allowed) : wait_or_drop(self);
    for (size_t i = 0; i < length; i++) {
        if (!strchr("cpqs01234567", selections[i]))
            return VERDICT_DROP;
    }
    if (*self->at == '?')
        return VERDICT_DROP;
    return allowed ? VERDICT_PASS : VERDICT_ASK;
}

static int is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* key=value, with another key than "type": of two the last one counts, and may be "read". */
static int is_clipboard_key(const char *pair, size_t length)
{
    size_t key = 0;
    while (key < length && is_letter(pair[key]))
        key++;
    return key > 0 && key < length && pair[key] == '=' && !is_word(pair, key, "type");
}

/* OSC 5522 ; type=… : key=value : … ; data. Divided into several sequences: it can be allowed or
 * not, but not asked about. */
static enum terminal_verdict clipboard_kitty(struct head *self)
{
    size_t length, word;
    if (!(self->allowed & TERMINAL_CLIPBOARD))
        return VERDICT_DROP;
    if (!self->has_ended && !memchr(self->at, ';', left(self)))
        return VERDICT_MORE;
    const char *pairs = next_part(self, ';', &length); /* they may be all there is */
    struct head rest = {.at = pairs, .end = pairs + length};
    const char *pair = next_part(&rest, ':', &word);
    if (!is_word(pair, word, "type=write") && !is_word(pair, word, "type=wdata") &&
        !is_word(pair, word, "type=walias"))
        return VERDICT_DROP;
    while (left(&rest) > 0) {
        pair = next_part(&rest, ':', &word);
        if (!is_clipboard_key(pair, word))
            return VERDICT_DROP;
    }
    return VERDICT_PASS;
}

/* The arguments of an image of iTerm2. Without inline=1 it is saved as a file. */
static enum terminal_verdict inline_image(struct head *self, char end)
{
    size_t length, word;
    const char *from = self->at;
    if (end && !(from = until(self, end, &length)))
        return wait_or_drop(self);
    if (!end && !self->has_ended)
        return VERDICT_MORE;
    if (!end)
        length = left(self);
    int is_inline = 0;
    for (struct head rest = {.at = from, .end = from + length}; left(&rest) > 0;) {
        const char *argument = next_part(&rest, ';', &word);
        if (word >= 6 && memcmp(argument, "inline", 6) == 0) {
            if (word != 8 || memcmp(argument, "inline=1", 8) != 0)
                return VERDICT_DROP;
            is_inline = 1;
        }
    }
    return pass_if(is_inline);
}

/* OSC 1337: images, and iTerm2's own words for the clipboard. */
static enum terminal_verdict iterm(struct head *self)
{
    static const char *const parts[] = {"FilePart=", "FileEnd", NULL};
    static const char *const copies[] = {"Copy=", "CopyToClipboard=", "EndCopy", NULL};
    enum terminal_verdict verdict = VERDICT_DROP;
    int whole = -1, many = -1;
    if (self->allowed & TERMINAL_IMAGES) {
        if ((whole = begins(self, "File=")) > 0) {
            self->string->has_lines = 1;
            return inline_image(self, ':');
        }
        if ((many = begins(self, "MultipartFile=")) > 0)
            return inline_image(self, '\0');
        verdict = begins_one(self, parts);
        self->string->has_lines = verdict == VERDICT_PASS;
    }
    if (verdict == VERDICT_DROP && self->allowed & TERMINAL_CLIPBOARD)
        verdict = begins_one(self, copies);
    return verdict == VERDICT_DROP && (whole == 0 || many == 0) ? VERDICT_MORE : verdict;
}

static const struct {
    unsigned first, last;
    int may_be_bare; /* without ";" */
    head_rule *rule;
} commands[] = {
    {0, 2, 0, title},
    {OSC_PALETTE, OSC_SPECIALS, 0, colours},
    {8, 8, 0, judge_link},
    {9, 9, 0, notify_plain},
    {COLOUR_FIRST, COLOUR_LAST, 0, colours},
    {52, 52, 0, clipboard},
    {99, 99, 0, notify_kitty},
    {OSC_RESETS + OSC_PALETTE, OSC_RESETS + OSC_SPECIALS, 1, colours},
    {OSC_RESETS + COLOUR_FIRST, OSC_RESETS + COLOUR_LAST, 1, colours},
    {777, 777, 0, notify_named},
    {1337, 1337, 0, iterm},
    {5522, 5522, 0, clipboard_kitty},
};

/* Colours that are set again to those at rest. */
static void note_reset(struct terminal_marks *marks, unsigned number, int is_bare)
{
    if (number >= COLOUR_FIRST && number <= COLOUR_LAST)
        marks->colours &= ~(1u << (number - COLOUR_FIRST));
    else if (is_bare && number == OSC_PALETTE)
        marks->left &= ~(unsigned)MARK_PALETTE;
    else if (is_bare && number == OSC_SPECIALS)
        marks->left &= ~(unsigned)MARK_SPECIALS;
}

static enum terminal_verdict judge_command(struct head *self, unsigned number, int is_bare)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (number < commands[i].first || number > commands[i].last)
            continue;
        if (is_bare && !commands[i].may_be_bare)
            return VERDICT_DROP;
        if (commands[i].rule == colours && number >= OSC_RESETS)
            note_reset(self->marks, number - OSC_RESETS, is_bare);
        else if (commands[i].rule == colours)
            self->string->colour = (int)number;
        return commands[i].rule(self);
    }
    return VERDICT_DROP;
}

enum terminal_verdict judge_osc(struct head *self)
{
    const char *from = self->at;
    unsigned number = 0;
    for (; self->at < self->end && is_digit(*self->at); self->at++)
        number = number > 9999 ? number : number * 10 + (unsigned)(*self->at - '0');
    size_t digits = (size_t)(self->at - from);
    /* Terminals read 052 as 52. */
    if (digits > 4 || (digits > 1 && *from == '0'))
        return VERDICT_DROP;
    if (self->at == self->end)
        return self->has_ended && digits ? judge_command(self, number, 1) : wait_or_drop(self);
    if (digits == 0 || *self->at++ != ';')
        return VERDICT_DROP;
    return judge_command(self, number, 0);
}
