/*
 * The controlling terminal by opening it: natively a session's leader that has none gets the
 * terminal that it opens for reading without O_NOCTTY (tty_open() of the kernel), and xterm relies
 * on that. Only the caller itself can take a terminal, by ioctl(TIOCSCTTY). So the guard lets it
 * make that call right behind the one that was held, before it goes on (ptrace(2)).
 *
 * Not for a caller in a view of its own, one that is traced, and one of the 32-bit personality. A
 * filter of the caller's own (seccomp(2)) sees that call.
 */
#pragma once

#include "guest/guard/request.h"

/*
 * The call has opened the terminal *FD. Where the caller gets it as its controlling one this
 * answers the call, and *FD is -1; else it does nothing.
 */
void guard_controlling_terminal_give(struct guard_request *request, int *fd);
