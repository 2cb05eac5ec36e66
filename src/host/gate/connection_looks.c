#include <stdlib.h>
#include <string.h>

#include "host/gate/connection.h"

/* RFC 4253, 4.2. OpenSSH's servers begin with it, too, and send no lines before it. */
static ssize_t look_for_banner(struct pump *pump, const void *data, size_t length)
{
    static const char banner[] = "SSH-";
    struct connection *self = pump->owner;
    size_t *seen = &self->banner[pump == &self->line.relay.pump[SERVER]];
    for (size_t i = 0; i < length && *seen < strlen(banner); i++, ++*seen) {
        if (((const char *)data)[i] == banner[*seen])
            continue;
        self->refusal = "its first bytes are not those of SSH";
        return -1;
    }
    if (*seen == strlen(banner))
        pump->look = NULL;
    return (ssize_t)length;
}

/* A second request, which could have another Host, goes nowhere. It is read all the same: unread
 * bytes would make the kernel reset the connection before the first answer has arrived. */
static ssize_t look_for_end(struct pump *pump, const void *data, size_t length)
{
    struct connection *self = pump->owner;
    ssize_t passed = http_body_take(&self->target.body, data, length);
    if (passed < 0)
        self->refusal = "its body is malformed";
    return passed;
}

static void stop_looking(struct connection *self)
{
    struct pump *pump = self->line.relay.pump;
    pump[BOX].look = pump[SERVER].look = NULL;
    free(self->head);
    self->head = NULL;
}

static ssize_t look_for_answer(struct pump *pump, const void *data, size_t length)
{
    struct connection *self = pump->owner;
    second_hello_hear(&self->target.hellos, data, length);
    if (self->target.hellos.state == HELLO_TAKEN)
        stop_looking(self);
    if (self->target.hellos.state == HELLO_ASKED)
        pump->look = NULL;
    return (ssize_t)length;
}

/* FALSE: there is no memory. */
static bool keep_head(struct connection *self, const uint8_t *data, size_t length)
{
    while (length > 0 && connection_make_room(self)) {
        size_t room = self->head_room - self->head_length, part = length < room ? length : room;
        memcpy(self->head + self->head_length, data, part);
        self->head_length += part;
        data += part;
        length -= part;
    }
    return length == 0;
}

static enum head_state refuse_hello(struct connection *self, const char *why)
{
    self->refusal = why;
    return HEAD_WRONG;
}

/* A part of the second ClientHello. Its last byte passes when all of it is right. */
static enum head_state check_second_hello(struct connection *self, const uint8_t *data,
                                          size_t length)
{
    struct second_hello *hellos = &self->target.hellos;
    const char *why;
    if (hellos->state != HELLO_ASKED)
        return refuse_hello(self, TARGET_HELLO_UNASKED);
    if (++hellos->pieces > SECOND_HELLO_PIECES)
        return refuse_hello(self, "its second ClientHello is in too many pieces");
    if (!keep_head(self, data, length))
        return refuse_hello(self, "there is no memory for it");
    enum head_state state = target_check(&self->target, self->head, &self->head_length, &why);
    return state == HEAD_WRONG ? refuse_hello(self, why) : state;
}

static ssize_t look_for_hello(struct pump *pump, const void *data, size_t length)
{
    struct connection *self = pump->owner;
    const uint8_t *at = data;
    enum head_state state = HEAD_INCOMPLETE;
    for (size_t left = length; left > 0 && state == HEAD_INCOMPLETE;) {
        bool of_handshake;
        size_t part = tls_records_next(&self->target.hellos.box, at, left, &of_handshake);
        if (of_handshake)
            state = check_second_hello(self, at, part);
        at += part;
        left -= part;
    }
    if (state == HEAD_COMPLETE)
        stop_looking(self);
    return state == HEAD_WRONG ? -1 : (ssize_t)length;
}

void connection_look(struct connection *self)
{
    struct pump *pump = self->line.relay.pump;
    pump[BOX].owner = pump[SERVER].owner = self;
    switch (self->target.first) {
    case FIRST_SSH:
        pump[BOX].look = pump[SERVER].look = look_for_banner;
        break;
    case FIRST_HTTP:
        pump[BOX].look = look_for_end;
        break;
    case FIRST_TLS:
        pump[BOX].look = look_for_hello;
        pump[SERVER].look = look_for_answer;
        break;
    case FIRST_ANY:
        break;
    }
}
