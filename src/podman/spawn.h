/* Starts Podman services of our own, on sockets that listen already. */
#pragma once

#include <glib.h>

/* A service ends after this many seconds without a client. */
#define SPAWN_IDLE_SECONDS 60

/*
 * Starts "podman system service" on the listening socket LISTENER, apart from our session, folder,
 * terminal and secrets, with its messages in the file LOG. Returns when podman has been executed;
 * FALSE with BOX_ERROR_UNREACHABLE, and what to install, when it cannot be.
 */
gboolean spawn_service(int listener, const char *log, GError **error);

/*
 * The same with a keeper (keeper.h), for one build whose temporary files go to FOLDER. Returns the
 * lifeline: when it is closed, on purpose or because we died, the build is stopped, and the file
 * SOCKET and the folder are removed. -1 with ERROR.
 */
int spawn_builder(int listener, const char *log, const char *folder, GError **error);
