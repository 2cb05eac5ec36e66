/* The programs that led to the request: the one that asks first, then who started it. */
#pragma once

#include <gtk/gtk.h>

/* Adds CHAIN (of question_program) to ROWS, which facts_new() made. */
void chain_add(GtkWidget *rows, const GPtrArray *chain);
