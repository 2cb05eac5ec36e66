/*
 * Finds Podman's service, or starts one. The order:
 *
 *  1. CONTAINER_HOST, when it is set, and nothing else (unix: only);
 *  2. the user's $XDG_RUNTIME_DIR/podman/podman.sock, started through systemd when neither it nor a
 *     private service is running;
 *  3. a private service of Litterbox, which ends when it has been idle for a while.
 *
 * There is no probe, because Podman logs an error for each connection without a request. The caller
 * connects to podman_service_address(), and calls podman_service_refused() when that fails.
 */
#pragma once

#include <glib.h>

/* A service of Litterbox ends after this many seconds without a client. */
#define PODMAN_SERVICE_IDLE_SECONDS 60

typedef struct podman_service podman_service;

/* NULL with BOX_ERROR_UNREACHABLE, and what to do, when there is no path to try. */
podman_service *podman_service_new(GError **error);
/* A running service at the socket PATH that logs to the file LOG. */
podman_service *podman_service_new_at(const char *path, const char *log, GError **error);
void podman_service_free(podman_service *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(podman_service, podman_service_free)

/* TRUE when CONTAINER_HOST names the service. It may be on another machine or in a container. */
gboolean podman_service_is_from_environment(const podman_service *self);

/* The path of the socket, for messages. */
const char *podman_service_socket(const podman_service *self);
/* A path to the same socket that fits into struct sockaddr_un. */
const char *podman_service_address(const podman_service *self);

/*
 * Call this when connect(2) failed with the errno NUMBER. TRUE: try again, because the service has
 * been started, or the next one in the order is chosen now. FALSE with BOX_ERROR_UNREACHABLE, and
 * what to do.
 */
gboolean podman_service_refused(podman_service *self, int number, GError **error);

/* After a broken connection: the end of the service's log, or where to look. A new string, safe to
 * show; NULL without advice. */
char *podman_service_advice(const podman_service *self);

/*
 * service_spawn.c: starts "podman system service" on the listening socket LISTENER, detached from
 * the caller's session, folder, terminal and environment, with its output in the file LOG. Returns
 * once podman has been executed; FALSE with BOX_ERROR_UNREACHABLE, and what to install, when it
 * could not be.
 */
gboolean podman_service_spawn(int listener, const char *log, GError **error);

/*
 * As podman_service_spawn(), with a reaper (build_reaper.h) for one build whose temporary files are
 * in FOLDER. Returns the lifeline: when it is closed, or the caller dies, the reaper stops the
 * build and removes the folder. NETWORK is the path of the network (build_network.h) in which the
 * service and all that it starts run; NULL: the caller's. -1 with ERROR.
 */
int podman_service_spawn_builder(int listener, const char *log, const char *folder,
                                 const char *network, GError **error);
