#include "ssh-agent/wire/session_bind.h"

#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/signature.h"

static const char *const texts[] = {
    [SSH_BIND_OK] = "bound",
    [SSH_BIND_DUPLICATE] = "bound before",
    [SSH_BIND_MALFORMED] = "malformed",
    [SSH_BIND_FORGED] = "the host key's signature does not verify",
    [SSH_BIND_AFTER_AUTHENTICATION] = "after a bind for authentication",
    [SSH_BIND_OTHER_KEY] = "the session is bound to another host key",
    [SSH_BIND_TOO_MANY] = "too many binds",
    [SSH_BIND_NO_MEMORY] = "out of memory",
};

const char *ssh_bind_result_text(enum ssh_bind_result result)
{
    return texts[result];
}

struct request {
    struct ssh_span host_key, session_id, signature;
    uint8_t forwarding;
};

static bool parse(struct request *request, struct ssh_span contents)
{
    struct ssh_reader reader = ssh_reader_of(contents);
    ssh_read_string(&reader, &request->host_key);
    ssh_read_string(&reader, &request->session_id);
    ssh_read_string(&reader, &request->signature);
    ssh_read_byte(&reader, &request->forwarding);
    return ssh_reader_done(&reader) && request->session_id.length > 0 &&
           request->session_id.length <= SSH_SESSION_ID_MAX;
}

/* OK if the binds so far allow this one. */
static enum ssh_bind_result check_allowed(const struct ssh_bindings *self,
                                          const struct request *request)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct ssh_binding *binding = &self->list[i];
        if (!binding->forwarding)
            return SSH_BIND_AFTER_AUTHENTICATION;
        if (ssh_span_equal(binding->session_id, request->session_id))
            return ssh_span_equal(binding->host_key, request->host_key) ? SSH_BIND_DUPLICATE
                                                                        : SSH_BIND_OTHER_KEY;
    }
    return self->count == SSH_BINDINGS_MAX ? SSH_BIND_TOO_MANY : SSH_BIND_OK;
}

static enum ssh_bind_result record(struct ssh_bindings *self, const struct request *request)
{
    size_t key_length = request->host_key.length, id_length = request->session_id.length;
    uint8_t *memory = malloc(key_length + id_length);
    if (!memory)
        return SSH_BIND_NO_MEMORY;
    memcpy(memory, request->host_key.data, key_length);
    memcpy(memory + key_length, request->session_id.data, id_length);
    self->list[self->count++] = (struct ssh_binding){
        .host_key = {memory, key_length},
        .session_id = {memory + key_length, id_length},
        .forwarding = request->forwarding,
    };
    return SSH_BIND_OK;
}

static enum ssh_bind_result add(struct ssh_bindings *self, struct ssh_span contents)
{
    struct request request = {0};
    struct ssh_key key;
    bool complete = parse(&request, contents);
    /* Before anything can be refused: with `ssh -A` to a host whose type of key we do not support,
     * requests come from another machine all the same. */
    self->forwarded |= request.forwarding != 0;
    if (!complete || !ssh_key_parse(&key, request.host_key))
        return SSH_BIND_MALFORMED;
    if (!ssh_signature_verify(&key, request.signature, request.session_id))
        return SSH_BIND_FORGED;
    enum ssh_bind_result result = check_allowed(self, &request);
    return result == SSH_BIND_OK ? record(self, &request) : result;
}

enum ssh_bind_result ssh_bindings_add(struct ssh_bindings *self, struct ssh_span contents)
{
    self->attempted = true;
    enum ssh_bind_result result = add(self, contents);
    if (result != SSH_BIND_OK && result != SSH_BIND_DUPLICATE)
        self->bind_refused = true;
    return result;
}

void ssh_bindings_clear(struct ssh_bindings *self)
{
    for (size_t i = 0; i < self->count; i++)
        free((void *)self->list[i].host_key.data);
    *self = (struct ssh_bindings){0};
}

enum ssh_host_verdict ssh_bindings_check_login(const struct ssh_bindings *self,
                                               struct ssh_span session_id, struct ssh_span host_key,
                                               const struct ssh_binding **binding)
{
    if (binding)
        *binding = NULL;
    if (!self->attempted)
        return SSH_HOST_UNBOUND;
    if (self->bind_refused || self->count == 0)
        return SSH_HOST_MISMATCH;
    const struct ssh_binding *last = &self->list[self->count - 1];
    if (last->forwarding || !ssh_span_equal(last->session_id, session_id) ||
        (host_key.length > 0 && !ssh_span_equal(last->host_key, host_key)))
        return SSH_HOST_MISMATCH;
    if (binding)
        *binding = last;
    return SSH_HOST_VERIFIED;
}
