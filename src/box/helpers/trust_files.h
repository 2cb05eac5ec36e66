/* Files with the certificates that a box trusts, in a folder that its sessions see
 * (PLAN_CERTIFICATES). */
#pragma once

#include <glib.h>

#include "box/registry/box.h"

/*
 * The file with all certificates that a box's image trusts, and the authority of the box in it
 * (host/secrets/authority.h).
 */

/* Those of distributions have 250 KB. */
#define TRUST_BUNDLE_MAX (8 << 20)

/* Where systems keep all certificates in one file; ends with NULL. */
extern const char *const trust_bundle_paths[];

/* The file of p11-kit, in systems whose GnuTLS and NSS have no other (Fedora, Arch, openSUSE): text
 * with lines of attributes before each certificate. Ends with NULL. */
extern const char *const trust_p11_kit_paths[];

/* TEXT, of LENGTH bytes (hostile: the box's), without what trust_bundle_add() or
 * trust_p11_kit_add() has added; a new string. */
GString *trust_bundle_without(const char *text, gsize length);

/* Adds AUTHORITY, a certificate as PEM, between two lines that mark it. TRUE, as java_store_add().
 */
gboolean trust_bundle_add(GString *bundle, const char *authority);

/* The same for a file of p11-kit. */
gboolean trust_p11_kit_add(GString *text, const char *authority);

/*
 * Writes them: AUTHORITY, a certificate as PEM, and those of the box's system, whose PID 1 is PID.
 * The box's image may trust a company's own authority; when it has none, those of the host.
 */
gboolean trust_files_write(const struct box *self, pid_t pid, const char *authority,
                           GError **error);
