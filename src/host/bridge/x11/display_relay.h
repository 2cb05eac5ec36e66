/*
 * [desktop] x11 = "host": passes a box's connections on to the host's X server. It does not look
 * into the bytes that pass, and passes descriptors on with them.
 */
#pragma once

/* Serves LISTENER (non-blocking), in a process of its own, with connections to the socket PATH
 * until the last one has ended. */
void display_relay_run(int listener, const char *path);
