/*
 * What `box`, the gate and litterbox-secrets share about a box's secrets, and about hosts that have
 * rules with methods or paths: files in its runtime folder, which no box can see, and the message
 * with which the gate hands a connection over. libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/network_rules.h"

/* Names of the box's secrets, a line each; and lines "NAME PORT" of hosts without a secret that
 * have rules with methods or paths. Written by `box`. */
#define SECRETS_LIST "secrets.list"
#define SECRETS_LIST_MAX (512 * 1024)
/* Those of the box's secrets that are logins, a line "NAME SERVICE" each; missing when none is.
 * Written by `box`. */
#define SECRETS_LOGINS "secrets.logins"
/*
 * Written by `box` for the gate: which connections go to litterbox-secrets. Lines "NAME PORT SERVER
 * PORT": what the box connects to, and the server that it then reaches.
 */
#define SECRETS_HOSTS "secrets.hosts"
#define SECRETS_HOSTS_MAX (1024 * 1024)
struct secret_route {
    char name[HOST_NAME_SIZE], server[HOST_NAME_SIZE];
    uint16_t port, server_port;
};
/* Parses the line at *DATA, of *SIZE bytes, which are then those behind it. 1; 0 at the end; -1. */
int secret_route_parse(const char **data, size_t *size, struct secret_route *route);

/* Written by litterbox-secrets: the certificate of its authority, below a line "# HASH" with the
 * hash of its subject (openssl-rehash(1)); lines "VARIABLE=VALUE" for sessions; lines
 * "NAME FILE\tTEXT" for the files of secrets below the box's home, TEXT with escapes as in C. */
#define SECRETS_CERTIFICATE "secrets-certificate.pem"
#define SECRETS_CERTIFICATE_MAX (16 * 1024)
#define SECRETS_VARIABLES "secrets.env"
#define SECRETS_VARIABLES_MAX (256 * 1024)
#define SECRETS_FILES "secrets.files"
#define SECRETS_FILES_MAX (1024 * 1024)

/*
 * A SOCK_SEQPACKET socket. For each connection of the box to a host whose requests are read the
 * gate connects, and sends one message with two descriptors: the box's connection, and one to the
 * server, whose address the gate has checked. It is "NAME PORT" and the end of the line, and then
 * the rules for its requests (network_requests_write()). While this connection is open, so is the
 * other; either side ends it by closing. Before that, litterbox-secrets sends a record
 * (network_record.h): what passed, and whether a request was refused. It sends others before, for
 * requests of HTTP/2 that were refused while others pass; the last one says what the connection is.
 */
#define SECRETS_SOCKET "secrets.sock"
#define SECRETS_MESSAGE_MAX (64 * 1024)
struct secrets_message {
    char name[HOST_NAME_SIZE];
    uint16_t port;
    struct network_rules rules; /* none: every request may pass */
};
/* Writes the message for NAME and PORT, without a NUL; RULES decide about requests to SERVER and
 * SERVER_PORT. Returns its length; -1 when there are too many rules. */
ssize_t secrets_message_write(const struct network_rules *rules, const struct secret_route *route,
                              char text[SECRETS_MESSAGE_MAX]);
/* 0; or -1 with SELF empty. */
int secrets_message_parse(const char *text, size_t length, struct secrets_message *self);
