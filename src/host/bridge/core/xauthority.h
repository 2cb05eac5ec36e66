/*
 * Cookies of X servers, in the format of .Xauthority: entries of a family (16 bits) and four
 * counted strings (address, display number, name, data), all sizes 16 bits, big-endian.
 */
#pragma once

#include <stddef.h>

/* MIT-MAGIC-COOKIE-1. */
#define XAUTHORITY_COOKIE 16
/* Bytes of an entry as xauthority_write() makes it. */
#define XAUTHORITY_ENTRY (2 + 2 + 2 + 2 + 18 + 2 + XAUTHORITY_COOKIE)

/* The entry for COOKIE that fits every address and display, which is how a box and its server see
 * it. */
void xauthority_write(unsigned char entry[XAUTHORITY_ENTRY],
                      const unsigned char cookie[XAUTHORITY_COOKIE]);
/* As a new file PATH, seen from FOLDER, that nobody else may read. -1 with errno. */
int xauthority_save(int folder, const char *path, const unsigned char cookie[XAUTHORITY_COOKIE]);

/*
 * The cookie for the local display NUMBER of the machine HOST, of an .Xauthority with LENGTH bytes
 * at DATA; points into DATA. NULL when it has none. Reads no byte beyond, whatever DATA says.
 */
const unsigned char *xauthority_find(const unsigned char *data, size_t length, const char *host,
                                     const char *number);
