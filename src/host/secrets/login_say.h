/* What `box` asks this program about a login, so that no other reads its tokens. */
#pragma once

#include <glib.h>

/* litterbox-secrets --login-file NAME KEY: prints what the client of the login NAME keeps, with
 * phantoms for the box whose key is in the file KEY. Nothing: nobody has logged in. */
gboolean login_say_file(const char *name, const char *key, GError **error);
/* litterbox-secrets --login-state NAME: prints "EXPIRES STATE EMAIL" (config/secret_file.h). */
gboolean login_say_state(const char *name, GError **error);
