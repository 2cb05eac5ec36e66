#include "host/bridge/audio/pulse_rewrite.h"

#include <stddef.h>
#include <string.h>

#define VERSION_MIN 13
/* The higher bits are flags for shared memory. */
#define VERSION_MASK 0xffffu
#define COOKIE_LENGTH 256
#define DEVICE_NAME_MAX 255
/* Subscription masks that are allowed: devices and the server's defaults. */
#define FACILITY_SINKS 0x01u
#define FACILITY_SOURCES 0x02u
#define FACILITY_SERVER 0x80u

/* For version 13 of the protocol (2008) and later. */
static const struct pulse_rule rules[] = {
    {PULSE_AUTH, 0, "Vx"},
    {PULSE_SET_CLIENT_NAME, 0, "P"},
    {PULSE_UPDATE_CLIENT_PROPLIST, 0, "LP"},
    {PULSE_GET_SERVER_INFO, 0, ""},
    {PULSE_SUBSCRIBE, 0, "S"},
    {PULSE_LOOKUP_SINK, 0, "n"},
    {PULSE_GET_SINK_INFO, 0, "Ln"},
    {PULSE_GET_SINK_INFO_LIST, 0, ""},

    /* The last z: passthrough, which would make the device unusable for all others. */
    {PULSE_CREATE_PLAYBACK_STREAM, PULSE_PLAYBACK, "amDLbLLLLvbbbbbbbbbP|bb|bbb|b|z|F"},
    {PULSE_DELETE_PLAYBACK_STREAM, PULSE_PLAYBACK, "L"},
    {PULSE_DRAIN_PLAYBACK_STREAM, PULSE_PLAYBACK, "L"},
    {PULSE_GET_PLAYBACK_LATENCY, PULSE_PLAYBACK, "LT"},
    {PULSE_CORK_PLAYBACK_STREAM, PULSE_PLAYBACK, "Lb"},
    {PULSE_FLUSH_PLAYBACK_STREAM, PULSE_PLAYBACK, "L"},
    {PULSE_TRIGGER_PLAYBACK_STREAM, PULSE_PLAYBACK, "L"},
    {PULSE_PREBUF_PLAYBACK_STREAM, PULSE_PLAYBACK, "L"},
    {PULSE_SET_PLAYBACK_STREAM_NAME, PULSE_PLAYBACK, "Ls"},
    {PULSE_SET_PLAYBACK_STREAM_BUFFER_ATTR, PULSE_PLAYBACK, "LLLLLb|b"},
    {PULSE_UPDATE_PLAYBACK_STREAM_SAMPLE_RATE, PULSE_PLAYBACK, "LL"},
    {PULSE_UPDATE_PLAYBACK_STREAM_PROPLIST, PULSE_PLAYBACK, "LLP"},
    {PULSE_GET_SINK_INPUT_INFO, PULSE_PLAYBACK, "i"},
    {PULSE_SET_SINK_INPUT_VOLUME, PULSE_PLAYBACK, "iv"},
    {PULSE_SET_SINK_INPUT_MUTE, PULSE_PLAYBACK, "ib"},

    /*
     * y: dont_move; otherwise the stream might move to a monitor source, and so record what the
     * host plays, when the microphone is unplugged. u: direct_on_input, which records one program.
     */
    {PULSE_CREATE_RECORD_STREAM, PULSE_RECORDING, "amDLbLbbbbbybbbPu|b|bb|Fvbbbbz"},
    {PULSE_DELETE_RECORD_STREAM, PULSE_RECORDING, "L"},
    {PULSE_GET_RECORD_LATENCY, PULSE_RECORDING, "LT"},
    {PULSE_CORK_RECORD_STREAM, PULSE_RECORDING, "Lb"},
    {PULSE_FLUSH_RECORD_STREAM, PULSE_RECORDING, "L"},
    {PULSE_SET_RECORD_STREAM_NAME, PULSE_RECORDING, "Ls"},
    {PULSE_SET_RECORD_STREAM_BUFFER_ATTR, PULSE_RECORDING, "LLLb|b"},
    {PULSE_UPDATE_RECORD_STREAM_SAMPLE_RATE, PULSE_RECORDING, "LL"},
    {PULSE_UPDATE_RECORD_STREAM_PROPLIST, PULSE_RECORDING, "LLP"},
    {PULSE_GET_SOURCE_OUTPUT_INFO, PULSE_RECORDING, "o"},
    {PULSE_SET_SOURCE_OUTPUT_VOLUME, PULSE_RECORDING, "ov"},
    {PULSE_SET_SOURCE_OUTPUT_MUTE, PULSE_RECORDING, "ob"},
    {PULSE_LOOKUP_SOURCE, PULSE_RECORDING, "n"},
    {PULSE_GET_SOURCE_INFO, PULSE_RECORDING, "Ln"},
    {PULSE_GET_SOURCE_INFO_LIST, PULSE_RECORDING, ""},
};

const struct pulse_rule *pulse_rule_find(uint32_t command)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].command == command)
            return &rules[i];
    return NULL;
}

int pulse_is_event(uint32_t command)
{
    return (command >= PULSE_REQUEST && command <= PULSE_SUBSCRIBE_EVENT) ||
           (command >= PULSE_PLAYBACK_STREAM_SUSPENDED && command <= PULSE_RECORD_STREAM_MOVED) ||
           command == PULSE_STARTED ||
           (command >= PULSE_PLAYBACK_STREAM_EVENT && command <= PULSE_RECORD_BUFFER_ATTR_CHANGED);
}

static int copy_unchanged(struct tagstruct *in, const char *types, struct byte_queue *out)
{
    size_t length;
    const unsigned char *at = tagstruct_next(in, types, &length);
    return at && byte_queue_append(out, at, length) == 0 ? PULSE_REWRITTEN : PULSE_MALFORMED;
}

static int copy_boolean(struct tagstruct *in, struct byte_queue *out, char forced)
{
    size_t length;
    return tagstruct_next(in, "10", &length) && tagstruct_put_tag(out, forced) == 0
               ? PULSE_REWRITTEN
               : PULSE_MALFORMED;
}

static int copy_version(struct tagstruct *in, struct byte_queue *out)
{
    uint32_t version;
    if (tagstruct_get_u32(in, &version) < 0 || (version & VERSION_MASK) < VERSION_MIN)
        return PULSE_MALFORMED;
    return tagstruct_put_u32(out, version & VERSION_MASK) == 0 ? PULSE_REWRITTEN : PULSE_MALFORMED;
}

/* The server knows us by our user id (SO_PEERCRED). */
static int copy_cookie(struct tagstruct *in, struct byte_queue *out)
{
    static const unsigned char none[5 + COOKIE_LENGTH] = {TAG_ARBITRARY, 0, 0, COOKIE_LENGTH >> 8,
                                                          COOKIE_LENGTH & 0xff};
    size_t length;
    const unsigned char *at = tagstruct_next(in, "x", &length);
    return at && byte_queue_append(out, none, sizeof none) == 0 ? PULSE_REWRITTEN : PULSE_MALFORMED;
}

static int copy_device_name(struct tagstruct *in, struct byte_queue *out)
{
    const char *name;
    if (tagstruct_get_string(in, &name) < 0)
        return PULSE_MALFORMED;
    if (name && strlen(name) > DEVICE_NAME_MAX)
        return PULSE_REFUSED;
    for (const char *c = name; c && *c; c++)
        if (*c <= ' ' || *c > '~')
            return PULSE_REFUSED;
    return tagstruct_put_string(out, name) == 0 ? PULSE_REWRITTEN : PULSE_MALFORMED;
}

static int copy_device(struct tagstruct *in, struct byte_queue *out, uint32_t device)
{
    uint32_t number;
    const char *name;
    if (tagstruct_get_u32(in, &number) < 0 || tagstruct_get_string(in, &name) < 0)
        return PULSE_MALFORMED;
    return tagstruct_put_u32(out, device) == 0 && tagstruct_put_string(out, NULL) == 0
               ? PULSE_REWRITTEN
               : PULSE_MALFORMED;
}

static int copy_no_index(struct tagstruct *in, struct byte_queue *out)
{
    uint32_t number;
    return tagstruct_get_u32(in, &number) == 0 && tagstruct_put_u32(out, PULSE_INVALID_INDEX) == 0
               ? PULSE_REWRITTEN
               : PULSE_MALFORMED;
}

static int copy_own_stream(const struct pulse_client *self, unsigned char created_by,
                           struct tagstruct *in, struct byte_queue *out)
{
    uint32_t number;
    if (tagstruct_get_u32(in, &number) < 0)
        return PULSE_MALFORMED;
    for (int i = 0; i < PULSE_STREAMS_MAX; i++)
        if (self->streams[i].command == created_by && self->streams[i].index == number)
            return tagstruct_put_u32(out, number) == 0 ? PULSE_REWRITTEN : PULSE_MALFORMED;
    return PULSE_REFUSED;
}

static int copy_subscription(const struct pulse_client *self, struct tagstruct *in,
                             struct byte_queue *out)
{
    uint32_t mask, allowed = FACILITY_SINKS | FACILITY_SERVER;
    if (self->permissions & PULSE_RECORDING)
        allowed |= FACILITY_SOURCES;
    return tagstruct_get_u32(in, &mask) == 0 && tagstruct_put_u32(out, mask & allowed) == 0
               ? PULSE_REWRITTEN
               : PULSE_MALFORMED;
}

static int copy_value(struct pulse_client *self, const struct pulse_rule *rule, char letter,
                      struct tagstruct *in, struct byte_queue *out)
{
    const char types[] = {letter, '\0'};
    switch (letter) {
    case 'V':
        return copy_version(in, out);
    case 'x':
        return copy_cookie(in, out);
    case 'P':
        return pulse_proplist_copy(in, out, self->box, self->program);
    case 's':
        return pulse_proplist_copy_name(in, out);
    case 'F':
        return pulse_proplist_copy_formats(in, out);
    case 'n':
        return copy_device_name(in, out);
    case 'D':
        return copy_device(in, out,
                           rule->needs == PULSE_RECORDING ? self->source : PULSE_INVALID_INDEX);
    case 'u':
        return copy_no_index(in, out);
    case 'i':
        return copy_own_stream(self, PULSE_CREATE_PLAYBACK_STREAM, in, out);
    case 'o':
        return copy_own_stream(self, PULSE_CREATE_RECORD_STREAM, in, out);
    case 'S':
        return copy_subscription(self, in, out);
    case 'b':
        return copy_unchanged(in, "10", out);
    case 'y':
        return copy_boolean(in, out, TAG_BOOLEAN_TRUE);
    case 'z':
        return copy_boolean(in, out, TAG_BOOLEAN_FALSE);
    default:
        return copy_unchanged(in, types, out);
    }
}

/* A command is only refused when all of it is well-formed. */
int pulse_rewrite(struct pulse_client *self, const struct pulse_rule *rule, struct tagstruct *in,
                  struct byte_queue *out)
{
    int refused = 0;
    for (const char *letter = rule->values; *letter; letter++) {
        if (*letter == '|') {
            if (in->at == in->end)
                break;
            continue;
        }
        int outcome = copy_value(self, rule, *letter, in, out);
        if (outcome == PULSE_MALFORMED)
            return PULSE_MALFORMED;
        refused |= outcome;
    }
    return in->at < in->end ? PULSE_MALFORMED : refused;
}
