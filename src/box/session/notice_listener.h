/* Listens for notices of the SSH agent to a session, and shows them (proto/session_notice.h): hooks
 * of a session (session/client_hooks.h). */
#pragma once

#include "box/registry/registry.h"
#include "net/token_bucket.h"

typedef struct {
    const struct box *box;
    int fd; /* -1: it does not listen */
    char *path;
    struct token_bucket limit;
} notice_listener;

void notice_listener_init(notice_listener *self, const struct box *about);
/* Listens for the session with the pty TERMINAL of the box (-1: none). The descriptor to poll; -1.
 */
int notice_listener_begin(notice_listener *self, int terminal);
/* TRUE when a notice came that is to be shown: a new string for *TEXT, harmless lines of "box: …".
 */
gboolean notice_listener_read(notice_listener *self, char **text);
void notice_listener_end(notice_listener *self);

/* LENGTH bytes as such lines. A new string; not more than NOTICE_LINES. */
char *notice_lines(const char *bytes, gsize length);
