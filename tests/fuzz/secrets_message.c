/*
 * Fuzzes messages of HTTP/1 that litterbox-secrets passes on. The first byte says what it is, and
 * in which pieces it comes: these must make no difference.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "host/secrets/ranges.h"
#include "proto/http_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the body of MESSAGE ends in DATA; -1: it is malformed. *SUM: of its contents. */
static ssize_t pass(const struct http_message *message, const char *data, size_t size, size_t step,
                    uint32_t *sum)
{
    struct http_body body = message->body;
    size_t at = 0;
    *sum = 0;
    while (at < size && !http_body_has_ended(&body)) {
        bool is_content;
        size_t given = step < size - at ? step : size - at;
        ssize_t part = http_body_next(&body, data + at, given, &is_content);
        if (part < 0)
            return -1;
        assert(part > 0 && (size_t)part <= given);
        for (ssize_t i = 0; is_content && i < part; i++)
            *sum = *sum * 31 + (uint8_t)data[at + (size_t)i];
        at += (size_t)part;
    }
    return (ssize_t)at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why = NULL;
    const struct http_message asked = {.asks_upgrade = true};
    struct http_message message;
    if (size == 0)
        return 0;
    size_t step = 1 + (data[0] >> 1);
    const char *text = (const char *)data + 1;
    size--;
    enum head_state state = data[0] & 1 ? http_read_request(text, size, 443, &message, &why)
                                        : http_read_response(text, size, &asked, &message, &why);
    assert(state != HEAD_WRONG || why);
    if (state != HEAD_COMPLETE)
        return 0;
    assert(message.length <= size && message.length >= 4 &&
           memcmp(text + message.length - 4, "\r\n\r\n", 4) == 0);
    range_refuse_answer(206, text, message.length);
    uint32_t sum, again;
    ssize_t end = pass(&message, text + message.length, size - message.length, size + 1, &sum);
    assert(pass(&message, text + message.length, size - message.length, step, &again) == end);
    assert(end < 0 || sum == again);
    return 0;
}
