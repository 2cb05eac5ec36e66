/*
 * Fuzzes the classification of sign requests. The input is a sign request without its type. Data of
 * a known class must equal what its fields are written to, and must be UNKNOWN with a byte more or
 * less.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/agent_protocol.h"
#include "ssh-agent/wire/signed_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_login(struct ssh_writer *to, const struct ssh_signed_data *classified)
{
    const struct ssh_login *login = &classified->login;
    const char *algorithm = ssh_algorithm_name(classified->algorithm);
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

static void check_fields(const struct ssh_signed_data *classified, struct ssh_span data)
{
    struct ssh_writer again = {0};
    if (classified->class == SSH_CLASS_LOGIN)
        write_login(&again, classified);
    else if (classified->class == SSH_CLASS_SSHSIG)
        write_sshsig(&again, &classified->sshsig);
    else
        return;
    assert(ssh_span_equal(ssh_writer_span(&again), data));
    ssh_writer_clear(&again);
}

static void check_neighbours(const struct ssh_request *request)
{
    struct ssh_signed_data classified;
    size_t length = request->data.length;
    uint8_t *longer = calloc(1, length + 1);
    if (length > 0)
        memcpy(longer, request->data.data, length);
    ssh_signed_data_classify(&classified, request->key, (struct ssh_span){longer, length + 1},
                             request->flags);
    assert(classified.class <= SSH_CLASS_UNKNOWN);
    if (length > 0) {
        ssh_signed_data_classify(&classified, request->key, (struct ssh_span){longer, length - 1},
                                 request->flags);
        assert(classified.class <= SSH_CLASS_UNKNOWN);
    }
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ssh_request request;
    struct ssh_signed_data classified;
    uint8_t *message = malloc(size + 1);
    message[0] = SSH_AGENTC_SIGN_REQUEST;
    memcpy(message + 1, data, size);
    ssh_request_parse(&request, (struct ssh_span){message, size + 1});
    if (request.kind == SSH_REQUEST_SIGN) {
        ssh_signed_data_classify(&classified, request.key, request.data, request.flags);
        assert((classified.class == SSH_CLASS_REFUSED) == (classified.refusal != SSH_REFUSAL_NONE));
        check_fields(&classified, request.data);
        if (classified.class > SSH_CLASS_UNKNOWN)
            check_neighbours(&request);
    }
    free(message);
    return 0;
}
