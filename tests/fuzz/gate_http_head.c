/*
 * Fuzzes heads of HTTP/1 requests. What is passed on of a complete one must be a complete head for
 * the same host, with one Connection field, which closes. Its body is the same whether it comes at
 * once or byte by byte.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/gate/target.h"
#include "proto/http_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written(const uint8_t *data, const struct http_message *head)
{
    struct http_message again;
    const char *why;
    char *out = malloc(head->length + HTTP_HEAD_ADDED);
    size_t length = http_head_write(data, head->length, out);
    assert(length <= head->length + HTTP_HEAD_ADDED);
    assert(http_read_request(out, length, 80, &again, &why) == HEAD_COMPLETE);
    assert(again.length == length && strcmp(again.host, head->host) == 0 &&
           again.port == head->port);
    assert(memmem(out, length, "\r\nConnection: close\r\n\r\n", 23));
    free(out);
}

static void check_body(struct http_body body, const uint8_t *data, size_t size)
{
    body.is_plain = true;
    struct http_body by_bytes = body;
    ssize_t taken = http_body_take(&body, data, size), sum = 0;
    assert(taken <= (ssize_t)size);
    for (size_t i = 0; i < size && sum >= 0; i++) {
        ssize_t one = http_body_take(&by_bytes, data + i, 1);
        sum = one < 0 ? -1 : sum + one;
    }
    assert(taken == sum);
    assert(taken < 0 || taken == (ssize_t)size || http_body_has_ended(&body));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_message head;
    const char *why;
    enum head_state state = http_read_request((const char *)data, size, 80, &head, &why);
    if (state == HEAD_COMPLETE)
        check_body(head.body, data + head.length, size - head.length);
    /* With the line that is added it may become longer than a head may be. */
    if (state == HEAD_COMPLETE && head.length + HTTP_HEAD_ADDED < HTTP_HEAD_MAX)
        check_written(data, &head);
    else if (state == HEAD_INCOMPLETE && size > 0)
        assert(http_read_request((const char *)data, size - 1, 80, &head, &why) == HEAD_INCOMPLETE);
    return 0;
}
