/* What a Podman that was killed in the middle of a start leaves running. */
#pragma once

/*
 * Kills what the OCI runtime has prepared for the container ID and Podman has forgotten: a process
 * that waits for a start which never comes. Nothing of the box has run in it. Only for a container
 * that Podman holds for stopped.
 */
void strays_kill(const char *id);
