/* X displays: cookies in the format of .Xauthority, and the user's own display. */
#pragma once

#include <stddef.h>

/*
 * Cookies of X servers, in the format of .Xauthority: entries of a family (16 bits) and four
 * counted strings (address, display number, name, data), all sizes 16 bits, big-endian.
 */

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

/* The user's own X display, from $DISPLAY and $XAUTHORITY. */

#define HOST_DISPLAY_MAX 16

/* The display's NUMBER. -1 when there is none, or it has no socket in /tmp/.X11-unix. */
int host_display_number(char number[HOST_DISPLAY_MAX]);
/* The path of its socket. */
int host_display_socket(char *path, size_t size);
/* Its cookie, of XAUTHORITY_COOKIE bytes. -1 when .Xauthority has none. */
int host_display_cookie(unsigned char *cookie);
