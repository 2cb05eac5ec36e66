/* litterbox-wm (host/bridge/wm/wm.h), as the first process of a server's jail: nothing of it is to
 * be seen there. */
#pragma once

#define X11_MANAGER "litterbox-wm"

/*
 * Its PROGRAM, and two connections to the display, whose server is yet to come. In the keeper. -1
 * with none of them (-1 each): it is not installed, or so many wait for the server that there is no
 * place.
 */
int x11_manager_open(int *program, int *connection, int *probe);
