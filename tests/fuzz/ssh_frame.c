/*
 * The agent protocol's framer. The first byte says how large the pieces are; what comes out, framed
 * again, must be what went in.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes all whole messages; *AT counts the bytes of DATA that they were. FALSE at a bad one. */
static bool drain(struct ssh_framer *framer, const uint8_t *data, size_t *at)
{
    struct ssh_span message;
    enum ssh_frame result;
    while ((result = ssh_framer_next(framer, &message)) == SSH_FRAME_WHOLE) {
        assert(message.length > 0 && message.length <= SSH_FRAME_MAX);
        assert(memcmp(data + *at + 4, message.data, message.length) == 0);
        *at += 4 + message.length;
    }
    return result == SSH_FRAME_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ssh_framer framer = {0};
    size_t fed = 0, at = 0;
    if (size < 1)
        return 0;
    size_t piece = data[0] ? data[0] : SSH_FRAME_CHUNK;
    data++;
    size--;
    while (fed < size) {
        size_t part = piece < size - fed ? piece : size - fed;
        uint8_t *copy = malloc(part);
        memcpy(copy, data + fed, part);
        bool good = ssh_framer_feed(&framer, copy, part);
        assert(good);
        free(copy);
        fed += part;
        if (!drain(&framer, data, &at))
            break;
        assert(ssh_framer_partial(&framer) == (fed > at));
    }
    ssh_framer_clear(&framer);
    return 0;
}
