/* Records of TLS that pass in pieces of any size. Plain functions over a buffer, libc only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLS_RECORD_HEADER 5
/* RFC 8446, 5.1. */
enum tls_record { TLS_CHANGE_CIPHER = 20, TLS_ALERT = 21, TLS_HANDSHAKE = 22 };

/* One side of a connection; all 0 at its first record. */
struct tls_records {
    uint8_t header[TLS_RECORD_HEADER];
    size_t seen; /* bytes of the header */
    size_t left; /* of the contents behind it */
};

/* How many bytes at the beginning of DATA, which has at least one, are of one record's header, or
 * of its contents. *OF_HANDSHAKE: they are of the kind that a ClientHello is in. */
size_t tls_records_next(struct tls_records *self, const uint8_t *data, size_t size,
                        bool *of_handshake);
