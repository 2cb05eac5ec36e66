/* The list of keys to choose from for a box. */
#pragma once

#include "prompt.h"

/* The list, to be put into the window; YES is the button that hands the choice over. */
GtkWidget *keys_new(prompt *self, GtkWidget *yes);
