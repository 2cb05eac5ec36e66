/*
 * The way back of a login: a server of the box waits on a port of its loopback, and the page of the
 * login sends the browser of the host to that port of the host's. It leads into the box as long as
 * this process lives, and no longer: nothing is to be taken back when it is killed.
 */
#pragma once

#include "host/desktop-helper/errand.h"

/* Listens on PORT of the host's loopback, IPv6 too where there is one. FALSE, and on neither, when
 * one of the two is in use. */
gboolean login_begin(const errand *self, guint16 port);

/* Serves until LOGIN_MINUTES are over, or a little while after a server in the box has answered.
 * This process can do nothing else from then on. */
void login_serve(void);
