/*
 * Stops a build whose client has gone, and removes its temporary files.
 *
 * When a client closes the connection, Podman (4.3 to 5.4, tested) continues with the build's
 * current step, for as long as that takes, and often with the next ones. When the service is ended
 * instead, the build's working containers are left behind. What works is to close the connection
 * and kill the processes of the steps: Buildah then treats the step as failed and cleans up. So
 * each build gets its own service, which tells its steps from those of other builds; and the
 * service gets a reaper process, which also works when the client is killed.
 */
#pragma once

#include <glib.h>

#include <sys/types.h>

/* What the client writes to the lifeline when the build has ended by itself. */
#define BUILD_REAPER_DONE 'd'

/*
 * Waits until the lifeline is closed. Unless BUILD_REAPER_DONE came before, kills all steps below
 * the service (a child of the caller) until the service ends. Then removes FOLDER, in which an
 * interrupted upload leaves files, and exits.
 */
_Noreturn void build_reaper_run(pid_t service, int lifeline, const char *folder);

/*
 * Creates a folder for one build's temporary files in $TMPDIR or /var/tmp, which are on disk,
 * because the files can be large. Also removes folders that a killed reaper or a crash left behind.
 * NULL with ERROR.
 */
char *build_folder_make(GError **error);
