/*
 * What a box asks to have signed: a sign request without its type. Data that is recognised must be
 * nothing but the facts that were found in it, and a byte more or less must not be recognised.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/agent.h"
#include "ssh-agent/wire/classify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_login(struct ssh_writer *to, const struct ssh_facts *facts)
{
    const struct ssh_login *login = &facts->login;
    const char *algorithm = ssh_algorithm_name(facts->algorithm);
    char certified[64];
    if (login->key.is_certificate && login->key.type == SSH_KEY_RSA) {
        strcpy(certified, algorithm);
        algorithm = strcat(certified, "-cert-v01@openssh.com");
    } else if (login->key.is_certificate) {
        algorithm = ssh_key_type_name(login->key.type, true);
    }
    ssh_write_string(to, login->session_id);
    ssh_write_byte(to, 50);
    ssh_write_string(to, login->user);
    ssh_write_text(to, "ssh-connection");
    ssh_write_text(to, login->host_bound ? "publickey-hostbound-v00@openssh.com" : "publickey");
    ssh_write_byte(to, 1);
    ssh_write_text(to, algorithm);
    ssh_write_string(to, login->key.blob);
    if (login->host_bound)
        ssh_write_string(to, login->host_key);
}

static void write_sshsig(struct ssh_writer *to, const struct ssh_sshsig *sshsig)
{
    ssh_write_raw(to, SSH_SPAN("SSHSIG"));
    ssh_write_string(to, sshsig->name_space);
    ssh_write_text(to, "");
    ssh_write_string(to, sshsig->hash_name);
    ssh_write_string(to, sshsig->hash);
}

static void check_facts(const struct ssh_facts *facts, struct ssh_span data)
{
    struct ssh_writer again = {0};
    if (facts->class == SSH_CLASS_LOGIN)
        write_login(&again, facts);
    else if (facts->class == SSH_CLASS_SSHSIG)
        write_sshsig(&again, &facts->sshsig);
    else
        return;
    assert(ssh_span_equal(ssh_writer_span(&again), data));
    ssh_writer_clear(&again);
}

static void check_neighbours(const struct ssh_request *request)
{
    struct ssh_facts facts;
    size_t length = request->data.length;
    uint8_t *longer = calloc(1, length + 1);
    if (length > 0)
        memcpy(longer, request->data.data, length);
    ssh_classify(&facts, request->key, (struct ssh_span){longer, length + 1}, request->flags);
    assert(facts.class <= SSH_CLASS_UNKNOWN);
    if (length > 0) {
        ssh_classify(&facts, request->key, (struct ssh_span){longer, length - 1}, request->flags);
        assert(facts.class <= SSH_CLASS_UNKNOWN);
    }
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ssh_request request;
    struct ssh_facts facts;
    uint8_t *message = malloc(size + 1);
    message[0] = SSH_AGENT_SIGN;
    memcpy(message + 1, data, size);
    ssh_request_parse(&request, (struct ssh_span){message, size + 1});
    if (request.kind == SSH_REQUEST_SIGN) {
        ssh_classify(&facts, request.key, request.data, request.flags);
        assert((facts.class == SSH_CLASS_REFUSED) == (facts.refusal != SSH_REFUSAL_NONE));
        check_facts(&facts, request.data);
        if (facts.class > SSH_CLASS_UNKNOWN)
            check_neighbours(&request);
    }
    free(message);
    return 0;
}
