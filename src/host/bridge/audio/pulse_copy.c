#include "host/bridge/audio/pulse_copy.h"

#include <string.h>

#define VERSION_LEAST 13
/* Higher bits of it say that there is shared memory. */
#define VERSION_MASK 0xffffu
#define COOKIE_LENGTH 256
#define DEVICE_NAME_MAX 255
/* What can be subscribed to: devices, and what the user's choice of them is. */
#define ABOUT_SINKS 0x01u
#define ABOUT_SOURCES 0x02u
#define ABOUT_SERVER 0x80u

static int copy_as_it_is(struct tags *in, const char *kinds, struct byte_queue *out)
{
    size_t length;
    const unsigned char *at = tags_take(in, kinds, &length);
    return at && byte_queue_append(out, at, length) == 0 ? PULSE_COPIED : PULSE_WRONG;
}

static int copy_truth(struct tags *in, struct byte_queue *out, char forced)
{
    size_t length;
    return tags_take(in, "10", &length) && tags_put_letter(out, forced) == 0 ? PULSE_COPIED
                                                                             : PULSE_WRONG;
}

static int copy_version(struct tags *in, struct byte_queue *out)
{
    uint32_t version;
    if (tags_number(in, &version) < 0 || (version & VERSION_MASK) < VERSION_LEAST)
        return PULSE_WRONG;
    return tags_put_number(out, version & VERSION_MASK) == 0 ? PULSE_COPIED : PULSE_WRONG;
}

/* The server knows us by our user id. */
static int copy_cookie(struct tags *in, struct byte_queue *out)
{
    static const unsigned char none[5 + COOKIE_LENGTH] = {TAG_BYTES, 0, 0, COOKIE_LENGTH >> 8,
                                                          COOKIE_LENGTH & 0xff};
    size_t length;
    const unsigned char *at = tags_take(in, "x", &length);
    return at && byte_queue_append(out, none, sizeof none) == 0 ? PULSE_COPIED : PULSE_WRONG;
}

static int copy_device_name(struct tags *in, struct byte_queue *out)
{
    const char *name;
    if (tags_text(in, &name) < 0)
        return PULSE_WRONG;
    if (name && strlen(name) > DEVICE_NAME_MAX)
        return PULSE_REFUSED;
    for (const char *c = name; c && *c; c++)
        if (*c <= ' ' || *c > '~')
            return PULSE_REFUSED;
    return tags_put_text(out, name) == 0 ? PULSE_COPIED : PULSE_WRONG;
}

static int copy_device(struct tags *in, struct byte_queue *out, uint32_t device)
{
    uint32_t number;
    const char *name;
    if (tags_number(in, &number) < 0 || tags_text(in, &name) < 0)
        return PULSE_WRONG;
    return tags_put_number(out, device) == 0 && tags_put_text(out, NULL) == 0 ? PULSE_COPIED
                                                                              : PULSE_WRONG;
}

static int copy_none(struct tags *in, struct byte_queue *out)
{
    uint32_t number;
    return tags_number(in, &number) == 0 && tags_put_number(out, PULSE_NONE) == 0 ? PULSE_COPIED
                                                                                  : PULSE_WRONG;
}

static int copy_own(const struct pulse_filter *self, unsigned char made_by, struct tags *in,
                    struct byte_queue *out)
{
    uint32_t number;
    if (tags_number(in, &number) < 0)
        return PULSE_WRONG;
    for (int i = 0; i < PULSE_STREAMS_MAX; i++)
        if (self->streams[i].command == made_by && self->streams[i].number == number)
            return tags_put_number(out, number) == 0 ? PULSE_COPIED : PULSE_WRONG;
    return PULSE_REFUSED;
}

static int copy_subscription(const struct pulse_filter *self, struct tags *in,
                             struct byte_queue *out)
{
    uint32_t about, allowed = ABOUT_SINKS | ABOUT_SERVER;
    if (self->may & PULSE_RECORDS)
        allowed |= ABOUT_SOURCES;
    return tags_number(in, &about) == 0 && tags_put_number(out, about & allowed) == 0 ? PULSE_COPIED
                                                                                      : PULSE_WRONG;
}

static int copy_one(struct pulse_filter *self, const struct pulse_rule *rule, char letter,
                    struct tags *in, struct byte_queue *out)
{
    const char kinds[] = {letter, '\0'};
    switch (letter) {
    case 'V':
        return copy_version(in, out);
    case 'x':
        return copy_cookie(in, out);
    case 'P':
        return pulse_show_properties(in, out, self->box, self->program);
    case 's':
        return pulse_show_name(in, out);
    case 'F':
        return pulse_show_formats(in, out);
    case 'n':
        return copy_device_name(in, out);
    case 'D':
        return copy_device(in, out, rule->needs == PULSE_RECORDS ? self->device : PULSE_NONE);
    case 'u':
        return copy_none(in, out);
    case 'i':
        return copy_own(self, PULSE_CREATE_PLAYBACK_STREAM, in, out);
    case 'o':
        return copy_own(self, PULSE_CREATE_RECORD_STREAM, in, out);
    case 'S':
        return copy_subscription(self, in, out);
    case 'b':
        return copy_as_it_is(in, "10", out);
    case 'y':
        return copy_truth(in, out, TAG_TRUE);
    case 'z':
        return copy_truth(in, out, TAG_FALSE);
    default:
        return copy_as_it_is(in, kinds, out);
    }
}

/* A refusal is one only of what is whole. */
int pulse_copy(struct pulse_filter *self, const struct pulse_rule *rule, struct tags *in,
               struct byte_queue *out)
{
    int refused = 0;
    for (const char *letter = rule->shape; *letter; letter++) {
        if (*letter == '|') {
            if (in->at == in->end)
                break;
            continue;
        }
        int outcome = copy_one(self, rule, *letter, in, out);
        if (outcome == PULSE_WRONG)
            return PULSE_WRONG;
        refused |= outcome;
    }
    return in->at < in->end ? PULSE_WRONG : refused;
}
