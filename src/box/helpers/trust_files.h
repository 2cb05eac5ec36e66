/* Files with the certificates that a box trusts, in a folder that its sessions see
 * (PLAN_CERTIFICATES). */
#pragma once

#include "box/registry/box.h"

/*
 * Writes them: AUTHORITY, a certificate as PEM, and those of the box's system, whose PID 1 is PID.
 * The box's image may trust a company's own authority; when it has none, those of the host.
 */
gboolean trust_files_write(const struct box *self, pid_t pid, const char *authority,
                           GError **error);
