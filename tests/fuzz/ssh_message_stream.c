/*
 * Fuzzes the splitting of a byte stream into messages. The first byte is the size of the pieces.
 * The messages, written again with their lengths, must equal the input.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/agent_protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes out all complete messages and adds their bytes to *AT. False at an invalid one. */
static bool drain(struct ssh_message_stream *stream, const uint8_t *data, size_t *at)
{
    struct ssh_span message;
    enum ssh_message_status result;
    while ((result = ssh_message_stream_next(stream, &message)) == SSH_MESSAGE_COMPLETE) {
        assert(message.length > 0 && message.length <= SSH_MESSAGE_MAX);
        assert(memcmp(data + *at + 4, message.data, message.length) == 0);
        *at += 4 + message.length;
    }
    return result == SSH_MESSAGE_INCOMPLETE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ssh_message_stream stream = {0};
    size_t fed = 0, at = 0;
    if (size < 1)
        return 0;
    size_t piece = data[0] ? data[0] : SSH_MESSAGE_CHUNK;
    data++;
    size--;
    while (fed < size) {
        size_t part = piece < size - fed ? piece : size - fed;
        uint8_t *copy = malloc(part);
        memcpy(copy, data + fed, part);
        bool good = ssh_message_stream_feed(&stream, copy, part);
        assert(good);
        free(copy);
        fed += part;
        if (!drain(&stream, data, &at))
            break;
        assert((stream.length > stream.start) == (fed > at));
    }
    ssh_message_stream_clear(&stream);
    return 0;
}
