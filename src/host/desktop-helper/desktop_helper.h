/* What the parts of litterbox-desktop-helper share: the box it works for, the answer to the
 * box, and what ask.c, open.c, login.c and paste.c do. */
#pragma once

#include <glib.h>

#include "proto/desktop_request.h"

typedef struct {
    const char *runtime; /* the box's runtime folder */
    const char *box, *project;
    pid_t run;         /* the box's PID 1 */
    gboolean may_open; /* without asking the user */
} desktop_helper;

/*
 * Sends the answer to the program in the box and closes the connection. Call it once. The text is
 * ours; quote nothing from the box in it that is not escaped (text_quoted()).
 */
void desktop_helper_answer(enum request_outcome outcome, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* The descriptor of the connection to the program in the box: POLLHUP when it has gone. */
#define DESKTOP_HELPER_CONNECTION 1

struct question; /* proto/question.h */

/* Asks the user. TRUE: allowed. FALSE: the box has its answer, if it still waits. */
gboolean desktop_helper_ask(const struct question *asked);

/* Gives the box the picture that the user has copied: asks the user, whose window reads the
 * clipboard, and answers the box. */
void give_picture(const desktop_helper *self);

/* Opens a web page or a mail for a box: checks ADDRESS, asks the user, opens it and answers the
 * box. For the page of a login, returns only when the login is answered or timed out
 * (login_serve()). */
void open_page(const desktop_helper *self, const char *address);

/*
 * The redirect of an OAuth login (RFC 8252, loopback interface redirection): a program in the box
 * listens on a port of its loopback, and the login's page redirects the host's browser to the same
 * port of the host. This process forwards that port into the box for as long as it lives, so
 * nothing has to be cleaned up when it is killed.
 */

/* How long the port is forwarded at most. */
#define LOGIN_MINUTES 10

/* Listens on PORT of the host's loopback, also on IPv6 where it exists. FALSE when one of the two
 * addresses is in use; then it listens on neither. */
gboolean login_begin(const desktop_helper *self, guint16 port);

/* Forwards the port until shortly after a server in the box has answered, at most for
 * LOGIN_MINUTES. Confines this process, which can do nothing else afterwards. */
void login_serve(void);
