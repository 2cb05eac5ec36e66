/* Podman's error replies in our words: which box_error each one is, and what to do about it. */
#pragma once

#include <glib.h>

/*
 * Sets ERROR from an HTTP error reply: STATUS and its body. The code and the advice come from a
 * table over Podman's root cause; its own message follows, made safe.
 */
void errors_from_reply(long status, const char *body, gsize length, GError **error);

/* The same for an error inside a stream (a build, a pull), which has a message alone. */
void errors_from_message(const char *message, GError **error);
