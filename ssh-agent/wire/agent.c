#include "ssh-agent/wire/agent.h"

/* Replies of agents that mean no as well: of ssh.com's, old and new. */
#define FAILURE_SSH2 30
#define FAILURE_SSHCOM 102

static bool done_as(struct ssh_request *self, const struct ssh_reader *reader,
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
    return done_as(self, reader, SSH_REQUEST_SIGN);
}

static bool parse_extension(struct ssh_request *self, struct ssh_reader *reader)
{
    if (!ssh_read_string(reader, &self->extension))
        return false;
    if (ssh_span_equal(self->extension, SSH_SPAN("query")))
        return done_as(self, reader, SSH_REQUEST_QUERY);
    if (ssh_span_equal(self->extension, SSH_SPAN(SSH_AGENT_SESSION_BIND))) {
        self->kind = SSH_REQUEST_BIND;
        self->contents = reader->rest;
    }
    return true;
}

static bool parse_body(struct ssh_request *self, struct ssh_reader *reader)
{
    switch (self->type) {
    case SSH_AGENT_LIST:
        return done_as(self, reader, SSH_REQUEST_LIST);
    case SSH_AGENT_SIGN:
        return parse_sign(self, reader);
    case SSH_AGENT_EXTENSION:
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

static void write_type(struct ssh_writer *to, enum ssh_agent_type type)
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

void ssh_agent_write_list(struct ssh_writer *to)
{
    write_type(to, SSH_AGENT_LIST);
}

void ssh_agent_write_signature(struct ssh_writer *to, struct ssh_span signature)
{
    size_t mark = ssh_write_begin(to);
    ssh_write_byte(to, SSH_AGENT_SIGNATURE);
    ssh_write_string(to, signature);
    ssh_write_end(to, mark);
}

void ssh_agent_write_query(struct ssh_writer *to)
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
    ssh_write_byte(to, SSH_AGENT_IDENTITIES);
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

/* Every identity is looked at before the first is used. */
static bool parse_identities(struct ssh_reply_facts *facts, struct ssh_reader *reader)
{
    uint32_t count;
    struct ssh_identity identity;
    if (!ssh_read_u32(reader, &count) || count > SSH_AGENT_IDENTITIES_MAX)
        return false;
    facts->identities = reader->rest;
    facts->identity_count = count;
    struct ssh_span left = facts->identities;
    for (uint32_t i = 0; i < count; i++)
        if (!ssh_identity_next(&left, &identity))
            return false;
    return left.length == 0;
}

static bool parse_reply(struct ssh_reply_facts *facts, enum ssh_agent_type request, uint8_t type,
                        struct ssh_reader *reader)
{
    if (request == SSH_AGENT_LIST && type == SSH_AGENT_IDENTITIES)
        return parse_identities(facts, reader);
    if (request == SSH_AGENT_SIGN && type == SSH_AGENT_SIGNATURE)
        return ssh_read_string(reader, &facts->signature) && ssh_reader_done(reader);
    if (request == SSH_AGENT_EXTENSION && type == SSH_AGENT_SUCCESS)
        return ssh_reader_done(reader);
    return false;
}

enum ssh_reply ssh_reply_parse(struct ssh_reply_facts *facts, enum ssh_agent_type request,
                               struct ssh_span message)
{
    struct ssh_reader reader = ssh_reader_of(message);
    uint8_t type;
    *facts = (struct ssh_reply_facts){0};
    if (!ssh_read_byte(&reader, &type))
        return SSH_REPLY_BAD;
    switch (type) {
    case SSH_AGENT_FAILURE:
    case SSH_AGENT_EXTENSION_FAILURE:
    case FAILURE_SSH2:
    case FAILURE_SSHCOM:
        return SSH_REPLY_FAILED;
    default:
        break;
    }
    if (parse_reply(facts, request, type, &reader))
        return SSH_REPLY_OK;
    *facts = (struct ssh_reply_facts){0};
    return SSH_REPLY_BAD;
}
