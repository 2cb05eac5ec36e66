#include "host/bridge/audio/pulse_show.h"

#include <stdio.h>
#include <string.h>

/* Longest name of a stream, with its NUL. */
#define TITLE_MAX 128
#define ENTRIES_MAX 256
#define FORMATS_MAX 32
/* What a format is called that has nothing but samples; and any. */
#define FORMAT_ANY 0
#define FORMAT_PCM 1
#define FORMAT_VALUE_MAX 256

/* Plain characters as they are, but those of markup; a "?" for every other. */
static void make_harmless(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80 && c < 0xc0)
            continue; /* the rest of a character */
        out[n++] = c < ' ' || c > '~' || strchr("<>&", c) ? '?' : (char)c;
    }
    out[n] = '\0';
}

int pulse_show_name(struct tags *in, struct byte_queue *out)
{
    const char *text;
    char title[TITLE_MAX];
    if (tags_text(in, &text) < 0)
        return -1;
    make_harmless(title, sizeof title, text ? text : "");
    return tags_put_text(out, title);
}

/* One property; 0 at their end, 1 for one, -1 for no such thing. *VALUE is NULL when it is no text.
 */
static int take_property(struct tags *in, const char **name, const char **value)
{
    uint32_t length;
    size_t whole;
    if (tags_text(in, name) < 0)
        return -1;
    if (!*name)
        return 0;
    const unsigned char *at = tags_number(in, &length) < 0 ? NULL : tags_take(in, "x", &whole);
    if (!at || whole != 5 + (size_t)length)
        return -1;
    *value = length > 0 && memchr(at + 5, '\0', length) == at + 5 + length - 1
                 ? (const char *)at + 5
                 : NULL;
    return 1;
}

/* So that one box cannot change the volume that the host remembers for a program, or for another
 * box, they are all known by the box's own id. */
static int put_properties(struct byte_queue *out, const char *box, const char *program,
                          const char *title)
{
    char id[256], name[256 + PULSE_PROGRAM_MAX];
    snprintf(id, sizeof id, "dev.litterbox.%s", box);
    snprintf(name, sizeof name, "%.255s%s%s", box, *program ? ": " : "", program);
    if (tags_put_letter(out, TAG_PROPERTIES) < 0 ||
        tags_put_property(out, "application.name", name) < 0 ||
        tags_put_property(out, "application.id", id) < 0 ||
        (*title && tags_put_property(out, "media.name", title) < 0))
        return -1;
    return tags_put_letter(out, TAG_NO_TEXT);
}

int pulse_show_properties(struct tags *in, struct byte_queue *out, const char *box,
                          char program[PULSE_PROGRAM_MAX])
{
    const char *name, *value;
    char title[TITLE_MAX] = "";
    size_t length;
    int more = 1;
    if (!tags_take(in, "P", &length))
        return -1;
    for (int i = 0; more > 0; i++) {
        more = i < ENTRIES_MAX ? take_property(in, &name, &value) : -1;
        if (more <= 0 || !value)
            continue;
        if (strcmp(name, "application.name") == 0)
            make_harmless(program, PULSE_PROGRAM_MAX, value);
        else if (strcmp(name, "media.name") == 0)
            make_harmless(title, sizeof title, value);
    }
    return more < 0 ? -1 : put_properties(out, box, program, title);
}

/* What says how samples are laid out, and not more than a value of it may be long. */
static int describes_samples(const char *name, const char *value)
{
    static const char *const names[] = {"format.sample_format", "format.rate", "format.channels",
                                        "format.channel_map"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return strlen(value) < FORMAT_VALUE_MAX;
    return 0;
}

/* Its value is JSON: it goes on as it is, when it is plain. */
static int is_plain(const char *value)
{
    char same[FORMAT_VALUE_MAX];
    make_harmless(same, sizeof same, value);
    return strcmp(same, value) == 0;
}

static int copy_format_properties(struct tags *in, struct byte_queue *out)
{
    const char *name, *value;
    size_t length;
    int more = 1;
    if (!tags_take(in, "P", &length) || tags_put_letter(out, TAG_PROPERTIES) < 0)
        return -1;
    for (int i = 0; more > 0; i++) {
        more = i < ENTRIES_MAX ? take_property(in, &name, &value) : -1;
        if (more > 0 && value && describes_samples(name, value) && is_plain(value) &&
            tags_put_property(out, name, value) < 0)
            return -1;
    }
    return more < 0 ? -1 : tags_put_letter(out, TAG_NO_TEXT);
}

static int copy_format(struct tags *in, struct byte_queue *out, int *others)
{
    size_t letter, length;
    const unsigned char *at = tags_take(in, "f", &letter);
    const unsigned char *encoding = at ? tags_take(in, "B", &length) : NULL;
    if (!encoding)
        return -1;
    *others |= encoding[1] != FORMAT_ANY && encoding[1] != FORMAT_PCM;
    if (byte_queue_append(out, at, letter) < 0 || byte_queue_append(out, encoding, length) < 0)
        return -1;
    return copy_format_properties(in, out);
}

int pulse_show_formats(struct tags *in, struct byte_queue *out)
{
    size_t length;
    int others = 0;
    const unsigned char *count = tags_take(in, "B", &length);
    if (!count || count[1] > FORMATS_MAX || byte_queue_append(out, count, length) < 0)
        return -1;
    for (int i = 0; i < count[1]; i++)
        if (copy_format(in, out, &others) < 0)
            return -1;
    return others;
}
