/*
 * What a box is told about a connection that is refused, in the words of its protocol. Plain
 * functions, libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/gate/target.h"

/* Room for each answer. */
#define REFUSAL_MAX 1792

/* WHY goes on from the target's name. Both return the length of the answer. */

/* To a request of HTTP/1 (RFC 9110, 15.5.4). */
size_t refusal_text_http(const struct target *target, const char *why, uint8_t out[REFUSAL_MAX]);

/* To a client of SSH: a version, and a message of disconnection, which may come before the exchange
 * of keys (RFC 4253, 4.2, 6 and 11.1). OpenSSH prints the first 400 bytes of its text. */
size_t refusal_text_ssh(const struct target *target, const char *why, uint8_t out[REFUSAL_MAX]);
