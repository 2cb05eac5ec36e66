#include "host/gate/tls_records.h"

#include <string.h>

size_t tls_records_next(struct tls_records *self, const uint8_t *data, size_t size,
                        bool *of_handshake)
{
    size_t part;
    if (self->left > 0) {
        part = size < self->left ? size : self->left;
        self->left -= part;
    } else {
        self->seen %= sizeof self->header;
        size_t missing = sizeof self->header - self->seen;
        part = size < missing ? size : missing;
        memcpy(self->header + self->seen, data, part);
        self->seen += part;
        if (self->seen == sizeof self->header)
            self->left = (size_t)self->header[3] << 8 | self->header[4];
    }
    *of_handshake = self->header[0] == TLS_HANDSHAKE;
    return part;
}
