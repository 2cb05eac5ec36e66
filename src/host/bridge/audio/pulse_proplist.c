#include "host/bridge/audio/pulse_tagstruct.h"

#include <stdio.h>
#include <string.h>

/* Longest name of a stream, with its NUL. */
#define TITLE_MAX 128
#define ENTRIES_MAX 256
#define FORMATS_MAX 32
/* Encodings of a format (PulseAudio's format.h). */
#define FORMAT_ANY 0
#define FORMAT_PCM 1
#define FORMAT_VALUE_MAX 256

/* Copies printable ASCII; markup and each other character become "?". */
static void make_harmless(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80 && c < 0xc0)
            continue; /* the rest of a UTF-8 character */
        out[n++] = c < ' ' || c > '~' || strchr("<>&", c) ? '?' : (char)c;
    }
    out[n] = '\0';
}

int pulse_proplist_copy_name(struct tagstruct *in, struct byte_queue *out)
{
    const char *text;
    char title[TITLE_MAX];
    if (tagstruct_get_string(in, &text) < 0)
        return -1;
    make_harmless(title, sizeof title, text ? text : "");
    return tagstruct_put_string(out, title);
}

/* Reads one property. 1: read; 0: end of the list; -1: malformed. *VALUE is NULL when it is not a
 * string. */
static int read_property(struct tagstruct *in, const char **name, const char **value)
{
    uint32_t length;
    size_t whole;
    if (tagstruct_get_string(in, name) < 0)
        return -1;
    if (!*name)
        return 0;
    const unsigned char *at =
        tagstruct_get_u32(in, &length) < 0 ? NULL : tagstruct_next(in, "x", &whole);
    if (!at || whole != 5 + (size_t)length)
        return -1;
    *value = length > 0 && memchr(at + 5, '\0', length) == at + 5 + length - 1
                 ? (const char *)at + 5
                 : NULL;
    return 1;
}

/* All programs of a box share one application.id: the host remembers volumes by it, and a box must
 * not change those of other boxes or programs. */
static int put_properties(struct byte_queue *out, const char *box, const char *program,
                          const char *title)
{
    char id[256], name[256 + PULSE_PROGRAM_MAX];
    snprintf(id, sizeof id, "dev.litterbox.%s", box);
    snprintf(name, sizeof name, "%.255s%s%s", box, *program ? ": " : "", program);
    if (tagstruct_put_tag(out, TAG_PROPLIST) < 0 ||
        tagstruct_put_property(out, "application.name", name) < 0 ||
        tagstruct_put_property(out, "application.id", id) < 0 ||
        (*title && tagstruct_put_property(out, "media.name", title) < 0))
        return -1;
    return tagstruct_put_tag(out, TAG_STRING_NULL);
}

int pulse_proplist_copy(struct tagstruct *in, struct byte_queue *out, const char *box,
                        char program[PULSE_PROGRAM_MAX])
{
    const char *name, *value;
    char title[TITLE_MAX] = "";
    size_t length;
    int more = 1;
    if (!tagstruct_next(in, "P", &length))
        return -1;
    for (int i = 0; more > 0; i++) {
        more = i < ENTRIES_MAX ? read_property(in, &name, &value) : -1;
        if (more <= 0 || !value)
            continue;
        if (strcmp(name, "application.name") == 0)
            make_harmless(program, PULSE_PROGRAM_MAX, value);
        else if (strcmp(name, "media.name") == 0)
            make_harmless(title, sizeof title, value);
    }
    return more < 0 ? -1 : put_properties(out, box, program, title);
}

/* The properties of PCM samples, with values of limited length. */
static int describes_samples(const char *name, const char *value)
{
    static const char *const names[] = {"format.sample_format", "format.rate", "format.channels",
                                        "format.channel_map"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return strlen(value) < FORMAT_VALUE_MAX;
    return 0;
}

/* Values are JSON, so they are copied unchanged or not at all. */
static int is_plain(const char *value)
{
    char same[FORMAT_VALUE_MAX];
    make_harmless(same, sizeof same, value);
    return strcmp(same, value) == 0;
}

static int copy_format_properties(struct tagstruct *in, struct byte_queue *out)
{
    const char *name, *value;
    size_t length;
    int more = 1;
    if (!tagstruct_next(in, "P", &length) || tagstruct_put_tag(out, TAG_PROPLIST) < 0)
        return -1;
    for (int i = 0; more > 0; i++) {
        more = i < ENTRIES_MAX ? read_property(in, &name, &value) : -1;
        if (more > 0 && value && describes_samples(name, value) && is_plain(value) &&
            tagstruct_put_property(out, name, value) < 0)
            return -1;
    }
    return more < 0 ? -1 : tagstruct_put_tag(out, TAG_STRING_NULL);
}

static int copy_format(struct tagstruct *in, struct byte_queue *out, int *others)
{
    size_t letter, length;
    const unsigned char *at = tagstruct_next(in, "f", &letter);
    const unsigned char *encoding = at ? tagstruct_next(in, "B", &length) : NULL;
    if (!encoding)
        return -1;
    *others |= encoding[1] != FORMAT_ANY && encoding[1] != FORMAT_PCM;
    if (byte_queue_append(out, at, letter) < 0 || byte_queue_append(out, encoding, length) < 0)
        return -1;
    return copy_format_properties(in, out);
}

int pulse_proplist_copy_formats(struct tagstruct *in, struct byte_queue *out)
{
    size_t length;
    int others = 0;
    const unsigned char *count = tagstruct_next(in, "B", &length);
    if (!count || count[1] > FORMATS_MAX || byte_queue_append(out, count, length) < 0)
        return -1;
    for (int i = 0; i < count[1]; i++)
        if (copy_format(in, out, &others) < 0)
            return -1;
    return others;
}
