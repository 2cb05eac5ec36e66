/* Fuzzes the known_hosts parser, with a constructed host certificate that counts as validly signed.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh-agent/wire/known_hosts.h"

#define POINT "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The host's key is 32 times "A", the CA's 32 times "B"; the corpus has lines for both. */
static void write_certificate(struct ssh_writer *to)
{
    ssh_write_text(to, "ssh-ed25519-cert-v01@openssh.com");
    ssh_write_text(to, "nonce");
    ssh_write_text(to, POINT);
    ssh_write_u64(to, 1);
    ssh_write_u32(to, SSH_CERTIFICATE_HOST);
    ssh_write_text(to, "id");
    size_t mark = ssh_write_begin(to);
    ssh_write_text(to, "a.example");
    ssh_write_text(to, "*.test");
    ssh_write_end(to, mark);
    ssh_write_u64(to, 0);
    ssh_write_u64(to, UINT64_MAX);
    for (int i = 0; i < 3; i++)
        ssh_write_text(to, "");
    mark = ssh_write_begin(to);
    ssh_write_text(to, "ssh-ed25519");
    ssh_write_text(to, "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB");
    ssh_write_end(to, mark);
    ssh_write_text(to, "signature");
}

static void check(const struct ssh_known_hosts *known)
{
    assert(known->count <= SSH_KNOWN_NAMES_MAX);
    for (size_t i = 0; i < known->count; i++) {
        struct ssh_span text = known->names[i].text;
        assert(text.length > 0 && text.length <= SSH_KNOWN_NAME_MAX);
        assert(!memchr(text.data, ',', text.length) && !memchr(text.data, '\n', text.length) &&
               !memchr(text.data, ' ', text.length));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ssh_span claims[] = {SSH_SPAN("a.example"), SSH_SPAN("[b.test]:2222"),
                                      SSH_SPAN("192.0.2.1"), SSH_SPAN("*")};
    struct ssh_writer blob = {0};
    struct ssh_known_hosts known;
    struct ssh_key key;
    uint8_t *copy = malloc(size);
    if (size > 0)
        memcpy(copy, data, size);
    write_certificate(&blob);
    bool good = ssh_key_parse(&key, ssh_writer_span(&blob));
    assert(good);
    ssh_known_hosts_init(&known, &key, claims, sizeof claims / sizeof *claims, 1);
    assert(!known.certified);
    known.certified = true;
    ssh_known_hosts_read(&known, (struct ssh_span){copy, size});
    check(&known);
    assert(!(known.confirmed & 8));
    ssh_writer_clear(&blob);
    free(copy);
    return 0;
}
