/*
 * Fuzzes heads of HTTP/1 requests. What is passed on of a complete one must be a complete head for
 * the same host, with one Connection field, which closes.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/gate/http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written(const uint8_t *data, const struct http_head *head)
{
    struct http_head again;
    const char *why;
    char *out = malloc(head->length + HTTP_HEAD_ADDED);
    size_t length = http_head_write(data, head->length, out);
    assert(length <= head->length + HTTP_HEAD_ADDED);
    assert(http_head_parse((const uint8_t *)out, length, &again, &why) == HEAD_COMPLETE);
    assert(again.length == length && strcmp(again.host, head->host) == 0 &&
           again.port == head->port);
    assert(memmem(out, length, "\r\nConnection: close\r\n\r\n", 23));
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_head head;
    const char *why;
    enum head_state state = http_head_parse(data, size, &head, &why);
    /* With the line that is added it may become longer than a head may be. */
    if (state == HEAD_COMPLETE && head.length + HTTP_HEAD_ADDED < HTTP_HEAD_MAX)
        check_written(data, &head);
    else if (state == HEAD_INCOMPLETE && size > 0)
        assert(http_head_parse(data, size - 1, &head, &why) == HEAD_INCOMPLETE);
    return 0;
}
