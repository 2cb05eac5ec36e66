#include "session/terminal_string.h"

/* DECRQSS, for the settings that have a letter. Others are errors, which some terminals answer
 * with the text of the query. */
static enum terminal_verdict ask_setting(struct head *self)
{
    static const char *const settings[] = {"m", "r", "s", " q", "\"p", "\"q"};
    for (size_t i = 0; self->has_ended && i < sizeof settings / sizeof *settings; i++) {
        if (left(self) == strlen(settings[i]) && memcmp(self->at, settings[i], left(self)) == 0)
            return VERDICT_PASS;
    }
    return left(self) > 2 ? VERDICT_DROP : wait_or_drop(self);
}

/* XTGETTCAP: names in hexadecimal, which the answer repeats. */
static enum terminal_verdict ask_capability(struct head *self)
{
    for (const char *at = self->at; at < self->end; at++) {
        if (!is_digit(*at) && !strchr("abcdefABCDEF;", *at))
            return VERDICT_DROP;
    }
    return self->has_ended ? VERDICT_PASS : VERDICT_MORE;
}

static enum terminal_verdict judge_dcs(struct head *self)
{
    while (self->at < self->end && (is_digit(*self->at) || *self->at == ';'))
        self->at++;
    if (self->at == self->end)
        return wait_or_drop(self);
    enum terminal_verdict verdict;
    int setting = begins(self, "$q"), capability = begins(self, "+q");
    self->marks->asked |= setting > 0 || capability > 0;
    if (setting >= 0)
        verdict = setting ? ask_setting(self) : VERDICT_MORE;
    else if (capability >= 0)
        verdict = capability ? ask_capability(self) : VERDICT_MORE;
    else
        verdict = pass_if(*self->at == 'q' && self->allowed & TERMINAL_IMAGES); /* sixel */
    self->string->has_lines = verdict == VERDICT_PASS;
    return verdict;
}

/* The kitty graphics protocol: G key=value, … ; data. With t=f, t and s the data is the name of a
 * file or of shared memory, which the terminal reads and then deletes. */
static enum terminal_verdict judge_apc(struct head *self)
{
    size_t length;
    if (!(self->allowed & TERMINAL_IMAGES) || (left(self) > 0 && *self->at != 'G'))
        return VERDICT_DROP;
    const char *keys = until(self, ';', &length);
    if (!keys && !self->has_ended)
        return VERDICT_MORE;
    if (!keys) {
        keys = self->at;
        length = left(self);
    }
    for (size_t at = 1; at < length;) {
        const char *key = keys + at;
        if (length - at < 3 || !is_letter(key[0]) || key[1] != '=' ||
            (key[0] == 't' && key[2] != 'd'))
            return VERDICT_DROP;
        for (at += 2; at < length && keys[at] != ','; at++) {
            if (!is_letter(keys[at]) && !is_digit(keys[at]) && keys[at] != '-')
                return VERDICT_DROP;
        }
        at++;
    }
    self->marks->asked = 1;
    return pass_if(length > 0);
}

enum terminal_verdict terminal_string_judge(struct terminal_string *self,
                                            struct terminal_marks *marks, unsigned allowed,
                                            const char *head, size_t length, int has_ended)
{
    struct head at = {head, head + length, allowed, has_ended, self, marks};
    switch (self->kind) {
    case STRING_OSC:
        return judge_osc(&at);
    case STRING_DCS:
        return judge_dcs(&at);
    case STRING_APC:
        return judge_apc(&at);
    case STRING_TITLE:
        return pass_if(allowed & TERMINAL_TITLES);
    default: /* PM and SOS have no use in any terminal */
        return VERDICT_DROP;
    }
}

void terminal_string_payload(struct terminal_string *self, struct terminal_marks *marks,
                             const char *data, size_t length)
{
    for (size_t i = 0; self->colour && i < length; i++) {
        if (data[i] == '?')
            marks->asked = 1;
        else if (data[i] == ';' && self->colour >= COLOUR_FIRST && self->colour < COLOUR_LAST)
            self->colour++; /* the next text is for the next colour */
        else if (is_digit(data[i]) || data[i] == ';')
            continue;
        else if (self->colour >= COLOUR_FIRST)
            marks->colours |= 1u << (self->colour - COLOUR_FIRST);
        else
            marks->left |= self->colour == OSC_PALETTE ? MARK_PALETTE : MARK_SPECIALS;
    }
}
