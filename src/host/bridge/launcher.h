/*
 * A process of its own, forked before the bridge gives up its rights: it starts
 * litterbox-desktop-helper, one process a request, with the connection on which that answers. What
 * may be asked, and how often, is decided in here and there, not by the bridge, which has read what
 * the box wrote. It takes no program's name and no option from the bridge.
 */
#pragma once

/* Forks it. Our end of its socket, for packets of request.h with a connection each; -1. */
int launcher_start(void);
