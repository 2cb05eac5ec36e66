/*
 * The list of protocols that a client offers with TLS (ALPN, RFC 7301, 3.1). A plain function over
 * a buffer, libc only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes of the length of the list. */
#define ALPN_PREFIX 2

/* TRUE when NAME is one of those in the LENGTH bytes of EXTENSION. Of one that is malformed, what
 * stands before the fault counts: OpenSSL refuses it. */
static inline bool alpn_offers(const unsigned char *extension, size_t length, const char *name)
{
    size_t wanted = strlen(name);
    for (size_t at = ALPN_PREFIX; at < length; at += 1 + (size_t)extension[at])
        if (extension[at] == wanted && length - at > wanted &&
            memcmp(extension + at + 1, name, wanted) == 0)
            return true;
    return false;
}
