/*
 * The cancel flag behind podman_cancel(), the only process-wide state of src/podman.
 *
 * A signal handler sets it; a wake-up descriptor makes a poll that is under way return at once, and
 * stays readable until the reset, so that no wake-up is lost between a check and a poll.
 */
#pragma once

#include <glib.h>

/* Makes the wake-up descriptor when it is the first call. FALSE with ERROR when out of them. */
gboolean cancel_prepare(GError **error);
/* The descriptor to poll for reading. */
int cancel_fd(void);
/* TRUE, with BOX_ERROR_CANCELLED, between podman_cancel() and podman_cancel_reset(). */
gboolean cancel_check(GError **error);
