/* The X server whose windows we manage: a child of ours. */
#pragma once

#include <sys/types.h>

/* Starts ARGV with all descriptors that it is to have, and none of ours. -1: it could not be. */
pid_t server_start(char **argv);
/* Until it has ended. We are who inherits what it leaves behind, too. */
void server_wait(pid_t server);
