/* Between ask.c and ask_hidden.c. */
#pragma once

/* /dev/tty when there is one and we are in its foreground; -1. */
int ask_open_terminal(void);
