#include "host/gate/dns_message.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define HEADER 12
#define LABEL_MAX 63
#define WIRE_NAME_MAX 255
#define CLASS_INTERNET 1
/* Seconds. An address stays with its name, so a longer time gains a box nothing but fewer queries.
 */
#define TTL 60

/* Bits of the second and third byte of a header. */
enum { RESPONSE = 0x80, OPCODE = 0x78, RECURSION_DESIRED = 0x01, RECURSION_AVAILABLE = 0x80 };

static uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint8_t *put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, value >> 16), value & 0xffff);
}

/*
 * The name at *AT, as text in TEXT; *AT is then behind it. FALSE when it leaves the message, is too
 * long, or is compressed, which nobody does in a question. A label may have any byte (RFC 2181,
 * 11): one with a dot, a NUL or what else no host's name has makes TEXT empty.
 */
static bool read_name(const uint8_t *message, size_t size, size_t *at, char text[HOST_NAME_SIZE])
{
    char joined[WIRE_NAME_MAX + 1];
    size_t length = 0;
    bool has_dot = false;
    for (;;) {
        if (*at >= size || message[*at] > LABEL_MAX || message[*at] >= size - *at)
            return false;
        size_t label = message[(*at)++];
        if (label == 0)
            break;
        if (length + label + 1 >= WIRE_NAME_MAX)
            return false;
        has_dot |= memchr(message + *at, '.', label) != NULL;
        memcpy(joined + length, message + *at, label);
        length += label;
        joined[length++] = '.';
        *at += label;
    }
    if (has_dot || host_name_normalise(joined, length, text) < 0)
        text[0] = '\0';
    return true;
}

int dns_question_parse(const uint8_t *message, size_t size, struct dns_question *question)
{
    size_t at = HEADER;
    *question = (struct dns_question){.message = message, .code = DNS_FORMAT_ERROR};
    if (size < HEADER || (message[2] & RESPONSE))
        return -1;
    if (message[2] & OPCODE) {
        question->code = DNS_NOT_IMPLEMENTED;
        return 0;
    }
    if (get16(message + 4) != 1 || !read_name(message, size, &at, question->name) || size - at < 4)
        return 0;
    question->type = get16(message + at);
    question->end = at + 4;
    question->code = get16(message + at + 2) == CLASS_INTERNET ? DNS_NO_ERROR : DNS_REFUSED;
    return 0;
}

/* NAME is normalised. */
static uint8_t *put_name(uint8_t *at, const char *name)
{
    while (*name) {
        size_t length = strcspn(name, ".");
        *at++ = (uint8_t)length;
        memcpy(at, name, length);
        at += length;
        name += length + (name[length] == '.');
    }
    *at++ = 0;
    return at;
}

static uint8_t *put_record(uint8_t *at, const struct dns_record *record)
{
    at = put16(at, 0xc000 | HEADER); /* the name of the question */
    at = put16(at, record->type);
    at = put16(at, CLASS_INTERNET);
    at = put32(at, TTL);
    uint8_t *length = at;
    at = record->type == DNS_A ? put32(at + 2, record->address) : put_name(at + 2, record->name);
    put16(length, (unsigned)(at - length - 2));
    return at;
}

size_t dns_answer(const struct dns_question *question, enum dns_code code,
                  const struct dns_record *record, uint8_t *out)
{
    const uint8_t *query = question->message;
    size_t end = question->end ? question->end : HEADER;
    bool has_record = record && record->type && code == DNS_NO_ERROR && question->end;
    memcpy(out, query, end);
    out[2] = (uint8_t)(RESPONSE | (query[2] & (OPCODE | RECURSION_DESIRED)));
    out[3] = (uint8_t)(RECURSION_AVAILABLE | code);
    put16(out + 4, question->end ? 1 : 0);
    put16(out + 6, has_record);
    memset(out + 8, 0, 4);
    return has_record ? (size_t)(put_record(out + end, record) - out) : end;
}

uint32_t dns_reverse_address(const char *name)
{
    unsigned byte[4];
    int used = 0;
    char again[sizeof "255.255.255.255.in-addr.arpa"];
    if (sscanf(name, "%3u.%3u.%3u.%3u.in-addr.arpa%n", &byte[0], &byte[1], &byte[2], &byte[3],
               &used) != 4 ||
        used == 0 || name[used] || (byte[0] | byte[1] | byte[2] | byte[3]) > 255)
        return 0;
    snprintf(again, sizeof again, "%u.%u.%u.%u.in-addr.arpa", byte[0], byte[1], byte[2], byte[3]);
    return strcmp(again, name) == 0 ? byte[3] << 24 | byte[2] << 16 | byte[1] << 8 | byte[0] : 0;
}
