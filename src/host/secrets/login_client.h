/* The file in which a client keeps its tokens, as it would have written it when it had got PHANTOMS
 * itself. Plain functions. */
#pragma once

#include "host/secrets/login.h"

/* For a client that has not logged in: with phantoms of SELF, where somebody has. A new string;
 * NULL: there is no login. */
char *login_client_file(const login *self, gint64 now);
