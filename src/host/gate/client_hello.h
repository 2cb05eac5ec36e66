/*
 * The first message of a TLS client (RFC 8446, 4.1.2; RFC 6066, 3): which server it asks for. Plain
 * functions over a buffer, libc only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/head_state.h"
#include "proto/network_rules.h"

/* Most bytes of the message with its records. */
#define CLIENT_HELLO_MAX (64 * 1024)

struct client_hello {
    char name[HOST_NAME_SIZE]; /* of its server_name extension, normalised */
    bool is_encrypted;         /* has another ClientHello in it, which only the server can read */
    size_t size;               /* of its records */
};

/* Reads a ClientHello at the beginning of DATA, in one or more records of its own. When WRONG, *WHY
 * says what it is not; among others when it has no name. */
enum head_state client_hello_parse(const uint8_t *data, size_t size, struct client_hello *hello,
                                   const char **why);
