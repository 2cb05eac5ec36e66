/* Messages with descriptors between processes of ours. libc only. */
#pragma once

#include <sys/types.h>

/* Most descriptors of one. */
#define PACKET_FDS_MAX 2

/* One packet with at most PACKET_FDS_MAX descriptors. -1 with errno. */
ssize_t packet_send(int socket, const void *data, size_t length, const int *fds, size_t count);
/*
 * Its length, 0 at the end, -1 with errno. FDS gets COUNT descriptors, -1 for those that did not
 * come; what does not fit is closed.
 */
ssize_t packet_receive(int socket, void *data, size_t length, int *fds, size_t count);
