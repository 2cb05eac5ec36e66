/*
 * Parses an address that a box wants to open, and writes it anew in a normal form, so that the user
 * is shown the address that every browser will open.
 *
 * It stops: files and scripts (file:, javascript:, data: …), command-line options in place of
 * addresses, control characters and backslashes (which browsers drop or replace), homographs (other
 * letters that look like Latin ones), user names that look like the host, mails that attach files.
 */
#pragma once

#include <glib.h>

#include "proto/desktop_request.h"

/* Longest host name, as in DNS (RFC 1035). */
#define URL_HOST_MAX 253
/* The least port that a login may be redirected to: those below belong to system services. */
#define URL_LOGIN_PORT_MIN 1024

typedef struct {
    char *text;    /* the whole address, normalised: printable ASCII, begins with its scheme */
    char *host;    /* lower-case ASCII, an IPv6 address in brackets; NULL for a mail */
    char *mail;    /* the receiver, as in TEXT; NULL for a page */
    char *port;    /* digits; NULL for the scheme's default */
    char *user;    /* the user name, perhaps with a password; NULL for none */
    char *unicode; /* HOST decoded from Punycode; NULL when it has none */
    char *scripts; /* of UNICODE: "Cyrillic, Latin" */
    gboolean is_loopback; /* the host is this machine itself */
    guint16 login_port;   /* the port of this machine that redirect_uri names; 0 for none */
} url;

/* NULL when it is refused: then *WHY is a sentence and *OUTCOME the kind of answer. */
url *url_parse(const char *text, enum request_outcome *outcome, const char **why);
void url_free(url *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(url, url_free)

/* Names and addresses by which a browser of this machine reaches its own services. */

/*
 * TRUE when HOST (of a struct url: normalised) is this machine's own name, with or without a
 * domain, or an address of one of its interfaces. Asks no name server.
 */
gboolean own_host_is(const char *host);
