/* Fuzzes the session-bind requests of one connection. Each string of the input is the contents of
 * one request. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/session_bind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ssh_bindings *bindings)
{
    const struct ssh_binding *found;
    assert(bindings->count <= SSH_BINDINGS_MAX);
    for (size_t i = 0; i < bindings->count; i++) {
        const struct ssh_binding *binding = &bindings->list[i];
        enum ssh_host_verdict verdict =
            ssh_bindings_check_login(bindings, binding->session_id, binding->host_key, &found);
        assert(i + 1 == bindings->count || binding->forwarding);
        assert((verdict == SSH_HOST_VERIFIED) ==
               (i + 1 == bindings->count && !binding->forwarding && !bindings->bind_refused));
        assert((found == binding) == (verdict == SSH_HOST_VERIFIED));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ssh_bindings bindings = {0};
    struct ssh_reader reader = ssh_reader_of((struct ssh_span){data, size});
    struct ssh_span contents;
    while (ssh_read_string(&reader, &contents)) {
        uint8_t *copy = malloc(contents.length);
        if (contents.length > 0)
            memcpy(copy, contents.data, contents.length);
        size_t before = bindings.count;
        enum ssh_bind_result result =
            ssh_bindings_add(&bindings, (struct ssh_span){copy, contents.length});
        free(copy); /* the sanitizer reports any reference that was kept */
        assert(bindings.attempted);
        assert(bindings.count == before + (result == SSH_BIND_OK));
        assert(bindings.bind_refused || result <= SSH_BIND_DUPLICATE);
        check(&bindings);
    }
    ssh_bindings_clear(&bindings);
    return 0;
}
