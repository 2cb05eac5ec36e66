/* What `box net log` and `box net suggest` print. */
#pragma once

#include "box/registry/registry.h"
#include "proto/network_rules.h"

/* The records of SELF's gate; DENIED: those that were refused, or would have been. FOLLOW: waits
 * for more. FALSE with ERROR. */
gboolean net_log_show(const struct box *self, gboolean follow, gboolean denied, gboolean json,
                      GError **error);

/* Rules for what SELF wanted and no rule allows; but for what NOW, which may be NULL, decides
 * about. FALSE with ERROR. */
gboolean net_log_suggest(const struct box *self, const struct network_rules *now, gboolean json,
                         GError **error);
