#include <string.h>

#include "guest/portal/dbus.h"

#define DBUS_VERSION 1
/* Offsets in the header. */
#define AT_BODY_LENGTH 4
#define AT_FIELDS_LENGTH 12
#define BODY_ALIGNMENT 8

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OURS 'l'
#define OTHER 'B'
#else
#define OURS 'B'
#define OTHER 'l'
#endif

/* The codes of header fields. */
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

static uint32_t read_number_at(const uint8_t *head, size_t at)
{
    struct dbus_reader in = {
        .data = head, .length = DBUS_MESSAGE_HEAD, .at = at, .swap = head[0] == OTHER};
    return dbus_read_u32(&in);
}

size_t dbus_message_length(const uint8_t *head)
{
    size_t body = read_number_at(head, AT_BODY_LENGTH),
           fields = read_number_at(head, AT_FIELDS_LENGTH);
    if ((head[0] != OURS && head[0] != OTHER) || head[3] != DBUS_VERSION ||
        body > DBUS_MESSAGE_MAX || fields > DBUS_MESSAGE_MAX)
        return 0;
    size_t length = dbus_align(DBUS_MESSAGE_HEAD + fields, BODY_ALIGNMENT) + body;
    return length > DBUS_MESSAGE_MAX ? 0 : length;
}

static void read_field(struct dbus_message *self, struct dbus_reader *in)
{
    const char **const texts[FIELDS] = {
        [FIELD_PATH] = &self->path,     [FIELD_INTERFACE] = &self->interface,
        [FIELD_MEMBER] = &self->member, [FIELD_ERROR] = &self->error,
        [FIELD_SENDER] = &self->sender, [FIELD_DESTINATION] = &self->destination,
    };
    dbus_read_struct(in);
    uint8_t code = dbus_read_byte(in);
    const char *type = dbus_read_signature(in);
    const char *end = dbus_type_end(type);
    if (!end || *end || (code > 0 && code < FIELDS && strcmp(type, types[code]) != 0))
        in->wrong = 1;
    else if (code == FIELD_REPLY_TO)
        self->reply_to = dbus_read_u32(in);
    else if (code == FIELD_SIGNATURE)
        self->signature = dbus_read_signature(in);
    else if (code > 0 && code < FIELDS)
        *texts[code] = dbus_read_string(in);
    else
        dbus_skip(in, type);
}

int dbus_message_parse(struct dbus_message *self, const uint8_t *data, size_t length)
{
    *self = (struct dbus_message){.path = "",
                                  .interface = "",
                                  .member = "",
                                  .error = "",
                                  .destination = "",
                                  .sender = "",
                                  .signature = ""};
    if (length < DBUS_MESSAGE_HEAD || dbus_message_length(data) != length)
        return -1;
    struct dbus_reader in = {.data = data, .length = length, .swap = data[0] == OTHER, .at = 1};
    self->type = dbus_read_byte(&in);
    self->flags = dbus_read_byte(&in);
    in.at = AT_BODY_LENGTH;
    size_t body = dbus_read_u32(&in);
    self->serial = dbus_read_u32(&in);
    size_t end = dbus_read_array(&in, '(');
    while (in.at < end && !in.wrong)
        read_field(self, &in);
    if (in.wrong || in.at != end)
        return -1;
    self->body =
        (struct dbus_reader){.data = data + length - body, .length = body, .swap = in.swap};
    return 0;
}

static void put_field(struct dbus_writer *out, enum field code, const char *value)
{
    if (!value)
        return;
    dbus_write_struct(out);
    dbus_write_byte(out, (uint8_t)code);
    dbus_write_signature(out, types[code]);
    if (code == FIELD_SIGNATURE)
        dbus_write_signature(out, value);
    else
        dbus_write_string(out, value);
}

void dbus_message_begin(struct dbus_writer *out, const struct dbus_message_head *head)
{
    out->length = 0;
    out->full = 0;
    dbus_write_byte(out, OURS);
    dbus_write_byte(out, (uint8_t)head->type);
    dbus_write_byte(out, 0);
    dbus_write_byte(out, DBUS_VERSION);
    dbus_write_u32(out, 0);
    dbus_write_u32(out, head->serial);
    size_t fields = dbus_begin_array(out, '(');
    put_field(out, FIELD_PATH, head->path);
    put_field(out, FIELD_INTERFACE, head->interface);
    put_field(out, FIELD_MEMBER, head->member);
    put_field(out, FIELD_ERROR, head->error);
    put_field(out, FIELD_DESTINATION, head->destination);
    put_field(out, FIELD_SIGNATURE, head->signature);
    if (head->reply_to) {
        dbus_write_struct(out);
        dbus_write_byte(out, FIELD_REPLY_TO);
        dbus_write_signature(out, types[FIELD_REPLY_TO]);
        dbus_write_u32(out, head->reply_to);
    }
    dbus_end_array(out, fields, '(');
    /* Until dbus_message_end() the length of the body holds the offset at which it begins. */
    dbus_write_struct(out);
    dbus_set_u32(out, AT_BODY_LENGTH, (uint32_t)out->length);
}

int dbus_message_end(struct dbus_writer *out)
{
    uint32_t begin;
    if (out->full)
        return -1;
    memcpy(&begin, out->data + AT_BODY_LENGTH, sizeof begin);
    dbus_set_u32(out, AT_BODY_LENGTH, (uint32_t)out->length - begin);
    return 0;
}
