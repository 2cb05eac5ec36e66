/*
 * Text of a password entry in memory of its own: locked, left out of core dumps, wiped on every
 * deletion and at the end. GTK's own buffer grows by copies on the heap.
 */
#pragma once

#include <gtk/gtk.h>

/* Longest password in bytes; what goes beyond it is not taken. */
#define SECRET_MAX 1024

GtkEntryBuffer *secret_new(void);
