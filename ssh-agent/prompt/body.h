/* What the window says between its bar and its buttons. */
#pragma once

#include "prompt.h"

typedef struct {
    GtkWidget *all;      /* scrolls when there is no other way */
    GtkWidget *flexible; /* the scrolled list in it that gives way first; NULL: none */
    GtkWidget *password; /* of kind password: what password_new() made; else NULL */
} body;

/* YES: the button at the end; NULL: none. */
body body_new(prompt *self, GtkWidget *yes);

/* Gives WINDOW its name and description for screen readers: the whole question. */
void body_describe(const question *asked, GtkWidget *window);
