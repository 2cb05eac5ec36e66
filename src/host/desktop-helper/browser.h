/* The host's own program for an address. */
#pragma once

#include <glib.h>

/* Hands ADDRESS (of url.h) to xdg-open or gio. NULL, or why that did not work, a new string. */
char *browser_open(const char *address);
