/*
 * Java's file of certificates as OpenJDK itself has it since Java 18, in images and archives of its
 * makers: a PKCS12 (RFC 7292) with neither a password nor anything encrypted. Java reads a file
 * with a password only where it is told it, so none of those is Java's own.
 */
#pragma once

#include <glib.h>

/* DATA, of LENGTH bytes (hostile: the box's), without the certificate NAME; a new string. NULL: it
 * is no such file. */
GString *java_pkcs12_without(const char *data, gsize length, const char *name);

/* Adds the certificate DER under NAME (ASCII, up to 60 bytes) to what java_pkcs12_without() has
 * returned. */
void java_pkcs12_add(GString *store, const char *name, const guint8 *der, gsize length);
