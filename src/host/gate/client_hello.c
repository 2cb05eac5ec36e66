#include "host/gate/client_hello.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* RFC 8446, 5.1. */
#define RECORD_MAX (1 << 14)
#define MESSAGE_HEADER 4
#define CLIENT_HELLO 1
#define SERVER_HELLO 2
#define RANDOM 32
#define SESSION_ID_MAX 32
#define SERVER_NAME 0
#define ENCRYPTED_CLIENT_HELLO 0xfe0d /* RFC 9849 */
#define HOST_NAME 0

/* RFC 8446, 4.1.3: the random number of a ServerHello that asks for another ClientHello. */
static const uint8_t asks_again[32] = {
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};

/* Bytes that are read from the front. It never goes past its end: SIZE is then 0, and FAILED set.
 */
struct reader {
    const uint8_t *at;
    size_t size;
    bool failed;
};

static struct reader take(struct reader *self, size_t length)
{
    struct reader part = {self->at, length, false};
    if (self->failed || length > self->size) {
        *self = (struct reader){self->at, 0, true};
        return *self;
    }
    self->at += length;
    self->size -= length;
    return part;
}

static size_t take_number(struct reader *self, size_t bytes)
{
    struct reader number = take(self, bytes);
    size_t value = 0;
    for (size_t i = 0; i < number.size; i++)
        value = value << 8 | number.at[i];
    return value;
}

/* A vector whose length stands before it, in BYTES bytes. */
static struct reader take_vector(struct reader *self, size_t bytes)
{
    return take(self, take_number(self, bytes));
}

static enum head_state wrong_because(const char **why, const char *reason)
{
    *why = reason;
    return HEAD_WRONG;
}

/* One entry, a host name: what RFC 6066 allows. */
static enum head_state read_server_name(struct reader extension, char name[HOST_NAME_SIZE],
                                        const char **why)
{
    struct reader list = take_vector(&extension, 2);
    size_t type = take_number(&list, 1);
    struct reader host = take_vector(&list, 2);
    if (extension.failed || list.failed || extension.size || list.size || type != HOST_NAME ||
        host_name_normalise((const char *)host.at, host.size, name) < 0)
        return wrong_because(why, "its server name is not the name of one host");
    return HEAD_COMPLETE;
}

static enum head_state read_extensions(struct reader all, struct client_hello *hello,
                                       const char **why)
{
    bool has_name = false;
    while (all.size && !all.failed) {
        size_t type = take_number(&all, 2);
        struct reader extension = take_vector(&all, 2);
        if (all.failed)
            break;
        hello->is_encrypted |= type == ENCRYPTED_CLIENT_HELLO;
        if (type != SERVER_NAME)
            continue;
        if (has_name)
            return wrong_because(why, "it names its server twice");
        has_name = true;
        if (read_server_name(extension, hello->name, why) != HEAD_COMPLETE)
            return HEAD_WRONG;
    }
    if (all.failed)
        return wrong_because(why, "its ClientHello is malformed");
    return has_name ? HEAD_COMPLETE : wrong_because(why, "its ClientHello names no server");
}

static enum head_state read_message(struct reader message, struct client_hello *hello,
                                    const char **why)
{
    take(&message, 2 + RANDOM);
    struct reader session = take_vector(&message, 1);
    struct reader ciphers = take_vector(&message, 2);
    struct reader compressions = take_vector(&message, 1);
    struct reader extensions = take_vector(&message, 2);
    if (message.failed || message.size || session.size > SESSION_ID_MAX || !ciphers.size ||
        ciphers.size % 2 || !compressions.size)
        return wrong_because(why, "its ClientHello is malformed or older than TLS 1.0");
    return read_extensions(extensions, hello, why);
}

/* Bytes of the message, with its header, once that is known; 0: not yet. */
static size_t message_length(const uint8_t *message, size_t size)
{
    return size < MESSAGE_HEADER
               ? 0
               : MESSAGE_HEADER + ((size_t)message[1] << 16 | (size_t)message[2] << 8 | message[3]);
}

/* INCOMPLETE: the LENGTH bytes of MESSAGE that are there may become a ClientHello. */
static enum head_state check_begin(const uint8_t *message, size_t length, const char **why)
{
    if (length > 0 && message[0] != CLIENT_HELLO)
        return wrong_because(why, "it does not begin with a ClientHello");
    if (message_length(message, length) > CLIENT_HELLO_MAX)
        return wrong_because(why, "its ClientHello is too long");
    return HEAD_INCOMPLETE;
}

/* Puts the contents of the records of DATA together in MESSAGE, which has room for SIZE bytes,
 * until the message is complete; *USED is then the size of its records. INCOMPLETE: *LENGTH is what
 * there is. */
static enum head_state join_records(const uint8_t *data, size_t size, uint8_t *message,
                                    size_t *length, size_t *used, const char **why)
{
    const uint8_t *begin = data;
    for (*length = 0;;) {
        size_t wanted = message_length(message, *length);
        if (check_begin(message, *length, why) == HEAD_WRONG)
            return HEAD_WRONG;
        if (wanted && *length > wanted)
            return wrong_because(why, "more than its ClientHello is in a record");
        if (wanted && *length == wanted) {
            *used = (size_t)(data - begin);
            return HEAD_COMPLETE;
        }
        if (size > 0 && data[0] != TLS_HANDSHAKE)
            return wrong_because(why, "it is not TLS");
        if (size > 1 && data[1] != 3)
            return wrong_because(why, "it is not TLS");
        if (size < TLS_RECORD_HEADER)
            return HEAD_INCOMPLETE;
        size_t record = (size_t)data[3] << 8 | data[4];
        if (record == 0 || record > RECORD_MAX)
            return wrong_because(why, "it has a record of a wrong length");
        size_t here = size - TLS_RECORD_HEADER < record ? size - TLS_RECORD_HEADER : record;
        memcpy(message + *length, data + TLS_RECORD_HEADER, here);
        *length += here;
        data += TLS_RECORD_HEADER + here;
        size -= TLS_RECORD_HEADER + here;
        if (here < record)
            return check_begin(message, *length, why);
    }
}

enum head_state client_hello_parse(const uint8_t *data, size_t size, struct client_hello *hello,
                                   const char **why)
{
    *hello = (struct client_hello){0};
    size_t length;
    uint8_t *message = malloc(size + 1);
    if (!message)
        return wrong_because(why, "there is no memory for it");
    enum head_state state = join_records(data, size, message, &length, &hello->size, why);
    if (state == HEAD_COMPLETE)
        state = read_message((struct reader){message + MESSAGE_HEADER, length - MESSAGE_HEADER, 0},
                             hello, why);
    else if (state == HEAD_INCOMPLETE && size >= CLIENT_HELLO_MAX)
        state = wrong_because(why, "its ClientHello is too long");
    free(message);
    return state;
}

size_t tls_records_next(struct tls_records *self, const uint8_t *data, size_t size,
                        bool *of_handshake)
{
    size_t part;
    if (self->left > 0) {
        part = size < self->left ? size : self->left;
        self->left -= part;
    } else {
        self->seen %= sizeof self->header;
        size_t missing = sizeof self->header - self->seen;
        part = size < missing ? size : missing;
        memcpy(self->header + self->seen, data, part);
        self->seen += part;
        if (self->seen == sizeof self->header)
            self->left = (size_t)self->header[3] << 8 | self->header[4];
    }
    *of_handshake = self->header[0] == TLS_HANDSHAKE;
    return part;
}

static void read_answer(struct second_hello *self)
{
    const uint8_t *random = self->answer + sizeof self->answer - sizeof asks_again;
    bool asks =
        self->answer[0] == SERVER_HELLO && memcmp(random, asks_again, sizeof asks_again) == 0;
    self->state = asks ? HELLO_ASKED : HELLO_TAKEN;
}

/* The answer may be in several records, as of a server that is told to send small ones, and
 * warnings may stand before it. */
void second_hello_hear(struct second_hello *self, const uint8_t *data, size_t size)
{
    bool of_handshake;
    while (size > 0 && self->state == HELLO_UNANSWERED) {
        bool of_contents = self->server.left > 0;
        size_t part = tls_records_next(&self->server, data, size, &of_handshake);
        size_t missing = sizeof self->answer - self->answered;
        size_t kept = part < missing ? part : missing;
        uint8_t type = self->server.header[0];
        if (of_handshake && of_contents) {
            memcpy(self->answer + self->answered, data, kept);
            self->answered += kept;
        } else if (!of_handshake && type != TLS_CHANGE_CIPHER && type != TLS_ALERT) {
            self->state = HELLO_TAKEN; /* it does not speak TLS */
        }
        if (self->answered == sizeof self->answer)
            read_answer(self);
        data += part;
        size -= part;
    }
}
