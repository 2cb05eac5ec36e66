/*
 * Cookies of X servers, in the format of .Xauthority: entries of a family (16 bits) and four
 * counted strings (address, display number, name, data), all sizes 16 bits, big-endian.
 */
#pragma once

#include <stddef.h>

/* MIT-MAGIC-COOKIE-1. */
#define XAUTHORITY_COOKIE 16
/* Bytes of an entry of xauthority_write(). */
#define XAUTHORITY_ENTRY (2 + 2 + 2 + 2 + 18 + 2 + XAUTHORITY_COOKIE)

/* Writes an entry for COOKIE that matches every address and display (FamilyWild). */
void xauthority_write(unsigned char entry[XAUTHORITY_ENTRY],
                      const unsigned char cookie[XAUTHORITY_COOKIE]);
/* Creates the file PATH (mode 0600), relative to FOLDER, with that entry. -1 with errno. */
int xauthority_save(int folder, const char *path, const unsigned char cookie[XAUTHORITY_COOKIE]);

/*
 * Finds the cookie for the local display NUMBER of the machine HOST in an .Xauthority file of
 * LENGTH bytes at DATA. Returns a pointer into DATA, or NULL. The lengths in DATA are checked.
 */
const unsigned char *xauthority_find(const unsigned char *data, size_t length, const char *host,
                                     const char *number);
