/* The window: everything about the question, laid out so that no text can push a fact or a button
 * out of it. */
#pragma once

#include "countdown.h"
#include "prompt.h"

/* Builds the window for SELF's question and shows it; SELF's guard is made for it. To be destroyed
 * by the caller, which wipes a password. */
GtkWidget *window_show(prompt *self, countdown *left);
