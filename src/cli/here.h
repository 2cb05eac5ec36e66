/* `box` alone: where one is. */
#pragma once

#include <glib.h>

/*
 * Prints the box of the project of the current folder: its state, its sessions, and what to type
 * next. Asks neither Podman nor the box's programs, starts nothing and registers nothing. FALSE
 * where there is no project.
 */
gboolean here_print(void);
