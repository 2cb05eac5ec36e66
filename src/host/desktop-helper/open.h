/* A page, or a mail, that a box wants to be opened. */
#pragma once

#include "host/desktop-helper/errand.h"

/* Checks ADDRESS, asks, opens it, and answers. When it is a login's, goes on for as long as that
 * may come back (login.h). */
void open_page(const errand *self, const char *address);
