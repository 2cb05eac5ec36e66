/*
 * A network namespace for a build, with nothing but an interface "lo" that is down.
 *
 * It belongs to the user namespace of Podman, as the steps of builds do, so it is made by a program
 * under podman-unshare(1) (host/build-network). That mounts it on a file, because a PID in a path
 * could be that of another process by the time a step starts; the mount can be seen by Podman
 * alone. The program ends with the caller, however that ends. Removing the file ends the mount.
 *
 * Podman's service for the build runs in it as well (service.h). So what a Containerfile can make
 * the service itself do (ADD of an address, RUN --network=host) has no other network.
 */
#pragma once

#include <glib.h>

#include <sys/types.h>

/* In libexec. */
#define BUILD_NETWORK_PROGRAM "litterbox-build-network"

typedef struct build_network build_network;

/* Makes one, mounted at FOLDER/netns; its messages go to FOLDER/build-network.log. NULL with ERROR.
 */
build_network *build_network_open(const char *folder, GError **error);
/* Waits until its program has ended. */
void build_network_close(build_network *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(build_network, build_network_close)

const char *build_network_path(const build_network *self);
/* A process in it, which lives as long as SELF does. */
pid_t build_network_process(const build_network *self);
