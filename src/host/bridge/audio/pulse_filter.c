#include "host/bridge/audio/pulse_filter.h"

#include "host/bridge/audio/pulse_copy.h"

/* A frame: its length, its channel, a place, flags; and what it holds. */
#define HEAD 20
#define HEAD_CHANNEL 4
#define HEAD_FLAGS 16
/* The channel of commands and answers. */
#define CONTROL 0xffffffffu
/* Flags of samples: where they go to. All higher ones are about shared memory. */
#define SEEK_MOST 3
#define FRAME_MAX ((uint32_t)1 << 20)

/* Of our own question; those of a program end before. */
#define OUR_TAG 0xfffffff0u
#define DEFAULT_SOURCE "@DEFAULT_SOURCE@"

/* Errors of the protocol. */
#define ERROR_ACCESS 1
#define ERROR_NO_ENTITY 5

long pulse_frame(const unsigned char *data, size_t length)
{
    if (length < HEAD)
        return 0;
    uint32_t holds = tags_read(data), channel = tags_read(data + HEAD_CHANNEL);
    uint32_t flags = tags_read(data + HEAD_FLAGS);
    if (holds == 0 || holds > FRAME_MAX || flags > (channel == CONTROL ? 0 : SEEK_MOST))
        return -1;
    return HEAD + (long)holds;
}

static int is_control(const unsigned char *frame)
{
    return tags_read(frame + HEAD_CHANNEL) == CONTROL;
}

/* Begins a packet behind OUT, for end_packet(): where it is; or -1. */
static long begin_packet(struct byte_queue *out, uint32_t command, uint32_t tag)
{
    static const unsigned char head[HEAD] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    size_t at = out->length;
    if (byte_queue_append(out, head, HEAD) < 0 || tags_put_number(out, command) < 0 ||
        tags_put_number(out, tag) < 0)
        return -1;
    return (long)at;
}

static void end_packet(struct byte_queue *out, long at)
{
    tags_write(out->data + at, (uint32_t)(out->length - (size_t)at - HEAD));
}

static int answer_error(struct byte_queue *to_program, uint32_t tag, uint32_t error)
{
    long at = begin_packet(to_program, PULSE_ERROR, tag);
    if (at < 0 || tags_put_number(to_program, error) < 0)
        return -1;
    end_packet(to_program, at);
    return 0;
}

/* A list with nothing in it: programs look what there is, and take an error for a broken server. */
static int answer_nothing(struct byte_queue *to_program, uint32_t tag)
{
    long at = begin_packet(to_program, PULSE_REPLY, tag);
    if (at < 0)
        return -1;
    end_packet(to_program, at);
    return 0;
}

static int refuse(struct byte_queue *to_program, uint32_t command, uint32_t tag)
{
    return command == PULSE_GET_SOURCE_INFO_LIST ? answer_nothing(to_program, tag)
                                                 : answer_error(to_program, tag, ERROR_ACCESS);
}

/* -1: it asks faster than it is answered. */
static int await(struct pulse_filter *self, uint32_t tag, unsigned char command)
{
    for (int i = 0; i < PULSE_PENDING_MAX; i++) {
        if (self->pending[i].command)
            continue;
        self->pending[i] = (struct pulse_pending){tag, command};
        return 0;
    }
    return -1;
}

/* The command that TAG is an answer to, when it is awaited; 0. */
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

static int is_looked_at(uint32_t command)
{
    return command == PULSE_AUTH || command == PULSE_GET_SERVER_INFO ||
           command == PULSE_CREATE_PLAYBACK_STREAM || command == PULSE_CREATE_RECORD_STREAM;
}

static void forget_stream(struct pulse_filter *self, uint32_t command, struct tags values)
{
    uint32_t channel, made_by = command == PULSE_DELETE_PLAYBACK_STREAM
                                    ? PULSE_CREATE_PLAYBACK_STREAM
                                    : PULSE_CREATE_RECORD_STREAM;
    if (tags_number(&values, &channel) < 0)
        return;
    for (int i = 0; i < PULSE_STREAMS_MAX; i++)
        if (self->streams[i].command == made_by && self->streams[i].channel == channel)
            self->streams[i].command = 0;
}

/* IN: the values of the command of RULE. */
static int pass(struct pulse_filter *self, const struct pulse_rule *rule, uint32_t tag,
                struct tags in, struct byte_queue *to_server, struct byte_queue *to_program)
{
    struct tags values = in;
    size_t before = to_server->length;
    long at = begin_packet(to_server, rule->command, tag);
    int outcome = at < 0 ? PULSE_WRONG : pulse_copy(self, rule, &in, to_server);
    if (outcome == PULSE_COPIED && is_looked_at(rule->command) &&
        await(self, tag, rule->command) < 0)
        outcome = PULSE_WRONG;
    if (outcome != PULSE_COPIED) {
        /* What is not passed on has no part that is. */
        to_server->length = before;
        return outcome == PULSE_REFUSED ? answer_error(to_program, tag, ERROR_ACCESS) : -1;
    }
    if (rule->command == PULSE_DELETE_PLAYBACK_STREAM ||
        rule->command == PULSE_DELETE_RECORD_STREAM)
        forget_stream(self, rule->command, values);
    end_packet(to_server, at);
    return 0;
}

/* What would be recorded: a monitor is the default where there is no microphone. */
static int ask_for_device(struct pulse_filter *self, const unsigned char *frame, size_t length,
                          struct byte_queue *to_server)
{
    long at = begin_packet(to_server, PULSE_GET_SOURCE_INFO, OUR_TAG);
    if (at < 0 || tags_put_number(to_server, PULSE_NONE) < 0 ||
        tags_put_text(to_server, DEFAULT_SOURCE) < 0)
        return -1;
    end_packet(to_server, at);
    return byte_queue_append(&self->held, frame, length);
}

static int from_program(struct pulse_filter *self, uint32_t command, uint32_t tag, struct tags in,
                        struct byte_queue *to_server, struct byte_queue *to_program)
{
    const struct pulse_rule *rule = pulse_rule_of(command);
    if (tag < self->next || tag >= OUR_TAG || (!self->begun && command != PULSE_AUTH))
        return -1;
    self->next = tag + 1;
    if (!rule || (rule->needs & ~self->may) || (self->begun && command == PULSE_AUTH))
        return refuse(to_program, command, tag);
    self->begun = 1;
    return pass(self, rule, tag, in, to_server, to_program);
}

int pulse_from_program(struct pulse_filter *self, const unsigned char *frame, size_t length,
                       struct byte_queue *to_server, struct byte_queue *to_program)
{
    struct tags in = {frame + HEAD, frame + length};
    uint32_t command, tag;
    if (!is_control(frame))
        return self->begun ? byte_queue_append(to_server, frame, length) : -1;
    if (tags_number(&in, &command) < 0 || tags_number(&in, &tag) < 0)
        return -1;
    if (command == PULSE_CREATE_RECORD_STREAM && self->may & PULSE_RECORDS && self->begun)
        return ask_for_device(self, frame, length, to_server);
    return from_program(self, command, tag, in, to_server, to_program);
}

/* Index, name, description, samples, map, module, volume, mute, and what it is the monitor of. */
static int is_microphone(struct tags in, uint32_t *device)
{
    uint32_t module, of;
    const char *name, *description;
    size_t length;
    return tags_number(&in, device) == 0 && tags_text(&in, &name) == 0 &&
           tags_text(&in, &description) == 0 && tags_take(&in, "a", &length) &&
           tags_take(&in, "m", &length) && tags_number(&in, &module) == 0 &&
           tags_take(&in, "v", &length) && tags_take(&in, "10", &length) &&
           tags_number(&in, &of) == 0 && of == PULSE_NONE;
}

int pulse_is_waiting(const struct pulse_filter *self)
{
    return self->held.length > 0;
}

static int on_device(struct pulse_filter *self, int found, struct tags values,
                     struct byte_queue *to_server, struct byte_queue *to_program)
{
    uint32_t command, tag;
    int outcome = -1;
    if (!pulse_is_waiting(self))
        return -1;
    struct tags in = {self->held.data + HEAD, self->held.data + self->held.length};
    if (tags_number(&in, &command) < 0 || tags_number(&in, &tag) < 0)
        return -1;
    if (found && is_microphone(values, &self->device))
        outcome = from_program(self, command, tag, in, to_server, to_program);
    else if (tag >= self->next && tag < OUR_TAG) {
        self->next = tag + 1;
        outcome = answer_error(to_program, tag, ERROR_NO_ENTITY);
    }
    byte_queue_clear(&self->held);
    return outcome;
}

static int remember_stream(struct pulse_filter *self, unsigned char command, struct tags in)
{
    uint32_t channel, number;
    if (tags_number(&in, &channel) < 0 || tags_number(&in, &number) < 0)
        return -1;
    for (int i = 0; i < PULSE_STREAMS_MAX; i++) {
        if (self->streams[i].command)
            continue;
        self->streams[i] = (struct pulse_stream){channel, number, command};
        return 0;
    }
    return -1; /* more than any program has */
}

/* The server's name and version, user, host: the box's name for the latter. */
static int copy_server_info(const struct pulse_filter *self, struct tags in, struct byte_queue *out)
{
    size_t length;
    const char *host;
    for (int i = 0; i < 3; i++) {
        const unsigned char *at = tags_take(&in, "tN", &length);
        if (!at || byte_queue_append(out, at, length) < 0)
            return -1;
    }
    return tags_text(&in, &host) < 0 || tags_put_text(out, self->box) < 0
               ? -1
               : byte_queue_append(out, in.at, (size_t)(in.end - in.at));
}

static int copy_auth(struct tags in, struct byte_queue *out)
{
    uint32_t version;
    return tags_number(&in, &version) < 0 ? -1 : tags_put_number(out, version & 0xffff);
}

/* An answer to COMMAND. */
static int on_reply(struct pulse_filter *self, unsigned char command, uint32_t tag,
                    const unsigned char *frame, size_t length, struct tags in,
                    struct byte_queue *to_program)
{
    if (command != PULSE_AUTH && command != PULSE_GET_SERVER_INFO)
        return command && remember_stream(self, command, in) < 0
                   ? -1
                   : byte_queue_append(to_program, frame, length);
    long at = begin_packet(to_program, PULSE_REPLY, tag);
    if (at < 0 || (command == PULSE_AUTH ? copy_auth(in, to_program)
                                         : copy_server_info(self, in, to_program)) < 0)
        return -1;
    end_packet(to_program, at);
    return 0;
}

int pulse_from_server(struct pulse_filter *self, const unsigned char *frame, size_t length,
                      struct byte_queue *to_server, struct byte_queue *to_program)
{
    struct tags in = {frame + HEAD, frame + length};
    uint32_t command, tag;
    if (!is_control(frame))
        return self->may & PULSE_RECORDS ? byte_queue_append(to_program, frame, length) : -1;
    if (tags_number(&in, &command) < 0 || tags_number(&in, &tag) < 0)
        return -1;
    int is_answer = command == PULSE_REPLY || command == PULSE_ERROR;
    if (is_answer && tag == OUR_TAG)
        return on_device(self, command == PULSE_REPLY, in, to_server, to_program);
    unsigned char awaited = is_answer ? take_pending(self, tag) : 0;
    if (command == PULSE_REPLY)
        return on_reply(self, awaited, tag, frame, length, in, to_program);
    return is_answer || pulse_is_event(command) ? byte_queue_append(to_program, frame, length) : 0;
}

void pulse_clear(struct pulse_filter *self)
{
    byte_queue_clear(&self->held);
}
