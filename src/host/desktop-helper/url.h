/*
 * An address that a box wants to be opened: read strictly, and written anew, so that what the user
 * is shown is what every browser makes of it. A plain function over a text.
 *
 * Attacks stopped: files and scripts (file:, javascript:, data: …), options in place of addresses,
 * control characters and backslashes (which browsers drop, or turn around), other letters that
 * look like plain ones, a user name that looks like the host, mails that attach files.
 */
#pragma once

#include <glib.h>

#include "proto/desktop_request.h"

/* Longest host name, as in DNS. */
#define URL_HOST_MAX 253

typedef struct {
    char *text;       /* the whole address: plain ASCII without spaces, begins with its scheme */
    char *host;       /* in ASCII and small letters, an IPv6 address in brackets; NULL: a mail */
    char *mail;       /* whom the mail goes to, as in TEXT; NULL: a page */
    char *port;       /* digits; NULL: that of the scheme */
    char *user;       /* what stands in front of the host, with a password perhaps; NULL: nothing */
    char *letters;    /* HOST as people read it, where that is something else; NULL */
    char *scripts;    /* of LETTERS: "Cyrillic, Latin" */
    gboolean is_here; /* the host is this machine itself */
    guint16 login_port; /* where a login sends the browser back to on this machine; 0: none */
} url;

/* NULL with what is wrong in *WHY, a sentence, and which kind of answer that is in *OUTCOME. */
url *url_parse(const char *text, enum request_outcome *outcome, const char **why);
void url_free(url *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(url, url_free)
