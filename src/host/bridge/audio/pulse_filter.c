#include "host/bridge/audio/pulse_filter.h"

/* The header of a frame: length of the payload, channel, offset (64 bits), flags. */
#define HEADER 20
#define HEADER_CHANNEL 4
#define HEADER_FLAGS 16
/* The channel of commands and replies. */
#define CONTROL 0xffffffffu
/* The seek mode in the flags of samples. The higher flags are for shared memory. */
#define SEEK_MAX 3
#define FRAME_MAX ((uint32_t)1 << 20)

/* The tag of our own request; those of programs must be less. */
#define OUR_TAG 0xfffffff0u
#define DEFAULT_SOURCE "@DEFAULT_SOURCE@"

/* Error codes (PulseAudio's def.h). */
#define ERROR_ACCESS 1
#define ERROR_NO_ENTITY 5

long pulse_frame(const unsigned char *data, size_t length)
{
    if (length < HEADER)
        return 0;
    uint32_t payload = tagstruct_read_be32(data),
             channel = tagstruct_read_be32(data + HEADER_CHANNEL);
    uint32_t flags = tagstruct_read_be32(data + HEADER_FLAGS);
    if (payload == 0 || payload > FRAME_MAX || flags > (channel == CONTROL ? 0 : SEEK_MAX))
        return -1;
    return HEADER + (long)payload;
}

static int is_control(const unsigned char *frame)
{
    return tagstruct_read_be32(frame + HEADER_CHANNEL) == CONTROL;
}

/* Begins a packet in OUT. Returns its offset, for end_packet(), or -1. */
static long begin_packet(struct byte_queue *out, uint32_t command, uint32_t tag)
{
    static const unsigned char head[HEADER] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    size_t at = out->length;
    if (byte_queue_append(out, head, HEADER) < 0 || tagstruct_put_u32(out, command) < 0 ||
        tagstruct_put_u32(out, tag) < 0)
        return -1;
    return (long)at;
}

static void end_packet(struct byte_queue *out, long at)
{
    tagstruct_write_be32(out->data + at, (uint32_t)(out->length - (size_t)at - HEADER));
}

static int reply_error(struct byte_queue *to_program, uint32_t tag, uint32_t error)
{
    long at = begin_packet(to_program, PULSE_ERROR, tag);
    if (at < 0 || tagstruct_put_u32(to_program, error) < 0)
        return -1;
    end_packet(to_program, at);
    return 0;
}

/* An empty list: programs take an error in its place for a broken server. */
static int reply_empty(struct byte_queue *to_program, uint32_t tag)
{
    long at = begin_packet(to_program, PULSE_REPLY, tag);
    if (at < 0)
        return -1;
    end_packet(to_program, at);
    return 0;
}

static int refuse(struct byte_queue *to_program, uint32_t command, uint32_t tag)
{
    return command == PULSE_GET_SOURCE_INFO_LIST ? reply_empty(to_program, tag)
                                                 : reply_error(to_program, tag, ERROR_ACCESS);
}

/* -1: too many requests without a reply. */
static int add_pending(struct pulse_filter *self, uint32_t tag, unsigned char command)
{
    for (int i = 0; i < PULSE_PENDING_MAX; i++) {
        if (self->pending[i].command)
            continue;
        self->pending[i] = (struct pulse_pending){tag, command};
        return 0;
    }
    return -1;
}

/* Removes the pending request TAG and returns its command; 0 for none. */
static unsigned char take_pending(struct pulse_filter *self, uint32_t tag)
{
    for (int i = 0; i < PULSE_PENDING_MAX; i++) {
        unsigned char command = self->pending[i].command;
        if (!command || self->pending[i].tag != tag)
            continue;
        self->pending[i].command = 0;
        return command;
    }
    return 0;
}

static int has_needed_reply(uint32_t command)
{
    return command == PULSE_AUTH || command == PULSE_GET_SERVER_INFO ||
           command == PULSE_CREATE_PLAYBACK_STREAM || command == PULSE_CREATE_RECORD_STREAM;
}

/* COMMAND may end a stream; then VALUES begin with its channel. */
static void forget_stream(struct pulse_filter *self, uint32_t command, struct tagstruct values)
{
    int played = command == PULSE_DELETE_PLAYBACK_STREAM || command == PULSE_PLAYBACK_STREAM_KILLED;
    int recorded = command == PULSE_DELETE_RECORD_STREAM || command == PULSE_RECORD_STREAM_KILLED;
    uint32_t created_by = played ? PULSE_CREATE_PLAYBACK_STREAM : PULSE_CREATE_RECORD_STREAM;
    uint32_t channel;
    if ((!played && !recorded) || tagstruct_get_u32(&values, &channel) < 0)
        return;
    for (int i = 0; i < PULSE_STREAMS_MAX; i++)
        if (self->client.streams[i].command == created_by &&
            self->client.streams[i].channel == channel)
            self->client.streams[i].command = 0;
}

/* IN: the values of a command with RULE. */
static int rewrite(struct pulse_filter *self, const struct pulse_rule *rule, uint32_t tag,
                   struct tagstruct in, struct byte_queue *to_server, struct byte_queue *to_program)
{
    struct tagstruct values = in;
    size_t before = to_server->length;
    long at = begin_packet(to_server, rule->command, tag);
    int outcome = at < 0 ? PULSE_MALFORMED : pulse_rewrite(&self->client, rule, &in, to_server);
    if (outcome == PULSE_REWRITTEN && has_needed_reply(rule->command) &&
        add_pending(self, tag, rule->command) < 0)
        outcome = PULSE_MALFORMED;
    if (outcome != PULSE_REWRITTEN) {
        /* Removes the part that was written. */
        to_server->length = before;
        return outcome == PULSE_REFUSED ? reply_error(to_program, tag, ERROR_ACCESS) : -1;
    }
    forget_stream(self, rule->command, values);
    end_packet(to_server, at);
    return 0;
}

/* Without a microphone the default source is a monitor, so its type is asked for first. */
static int request_source_info(struct pulse_filter *self, const unsigned char *frame, size_t length,
                               struct byte_queue *to_server)
{
    long at = begin_packet(to_server, PULSE_GET_SOURCE_INFO, OUR_TAG);
    if (at < 0 || tagstruct_put_u32(to_server, PULSE_INVALID_INDEX) < 0 ||
        tagstruct_put_string(to_server, DEFAULT_SOURCE) < 0)
        return -1;
    end_packet(to_server, at);
    return byte_queue_append(&self->held, frame, length);
}

static int from_program(struct pulse_filter *self, uint32_t command, uint32_t tag,
                        struct tagstruct in, struct byte_queue *to_server,
                        struct byte_queue *to_program)
{
    const struct pulse_rule *rule = pulse_rule_find(command);
    if (tag < self->next_tag || tag >= OUR_TAG ||
        (!self->is_authenticated && command != PULSE_AUTH))
        return -1;
    self->next_tag = tag + 1;
    if (!rule || (rule->needs & ~self->client.permissions) ||
        (self->is_authenticated && command == PULSE_AUTH))
        return refuse(to_program, command, tag);
    self->is_authenticated = 1;
    return rewrite(self, rule, tag, in, to_server, to_program);
}

int pulse_from_program(struct pulse_filter *self, const unsigned char *frame, size_t length,
                       struct byte_queue *to_server, struct byte_queue *to_program)
{
    struct tagstruct in = {frame + HEADER, frame + length};
    uint32_t command, tag;
    if (!is_control(frame))
        return self->is_authenticated ? byte_queue_append(to_server, frame, length) : -1;
    if (tagstruct_get_u32(&in, &command) < 0 || tagstruct_get_u32(&in, &tag) < 0)
        return -1;
    if (command == PULSE_CREATE_RECORD_STREAM && self->client.permissions & PULSE_RECORDING &&
        self->is_authenticated)
        return request_source_info(self, frame, length, to_server);
    return from_program(self, command, tag, in, to_server, to_program);
}

/* Reads index, name, description, sample spec, channel map, module, volume, mute and monitor_of. */
static int is_no_monitor(struct tagstruct in, uint32_t *source)
{
    uint32_t module, monitor_of;
    const char *name, *description;
    size_t length;
    return tagstruct_get_u32(&in, source) == 0 && tagstruct_get_string(&in, &name) == 0 &&
           tagstruct_get_string(&in, &description) == 0 && tagstruct_next(&in, "a", &length) &&
           tagstruct_next(&in, "m", &length) && tagstruct_get_u32(&in, &module) == 0 &&
           tagstruct_next(&in, "v", &length) && tagstruct_next(&in, "10", &length) &&
           tagstruct_get_u32(&in, &monitor_of) == 0 && monitor_of == PULSE_INVALID_INDEX;
}

int pulse_is_waiting(const struct pulse_filter *self)
{
    return self->held.length > 0;
}

static int on_source_info(struct pulse_filter *self, int found, struct tagstruct values,
                          struct byte_queue *to_server, struct byte_queue *to_program)
{
    uint32_t command, tag;
    int outcome = -1;
    if (!pulse_is_waiting(self))
        return -1;
    struct tagstruct in = {self->held.data + HEADER, self->held.data + self->held.length};
    if (tagstruct_get_u32(&in, &command) < 0 || tagstruct_get_u32(&in, &tag) < 0)
        return -1;
    if (found && is_no_monitor(values, &self->client.source))
        outcome = from_program(self, command, tag, in, to_server, to_program);
    else if (tag >= self->next_tag && tag < OUR_TAG) {
        self->next_tag = tag + 1;
        outcome = reply_error(to_program, tag, ERROR_NO_ENTITY);
    }
    byte_queue_clear(&self->held);
    return outcome;
}

static int remember_stream(struct pulse_filter *self, unsigned char command, struct tagstruct in)
{
    uint32_t channel, number;
    if (tagstruct_get_u32(&in, &channel) < 0 || tagstruct_get_u32(&in, &number) < 0)
        return -1;
    for (int i = 0; i < PULSE_STREAMS_MAX; i++) {
        if (self->client.streams[i].command)
            continue;
        self->client.streams[i] = (struct pulse_stream){channel, number, command};
        return 0;
    }
    return -1; /* too many */
}

/* The server's name, version, user and host name; the last is replaced by the box's name. */
static int rewrite_server_info(const struct pulse_filter *self, struct tagstruct in,
                               struct byte_queue *out)
{
    size_t length;
    const char *host;
    for (int i = 0; i < 3; i++) {
        const unsigned char *at = tagstruct_next(&in, "tN", &length);
        if (!at || byte_queue_append(out, at, length) < 0)
            return -1;
    }
    return tagstruct_get_string(&in, &host) < 0 || tagstruct_put_string(out, self->client.box) < 0
               ? -1
               : byte_queue_append(out, in.at, (size_t)(in.end - in.at));
}

static int rewrite_auth_reply(struct tagstruct in, struct byte_queue *out)
{
    uint32_t version;
    return tagstruct_get_u32(&in, &version) < 0 ? -1 : tagstruct_put_u32(out, version & 0xffff);
}

/* A reply to COMMAND; 0: to none that the filter needs. */
static int on_reply(struct pulse_filter *self, unsigned char command, uint32_t tag,
                    const unsigned char *frame, size_t length, struct tagstruct in,
                    struct byte_queue *to_program)
{
    if (command != PULSE_AUTH && command != PULSE_GET_SERVER_INFO)
        return command && remember_stream(self, command, in) < 0
                   ? -1
                   : byte_queue_append(to_program, frame, length);
    long at = begin_packet(to_program, PULSE_REPLY, tag);
    if (at < 0 || (command == PULSE_AUTH ? rewrite_auth_reply(in, to_program)
                                         : rewrite_server_info(self, in, to_program)) < 0)
        return -1;
    end_packet(to_program, at);
    return 0;
}

int pulse_from_server(struct pulse_filter *self, const unsigned char *frame, size_t length,
                      struct byte_queue *to_server, struct byte_queue *to_program)
{
    struct tagstruct in = {frame + HEADER, frame + length};
    uint32_t command, tag;
    if (!is_control(frame))
        return self->client.permissions & PULSE_RECORDING
                   ? byte_queue_append(to_program, frame, length)
                   : -1;
    if (tagstruct_get_u32(&in, &command) < 0 || tagstruct_get_u32(&in, &tag) < 0)
        return -1;
    int is_answer = command == PULSE_REPLY || command == PULSE_ERROR;
    if (is_answer && tag == OUR_TAG)
        return on_source_info(self, command == PULSE_REPLY, in, to_server, to_program);
    unsigned char request = is_answer ? take_pending(self, tag) : 0;
    if (command == PULSE_REPLY)
        return on_reply(self, request, tag, frame, length, in, to_program);
    forget_stream(self, command, in);
    return is_answer || pulse_is_event(command) ? byte_queue_append(to_program, frame, length) : 0;
}
