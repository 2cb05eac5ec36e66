#include "guest/portal/message.h"

#include <string.h>

#include "guest/portal/wire_type.h"

#define VERSION 1
/* Of the parts of a head. */
#define AT_BODY_LENGTH 4
#define AT_FIELDS_LENGTH 12
#define BEHIND_HEAD 8 /* the body begins where this divides */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OURS 'l'
#define OTHER 'B'
#else
#define OURS 'B'
#define OTHER 'l'
#endif

/* The codes of a message's fields. */
enum field {
    FIELD_PATH = 1,
    FIELD_INTERFACE,
    FIELD_MEMBER,
    FIELD_ERROR,
    FIELD_REPLY_TO,
    FIELD_DESTINATION,
    FIELD_SENDER,
    FIELD_SIGNATURE,
    FIELDS
};
static const char types[FIELDS][2] = {
    [FIELD_PATH] = "o",   [FIELD_INTERFACE] = "s", [FIELD_MEMBER] = "s",
    [FIELD_ERROR] = "s",  [FIELD_REPLY_TO] = "u",  [FIELD_DESTINATION] = "s",
    [FIELD_SENDER] = "s", [FIELD_SIGNATURE] = "g",
};

static uint32_t number_at(const uint8_t *head, size_t at)
{
    struct wire_in in = {.data = head, .length = MESSAGE_HEAD, .at = at, .swap = head[0] == OTHER};
    return wire_get_u32(&in);
}

size_t message_length(const uint8_t *head)
{
    size_t body = number_at(head, AT_BODY_LENGTH), fields = number_at(head, AT_FIELDS_LENGTH);
    if ((head[0] != OURS && head[0] != OTHER) || head[3] != VERSION || body > MESSAGE_MAX ||
        fields > MESSAGE_MAX)
        return 0;
    size_t length = wire_align(MESSAGE_HEAD + fields, BEHIND_HEAD) + body;
    return length > MESSAGE_MAX ? 0 : length;
}

static void take_field(struct message *self, struct wire_in *in)
{
    const char **const texts[FIELDS] = {
        [FIELD_PATH] = &self->path,     [FIELD_INTERFACE] = &self->interface,
        [FIELD_MEMBER] = &self->member, [FIELD_ERROR] = &self->error,
        [FIELD_SENDER] = &self->sender, [FIELD_DESTINATION] = &self->destination,
    };
    wire_get_struct(in);
    uint8_t code = wire_get_byte(in);
    const char *type = wire_get_signature(in);
    const char *end = wire_type_end(type);
    if (!end || *end || (code > 0 && code < FIELDS && strcmp(type, types[code]) != 0))
        in->wrong = 1;
    else if (code == FIELD_REPLY_TO)
        self->reply_to = wire_get_u32(in);
    else if (code == FIELD_SIGNATURE)
        self->signature = wire_get_signature(in);
    else if (code > 0 && code < FIELDS)
        *texts[code] = wire_get_string(in);
    else
        wire_skip(in, type);
}

int message_parse(struct message *self, const uint8_t *data, size_t length)
{
    *self = (struct message){.path = "",
                             .interface = "",
                             .member = "",
                             .error = "",
                             .destination = "",
                             .sender = "",
                             .signature = ""};
    if (length < MESSAGE_HEAD || message_length(data) != length)
        return -1;
    struct wire_in in = {.data = data, .length = length, .swap = data[0] == OTHER, .at = 1};
    self->type = wire_get_byte(&in);
    self->flags = wire_get_byte(&in);
    in.at = AT_BODY_LENGTH;
    size_t body = wire_get_u32(&in);
    self->serial = wire_get_u32(&in);
    size_t end = wire_get_array(&in, '(');
    while (in.at < end && !in.wrong)
        take_field(self, &in);
    if (in.wrong || in.at != end)
        return -1;
    self->body = (struct wire_in){.data = data + length - body, .length = body, .swap = in.swap};
    return 0;
}

static void put_field(struct wire_out *out, enum field code, const char *value)
{
    if (!value)
        return;
    wire_put_struct(out);
    wire_put_byte(out, (uint8_t)code);
    wire_put_signature(out, types[code]);
    if (code == FIELD_SIGNATURE)
        wire_put_signature(out, value);
    else
        wire_put_string(out, value);
}

void message_begin(struct wire_out *out, const struct message_head *head)
{
    out->length = 0;
    out->full = 0;
    wire_put_byte(out, OURS);
    wire_put_byte(out, (uint8_t)head->type);
    wire_put_byte(out, 0);
    wire_put_byte(out, VERSION);
    wire_put_u32(out, 0);
    wire_put_u32(out, head->serial);
    size_t fields = wire_begin_array(out, '(');
    put_field(out, FIELD_PATH, head->path);
    put_field(out, FIELD_INTERFACE, head->interface);
    put_field(out, FIELD_MEMBER, head->member);
    put_field(out, FIELD_ERROR, head->error);
    put_field(out, FIELD_DESTINATION, head->destination);
    put_field(out, FIELD_SIGNATURE, head->signature);
    if (head->reply_to) {
        wire_put_struct(out);
        wire_put_byte(out, FIELD_REPLY_TO);
        wire_put_signature(out, types[FIELD_REPLY_TO]);
        wire_put_u32(out, head->reply_to);
    }
    wire_end_array(out, fields, '(');
    /* Of the body nothing is there yet: its length says where it begins. */
    wire_put_struct(out);
    wire_set_u32(out, AT_BODY_LENGTH, (uint32_t)out->length);
}

int message_end(struct wire_out *out)
{
    uint32_t begin;
    if (out->full)
        return -1;
    memcpy(&begin, out->data + AT_BODY_LENGTH, sizeof begin);
    wire_set_u32(out, AT_BODY_LENGTH, (uint32_t)out->length - begin);
    return 0;
}
