/*
 * Fuzzes the parser of the real agent's replies. The first byte is the type of the request, the
 * rest is the message. An accepted reply must equal the message that its fields are written to.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/agent_protocol.h"
#include "ssh-agent/wire/signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_message(struct ssh_writer *frame, struct ssh_span message)
{
    struct ssh_span written = ssh_writer_span(frame);
    assert(written.length == message.length + 4);
    assert(memcmp(written.data + 4, message.data, message.length) == 0);
    ssh_writer_clear(frame);
}

static void check_list(const struct ssh_reply *reply, struct ssh_span message)
{
    static struct ssh_identity identities[SSH_AGENT_IDENTITIES_MAX];
    struct ssh_span left = reply->identities;
    struct ssh_writer again = {0};
    struct ssh_identity more;
    assert(reply->identity_count <= SSH_AGENT_IDENTITIES_MAX);
    for (size_t i = 0; i < reply->identity_count; i++) {
        struct ssh_key key;
        bool good = ssh_identity_next(&left, &identities[i]);
        assert(good);
        if (ssh_key_parse(&key, identities[i].blob) && !key.is_certificate)
            assert(key.fields.length < identities[i].blob.length);
    }
    assert(!ssh_identity_next(&left, &more));
    ssh_agent_write_identities(&again, identities, reply->identity_count);
    assert_message(&again, message);
}

static void check_signature(struct ssh_span blob)
{
    struct ssh_signature signature;
    struct ssh_writer again = {0};
    if (!ssh_signature_parse(&signature, blob))
        return;
    if (signature.r.length > 0)
        ssh_signature_write_ecdsa(&again, signature.algorithm, signature.r, signature.s);
    else
        ssh_signature_write(&again, signature.algorithm, signature.raw);
    if (signature.algorithm == SSH_ALGORITHM_SK_ED25519 ||
        signature.algorithm == SSH_ALGORITHM_SK_ECDSA) {
        ssh_write_byte(&again, signature.sk_flags);
        ssh_write_u32(&again, signature.sk_counter);
    }
    assert(ssh_span_equal(ssh_writer_span(&again), blob));
    ssh_writer_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ssh_reply reply;
    if (size < 1 || size - 1 > 262144)
        return 0;
    uint8_t *copy = malloc(size - 1);
    if (size > 1)
        memcpy(copy, data + 1, size - 1);
    struct ssh_span message = {copy, size - 1};
    if (ssh_reply_parse(&reply, (enum ssh_agent_message_type)data[0], message) == SSH_REPLY_OK) {
        if (data[0] == SSH_AGENTC_REQUEST_IDENTITIES)
            check_list(&reply, message);
        if (data[0] == SSH_AGENTC_SIGN_REQUEST)
            check_signature(reply.signature);
    }
    free(copy);
    return 0;
}
