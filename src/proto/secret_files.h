/*
 * What `box`, the gate and litterbox-secrets share about a box's secrets: files in its runtime
 * folder, which no box can see, and the message with which the gate hands a connection over. libc
 * only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "proto/network_rules.h"

/* Names of the box's secrets, a line each; written by `box`. */
#define SECRETS_LIST "secrets.list"
#define SECRETS_LIST_MAX 4096
/*
 * Written by `box` for the gate: where the secrets go. Lines "NAME PORT SERVER PORT": what the box
 * connects to, and the server that it then reaches.
 */
#define SECRETS_HOSTS "secrets.hosts"
#define SECRETS_HOSTS_MAX (256 * 1024)
struct secret_route {
    char name[HOST_NAME_SIZE], server[HOST_NAME_SIZE];
    uint16_t port, server_port;
};
/* Parses the line at *DATA, of *SIZE bytes, which are then those behind it. 1; 0 at the end; -1. */
int secret_route_parse(const char **data, size_t *size, struct secret_route *route);

/* Written by litterbox-secrets: the certificate of its authority; lines "VARIABLE=VALUE" for
 * sessions. */
#define SECRETS_CERTIFICATE "secrets-certificate.pem"
#define SECRETS_CERTIFICATE_MAX (16 * 1024)
#define SECRETS_VARIABLES "secrets.env"
#define SECRETS_VARIABLES_MAX (256 * 1024)

/*
 * A SOCK_SEQPACKET socket. For each connection of the box to a host that has a secret the gate
 * connects, and sends one message, "NAME PORT" without a NUL, with two descriptors: the box's
 * connection, and one to the server, whose address the gate has checked. While this connection is
 * open, so is the other; either side ends it by closing.
 */
#define SECRETS_SOCKET "secrets.sock"
#define SECRETS_MESSAGE_MAX (HOST_NAME_SIZE + 8)
