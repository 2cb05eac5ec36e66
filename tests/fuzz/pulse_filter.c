/*
 * Frames of a program in a box and of the sound server. The first byte has the permissions; chunks
 * follow, each with its side and length in front. Whatever the filter sends to the server must be a
 * complete frame of a listed and permitted command, or of samples, without shared memory.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/bridge/audio/pulse_filter.h"
#include "host/bridge/audio/pulse_rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct pulse_filter *filter, const struct byte_queue *out)
{
    for (size_t at = 0; at < out->length;) {
        long length = pulse_frame(out->data + at, out->length - at);
        assert(length > 0 && at + (size_t)length <= out->length);
        const unsigned char *frame = out->data + at;
        at += (size_t)length;
        if (tagstruct_read_be32(frame + 4) != 0xffffffffu)
            continue;
        const struct pulse_rule *rule = pulse_rule_find(tagstruct_read_be32(frame + 21));
        assert(length >= 30 && rule && !(rule->needs & ~filter->client.permissions));
    }
}

/* One frame, with a valid header. -1: the connection has ended. */
static int pass(struct pulse_filter *filter, int side, const uint8_t *data, size_t length)
{
    struct byte_queue to_server = {0}, to_program = {0};
    unsigned char *frame = calloc(1, 20 + length);
    int done = -1;
    if (length > 0 && !(side == 0 && pulse_is_waiting(filter))) {
        memset(frame + 4, side & 2 ? 0 : 0xff, 4);
        tagstruct_write_be32(frame, (uint32_t)length);
        memcpy(frame + 20, data, length);
        done = side & 1 ? pulse_from_server(filter, frame, 20 + length, &to_server, &to_program)
                        : pulse_from_program(filter, frame, 20 + length, &to_server, &to_program);
        check(filter, &to_server);
    }
    free(frame);
    byte_queue_clear(&to_server);
    byte_queue_clear(&to_program);
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pulse_filter filter = {
        .client = {.box = "shop", .permissions = size ? data[0] & 3u : 0}};
    size_t at = 1;
    while (at + 3 <= size) {
        size_t length = (size_t)data[at + 1] << 8 | data[at + 2];
        if (length > size - at - 3)
            length = size - at - 3;
        if (pass(&filter, data[at] & 3, data + at + 3, length) < 0)
            break;
        at += 3 + length;
    }
    byte_queue_clear(&filter.held);
    return 0;
}
