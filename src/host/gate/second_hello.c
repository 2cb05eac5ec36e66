#include "host/gate/second_hello.h"

#include <stdbool.h>
#include <string.h>

#define SERVER_HELLO 2

/* RFC 8446, 4.1.3: the random number of a ServerHello that asks for another ClientHello. */
static const uint8_t asks_again[32] = {
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};

static void read_answer(struct second_hello *self)
{
    const uint8_t *random = self->answer + sizeof self->answer - sizeof asks_again;
    bool asks =
        self->answer[0] == SERVER_HELLO && memcmp(random, asks_again, sizeof asks_again) == 0;
    self->state = asks ? HELLO_ASKED : HELLO_TAKEN;
}

/* The answer may be in several records, as of a server that is told to send small ones, and
 * warnings may stand before it. */
void second_hello_hear(struct second_hello *self, const uint8_t *data, size_t size)
{
    bool of_handshake;
    while (size > 0 && self->state == HELLO_UNANSWERED) {
        bool of_contents = self->server.left > 0;
        size_t part = tls_records_next(&self->server, data, size, &of_handshake);
        size_t missing = sizeof self->answer - self->answered;
        size_t kept = part < missing ? part : missing;
        uint8_t type = self->server.header[0];
        if (of_handshake && of_contents) {
            memcpy(self->answer + self->answered, data, kept);
            self->answered += kept;
        } else if (!of_handshake && type != TLS_CHANGE_CIPHER && type != TLS_ALERT) {
            self->state = HELLO_TAKEN; /* it does not speak TLS */
        }
        if (self->answered == sizeof self->answer)
            read_answer(self);
        data += part;
        size -= part;
    }
}
