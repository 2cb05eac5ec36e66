/* The entry for a password, or two for a new one. */
#pragma once

#include "prompt.h"

/* The entries, to be put into the window; YES is the button that hands the password over. */
GtkWidget *password_new(prompt *self, GtkWidget *yes);

/* The entry that has the focus at first. */
GtkWidget *password_entry(GtkWidget *password);

/* Enter was pressed: TRUE when it handed over the password, or was an attempt to do so that came
 * too early; FALSE when nothing was typed, so that Enter means what it does elsewhere. */
gboolean password_enter(GtkWidget *password);
