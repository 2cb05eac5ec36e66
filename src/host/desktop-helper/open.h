/* Opens a web page or a mail for a box. */
#pragma once

#include "host/desktop-helper/desktop_helper.h"

/* Checks ADDRESS, asks the user, opens it and answers the box. For the page of a login, returns
 * only when the login is answered or timed out (login.h). */
void open_page(const desktop_helper *self, const char *address);
