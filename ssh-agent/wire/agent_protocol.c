#include "ssh-agent/wire/agent_protocol.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH_SIZE 4
/* Most bytes that are buffered while callers follow the rule of ssh_message_stream_feed(). */
#define BUFFERED_MAX (LENGTH_SIZE + SSH_MESSAGE_MAX + SSH_MESSAGE_CHUNK)
#define CAPACITY_MIN 512

void ssh_message_stream_clear(struct ssh_message_stream *self)
{
    free(self->data);
    *self = (struct ssh_message_stream){0};
}

/* Removes the bytes that were returned already; frees the memory if none are left. */
static void compact(struct ssh_message_stream *self)
{
    size_t left = self->length - self->start;
    if (left == 0) {
        free(self->data);
        self->data = NULL;
        self->capacity = 0;
    } else if (self->start > 0) {
        memmove(self->data, self->data + self->start, left);
    }
    self->length = left;
    self->start = 0;
}

static bool grow(struct ssh_message_stream *self, size_t need)
{
    size_t capacity = self->capacity ? self->capacity : CAPACITY_MIN;
    while (capacity < need)
        capacity *= 2;
    if (capacity == self->capacity)
        return true;
    uint8_t *data = realloc(self->data, capacity);
    if (!data)
        return false;
    self->data = data;
    self->capacity = capacity;
    return true;
}

bool ssh_message_stream_feed(struct ssh_message_stream *self, const void *bytes, size_t length)
{
    if (self->failed)
        return false;
    compact(self);
    if (length > SSH_MESSAGE_CHUNK || self->length + length > BUFFERED_MAX ||
        (length > 0 && !grow(self, self->length + length))) {
        self->failed = true;
        return false;
    }
    if (length > 0)
        memcpy(self->data + self->length, bytes, length);
    self->length += length;
    return true;
}

enum ssh_message_status ssh_message_stream_next(struct ssh_message_stream *self,
                                                struct ssh_span *message)
{
    *message = (struct ssh_span){0};
    if (self->failed)
        return SSH_MESSAGE_INVALID;
    if (self->length - self->start < LENGTH_SIZE) {
        compact(self);
        return SSH_MESSAGE_INCOMPLETE;
    }
    struct ssh_span buffered = {self->data + self->start, self->length - self->start};
    struct ssh_reader reader = ssh_reader_of(buffered);
    uint32_t length;
    ssh_read_u32(&reader, &length);
    if (length == 0 || length > SSH_MESSAGE_MAX) {
        self->failed = true;
        return SSH_MESSAGE_INVALID;
    }
    if (!ssh_read_raw(&reader, length, message))
        return SSH_MESSAGE_INCOMPLETE;
    self->start += LENGTH_SIZE + length;
    return SSH_MESSAGE_COMPLETE;
}

/* The failure messages of ssh.com's agents, old and new (OpenSSH: SSH2_AGENT_FAILURE and
 * SSH_COM_AGENT2_FAILURE in authfd.h). */
#define FAILURE_SSH2 30
#define FAILURE_SSHCOM 102

static bool finish_as(struct ssh_request *self, const struct ssh_reader *reader,
                      enum ssh_request_kind kind)
{
    if (!ssh_reader_done(reader))
        return false;
    self->kind = kind;
    return true;
}

static bool parse_sign(struct ssh_request *self, struct ssh_reader *reader)
{
    ssh_read_string(reader, &self->key);
    ssh_read_string(reader, &self->data);
    ssh_read_u32(reader, &self->flags);
    return finish_as(self, reader, SSH_REQUEST_SIGN);
}

static bool parse_extension(struct ssh_request *self, struct ssh_reader *reader)
{
    if (!ssh_read_string(reader, &self->extension))
        return false;
    if (ssh_span_equal(self->extension, SSH_SPAN("query")))
        return finish_as(self, reader, SSH_REQUEST_QUERY);
    if (ssh_span_equal(self->extension, SSH_SPAN(SSH_AGENT_SESSION_BIND))) {
        self->kind = SSH_REQUEST_BIND;
        self->contents = reader->rest;
    }
    return true;
}

static bool parse_body(struct ssh_request *self, struct ssh_reader *reader)
{
    switch (self->type) {
    case SSH_AGENTC_REQUEST_IDENTITIES:
        return finish_as(self, reader, SSH_REQUEST_LIST);
    case SSH_AGENTC_SIGN_REQUEST:
        return parse_sign(self, reader);
    case SSH_AGENTC_EXTENSION:
        return parse_extension(self, reader);
    default:
        return true;
    }
}

void ssh_request_parse(struct ssh_request *self, struct ssh_span message)
{
    struct ssh_reader reader = ssh_reader_of(message);
    *self = (struct ssh_request){.kind = SSH_REQUEST_REFUSED};
    ssh_read_byte(&reader, &self->type);
    if (reader.failed || !parse_body(self, &reader))
        *self = (struct ssh_request){.type = self->type, .malformed = true};
}

static void write_type(struct ssh_writer *to, enum ssh_agent_message_type type)
{
    size_t mark = ssh_write_begin(to);
    ssh_write_byte(to, (uint8_t)type);
    ssh_write_end(to, mark);
}

void ssh_agent_write_failure(struct ssh_writer *to)
{
    write_type(to, SSH_AGENT_FAILURE);
}

void ssh_agent_write_success(struct ssh_writer *to)
{
    write_type(to, SSH_AGENT_SUCCESS);
}

void ssh_agent_write_extension_failure(struct ssh_writer *to)
{
    write_type(to, SSH_AGENT_EXTENSION_FAILURE);
}

void ssh_agent_write_identities_request(struct ssh_writer *to)
{
    write_type(to, SSH_AGENTC_REQUEST_IDENTITIES);
}

void ssh_agent_write_signature(struct ssh_writer *to, struct ssh_span signature)
{
    size_t mark = ssh_write_begin(to);
    ssh_write_byte(to, SSH_AGENT_SIGN_RESPONSE);
    ssh_write_string(to, signature);
    ssh_write_end(to, mark);
}

void ssh_agent_write_query_response(struct ssh_writer *to)
{
    size_t mark = ssh_write_begin(to);
    ssh_write_byte(to, SSH_AGENT_EXTENSION_RESPONSE);
    ssh_write_text(to, "query");
    ssh_write_text(to, SSH_AGENT_SESSION_BIND);
    ssh_write_end(to, mark);
}

void ssh_agent_write_identities(struct ssh_writer *to, const struct ssh_identity *identities,
                                size_t count)
{
    if (count > SSH_AGENT_IDENTITIES_MAX) {
        to->failed = true;
        return;
    }
    size_t mark = ssh_write_begin(to);
    ssh_write_byte(to, SSH_AGENT_IDENTITIES_ANSWER);
    ssh_write_u32(to, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        ssh_write_string(to, identities[i].blob);
        ssh_write_string(to, identities[i].comment);
    }
    ssh_write_end(to, mark);
}

void ssh_agent_write_message(struct ssh_writer *to, struct ssh_span message)
{
    ssh_write_string(to, message);
}

bool ssh_identity_next(struct ssh_span *left, struct ssh_identity *identity)
{
    struct ssh_reader reader = ssh_reader_of(*left);
    ssh_read_string(&reader, &identity->blob);
    ssh_read_string(&reader, &identity->comment);
    *left = reader.rest;
    return !reader.failed;
}

/* Checks all identities, so that ssh_identity_next() cannot fail later. */
static bool parse_identities(struct ssh_reply *self, struct ssh_reader *reader)
{
    uint32_t count;
    struct ssh_identity identity;
    if (!ssh_read_u32(reader, &count) || count > SSH_AGENT_IDENTITIES_MAX)
        return false;
    self->identities = reader->rest;
    self->identity_count = count;
    struct ssh_span left = self->identities;
    for (uint32_t i = 0; i < count; i++)
        if (!ssh_identity_next(&left, &identity))
            return false;
    return left.length == 0;
}

static bool parse_reply(struct ssh_reply *self, enum ssh_agent_message_type request, uint8_t type,
                        struct ssh_reader *reader)
{
    if (request == SSH_AGENTC_REQUEST_IDENTITIES && type == SSH_AGENT_IDENTITIES_ANSWER)
        return parse_identities(self, reader);
    if (request == SSH_AGENTC_SIGN_REQUEST && type == SSH_AGENT_SIGN_RESPONSE)
        return ssh_read_string(reader, &self->signature) && ssh_reader_done(reader);
    if (request == SSH_AGENTC_EXTENSION && type == SSH_AGENT_SUCCESS)
        return ssh_reader_done(reader);
    return false;
}

enum ssh_reply_status ssh_reply_parse(struct ssh_reply *self, enum ssh_agent_message_type request,
                                      struct ssh_span message)
{
    struct ssh_reader reader = ssh_reader_of(message);
    uint8_t type;
    *self = (struct ssh_reply){0};
    if (!ssh_read_byte(&reader, &type))
        return SSH_REPLY_INVALID;
    switch (type) {
    case SSH_AGENT_FAILURE:
    case SSH_AGENT_EXTENSION_FAILURE:
    case FAILURE_SSH2:
    case FAILURE_SSHCOM:
        return SSH_REPLY_FAILED;
    default:
        break;
    }
    if (parse_reply(self, request, type, &reader))
        return SSH_REPLY_OK;
    *self = (struct ssh_reply){0};
    return SSH_REPLY_INVALID;
}
