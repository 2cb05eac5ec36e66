/*
 * The list of protocols that a client offers with TLS (ALPN, RFC 7301, 3.1). A plain function over
 * a buffer, libc only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* TRUE when NAME is one of those in the LENGTH bytes of EXTENSION. Of one that is malformed, what
 * stands before the fault counts: OpenSSL refuses it. */
bool alpn_offers(const unsigned char *extension, size_t length, const char *name);
