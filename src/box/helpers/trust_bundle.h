/*
 * The file with all certificates that a box's image trusts, and the authority of the box in it
 * (host/secrets/authority.h).
 */
#pragma once

#include <glib.h>

/* Those of distributions have 250 KB. */
#define TRUST_BUNDLE_MAX (8 << 20)

/* Where systems keep all certificates in one file; ends with NULL. */
extern const char *const trust_bundle_paths[];

/* TEXT, of LENGTH bytes (hostile: the box's), without what trust_bundle_add() has added; a new
 * string. */
GString *trust_bundle_without(const char *text, gsize length);

/* Adds AUTHORITY, a certificate as PEM, between two lines that mark it. */
void trust_bundle_add(GString *bundle, const char *authority);
