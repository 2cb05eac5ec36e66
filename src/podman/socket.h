/* Unix stream sockets by path, of any length. Descriptors are close-on-exec. */
#pragma once

#include <glib.h>

/*
 * PATH as a socket's address can hold it, a new string. A longer one (a runtime folder may be deep)
 * goes through its folder's descriptor, which is stored in *FOLDER (else -1) and must stay open for
 * as long as the result is used. NULL with errno when the folder cannot be opened.
 */
char *socket_address(const char *path, int *folder);

/* TRUE when somebody listens on ADDRESS. */
gboolean socket_answers(const char *address);

/* Listens on ADDRESS, which is removed first; mode 0600. Returns the descriptor, or -1 with errno.
 */
int socket_listen(const char *address);
