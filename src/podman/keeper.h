/*
 * Stops a build whose client has gone, and cleans up after it.
 *
 * Podman (4.3 to 5.4, tried) goes on with a build when its client closes the connection: with the
 * step that runs, for as long as it takes, and often with the next ones. When the service is ended
 * instead, the build's working containers stay behind. What works: to close the connection and to
 * kill what the steps run. Buildah then takes the step for failed, and cleans up. So each build
 * gets a service of its own, to tell its steps from those of others, and that gets a keeper, which
 * does its work when the client is killed as well.
 */
#pragma once

#include <sys/types.h>

/* What the client writes to the lifeline when the build has come to its end by itself. */
#define KEEPER_DONE 'd'

/*
 * Waits for the end of the lifeline. Then, unless the client was done, kills all steps below the
 * service (a child of the caller) until that ends by itself; removes its FOLDER for temporary
 * files, where an interrupted upload stays behind; exits.
 */
_Noreturn void keeper_run(pid_t service, int lifeline, const char *folder);
