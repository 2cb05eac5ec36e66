/*
 * The file with all certificates that Java trusts (its "cacerts"), and the authority of the box in
 * it (host/secrets/authority.h).
 *
 * That of a distribution is a JKS: big-endian, as java.io.DataOutputStream writes it. All of it is
 * under a SHA-1 with a password that everybody knows, "changeit". Every Java since 1.2 reads it,
 * whatever its own default is. That of OpenJDK is a PKCS12 since Java 18 (java_pkcs12.h).
 */
#pragma once

#include <glib.h>

/* Those of distributions have 170 KB. A hostile box may have a hundred files. */
#define JAVA_STORE_MAX (1 << 20)

/* Where such files may be in a system whose root is the descriptor ROOT (hostile: the box's), a new
 * array that ends with NULL: those of distributions, and of runtimes that were installed without
 * one. */
char **java_store_paths(int root);
/* TRUE when PATH may be one of them, in whatever box. */
gboolean java_store_is_path(const char *path);

/* DATA, of LENGTH bytes (hostile: the box's), without what java_store_add() has added; a new
 * string. NULL with ERROR, which shows no text of it, when it is not such a file. */
GString *java_store_without(const char *data, gsize length, GError **error);

/* A store with the certificates of BUNDLE, a text with some as PEM (hostile: the box's). */
GString *java_store_of(const char *bundle);

/* Adds AUTHORITY, a certificate as PEM, to what one of these has returned. FALSE: it is none. */
gboolean java_store_add(GString *store, const char *authority);
