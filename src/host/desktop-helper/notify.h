/* A notification of a box on the user's desktop. */
#pragma once

#include "host/desktop-helper/errand.h"

/*
 * Shows TITLE, with the box's name in front, and BODY (may be empty): text alone, on a few lines,
 * without markup, pictures, sounds, buttons or hints. Answers.
 */
void notify_show(const errand *self, const char *title, const char *body);
