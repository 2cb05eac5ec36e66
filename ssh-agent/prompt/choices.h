/* The buttons that say yes to a signature or to sudo, each with what exactly it allows. */
#pragma once

#include "prompt.h"

/* A button for what is allowed once, not fenced yet; NULL when the question offers none. */
GtkWidget *choices_once(prompt *self);

/* The others, fenced, in groups of the same scope under its words; NULL when there is none. */
GtkWidget *choices_longer(prompt *self);

/* A button TEXT with a letter of its own; DESCRIPTION, which may be NULL, is for screen readers. */
GtkWidget *choices_button(prompt *self, const char *text, const char *description);
