/* `box keys attach` and `detach`: the list of keys of a box that is not in its configuration. */
#pragma once

#include "box/registry/registry.h"

/* KEY is a label or fingerprint of a key that the real agent has. */
gboolean attach_key(const struct box *self, const char *key, GError **error);
/* KEY is a label or fingerprint of the list. */
gboolean detach_key(const struct box *self, const char *key, GError **error);
