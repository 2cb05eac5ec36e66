/*
 * Fuzzes ClientHello messages. What is complete must be so with any more bytes behind it, and name
 * the same host; what is incomplete must not be complete with fewer bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/gate/client_hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client_hello hello, other;
    char again[HOST_NAME_SIZE];
    const char *why;
    enum head_state state = client_hello_parse(data, size, &hello, &why);
    if (state == HEAD_COMPLETE) {
        assert(hello.size <= size);
        uint8_t *longer = malloc(size + 1);
        memcpy(longer, data, size);
        longer[size] = 0x16;
        assert(client_hello_parse(longer, size + 1, &other, &why) == HEAD_COMPLETE &&
               strcmp(hello.name, other.name) == 0 && hello.is_encrypted == other.is_encrypted);
        free(longer);
        assert(host_name_normalise(hello.name, strlen(hello.name), again) == 0 &&
               strcmp(hello.name, again) == 0);
    } else if (state == HEAD_INCOMPLETE && size > 0) {
        assert(client_hello_parse(data, size - 1, &other, &why) == HEAD_INCOMPLETE);
    }
    return 0;
}
