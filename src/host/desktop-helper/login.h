/*
 * The redirect of an OAuth login (RFC 8252, loopback interface redirection): a program in the box
 * listens on a port of its loopback, and the login's page redirects the host's browser to the same
 * port of the host. This process forwards that port into the box for as long as it lives, so
 * nothing has to be cleaned up when it is killed.
 */
#pragma once

#include "host/desktop-helper/desktop_helper.h"

/* How long the port is forwarded at most. */
#define LOGIN_MINUTES 10

/* Listens on PORT of the host's loopback, also on IPv6 where it exists. FALSE when one of the two
 * addresses is in use; then it listens on neither. */
gboolean login_begin(const desktop_helper *self, guint16 port);

/* Forwards the port until shortly after a server in the box has answered, at most for
 * LOGIN_MINUTES. Confines this process, which can do nothing else afterwards. */
void login_serve(void);
