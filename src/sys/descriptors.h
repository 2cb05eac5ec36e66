/*
 * File descriptors of a process: those that it keeps, and those that it passes to another process
 * over a Unix socket (SCM_RIGHTS, unix(7)). libc only.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Most descriptors of one message: an X11 message may carry 16 (libxcb's XCB_MAX_PASS_FD), and no
 * protocol of ours more than 3. */
#define DESCRIPTORS_MAX 16

/* Closes all but the COUNT of KEEP, which are sorted meanwhile. Negative ones are skipped. */
void descriptors_keep(int *keep, size_t count);

/*
 * Sends PARTS as one message, with COUNT descriptors (at most DESCRIPTORS_MAX) on its first byte.
 * FLAGS: those of sendmsg(2); MSG_NOSIGNAL is always set, and EINTR is handled. Returns the bytes
 * sent, which may be fewer than all on a stream socket, or -1 with errno.
 */
ssize_t descriptors_sendv(int socket, const struct iovec *parts, size_t n_parts, const int *fds,
                          size_t count, int flags);
/* Sends DATA in the same way. */
ssize_t descriptors_send(int socket, const void *data, size_t length, const int *fds, size_t count,
                         int flags);

/*
 * Receives up to LENGTH bytes, and up to COUNT descriptors (at most DESCRIPTORS_MAX) into FDS; the
 * rest of FDS becomes -1. They are close-on-exec. FLAGS (NULL: none) are those of recvmsg(2); on
 * return, they have MSG_CTRUNC when more descriptors came than COUNT, or than this process may
 * open. The surplus is closed. Returns the number of bytes, 0 at the end, or -1 with errno; EINTR
 * is handled.
 */
ssize_t descriptors_receive(int socket, void *data, size_t length, int *fds, size_t count,
                            int *flags);
