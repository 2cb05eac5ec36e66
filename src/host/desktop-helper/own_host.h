/* Names and addresses by which a browser of this machine reaches its own services. */
#pragma once

#include <glib.h>

/*
 * TRUE when HOST (of a struct url: normalised) is this machine's own name, with or without a
 * domain, or an address of one of its interfaces. Asks no name server.
 */
gboolean own_host_is(const char *host);
