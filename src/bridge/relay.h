/*
 * [desktop] x11 = "host": what passes a box's connections on to the host's X server. It reads
 * nothing of what passes, file descriptors included.
 */
#pragma once

/* Serves LISTENER (non-blocking) with connections to the socket PATH until the last one has ended.
 * Does not return. */
_Noreturn void relay_run(int listener, const char *path);
