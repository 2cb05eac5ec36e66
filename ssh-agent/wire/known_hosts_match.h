/* Names against the first field of a known_hosts line. Private to known_hosts.c. */
#pragma once

#include "ssh-agent/wire/known_hosts.h"

/* A claim made comparable: small letters, and only characters that names and addresses have. */
struct ssh_host_name {
    uint8_t bytes[SSH_KNOWN_NAME_MAX];
    struct ssh_span span; /* into bytes */
};

/* FALSE when TEXT cannot be a host's name. */
bool ssh_host_name_init(struct ssh_host_name *self, struct ssh_span text);

/* PATTERN may hold * and ?; capitals of both do not matter. Linear, whatever the pattern. */
bool ssh_host_pattern_matches(struct ssh_span pattern, struct ssh_span name);

/* TRUE when TEXT has * or ?. */
bool ssh_host_is_pattern(struct ssh_span text);

/* Takes the next of comma-separated HOSTS from *LEFT; NEGATED when it began with "!". */
bool ssh_host_next(struct ssh_span *left, struct ssh_span *host, bool *negated);

/*
 * Whether the field HOSTS is of NAME (in small letters): hashed, or one of the comma-separated
 * patterns and none of the negated ones.
 */
bool ssh_hosts_match(struct ssh_span hosts, struct ssh_span name);
