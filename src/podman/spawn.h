/* Starts a Podman service of our own on a socket that already listens. */
#pragma once

#include <glib.h>

/* The service ends after this many seconds without a client. */
#define SPAWN_IDLE_SECONDS 60

/*
 * Starts "podman system service" on the listening socket LISTENER, apart from our session, folder,
 * terminal and secrets, with its messages in the file LOG. Returns when podman has been executed;
 * FALSE with BOX_ERROR_UNREACHABLE, and what to install, when it cannot be.
 */
gboolean spawn_service(int listener, const char *log, GError **error);
