#include "host/secrets/login_say.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/error.h"
#include "common/fs.h"
#include "host/secrets/login.h"

static login *open_login(const char *name, const guint8 *key, secret_definition **definition,
                         GError **error)
{
    *definition = secret_file_read(name, error);
    if (!*definition)
        return NULL;
    if ((*definition)->login)
        return login_open(*definition, key, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "secret '%s' is no login", name);
    return NULL;
}

gboolean login_say_file(const char *name, const char *key, GError **error)
{
    g_autoptr(secret_definition) definition = NULL;
    g_autofree char *bytes = NULL;
    gsize length = 0;
    g_autoptr(login) read = NULL;
    if (!fs_read(AT_FDCWD, key, PLACEHOLDER_KEY, &bytes, &length, error))
        return FALSE;
    if (length == PLACEHOLDER_KEY)
        read = open_login(name, (const guint8 *)bytes, &definition, error);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the key of placeholders is not complete");
    g_autofree char *text = read ? login_client_file(read, time(NULL)) : NULL;
    if (text)
        fputs(text, stdout);
    return read != NULL;
}

gboolean login_say_state(const char *name, GError **error)
{
    static const guint8 no_key[PLACEHOLDER_KEY];
    g_autoptr(secret_definition) definition = NULL;
    g_autoptr(login) read = open_login(name, no_key, &definition, error);
    if (read && !login_update(read)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "what is kept of the login '%s' is broken: 'box secret add' begins anew", name);
        login_free(read);
        return FALSE;
    }
    if (read) {
        const login_tokens *now = &read->now;
        const char *state = !now->token[TOKEN_ACCESS]   ? SECRET_LOGIN_NONE
                            : now->has_ended            ? SECRET_LOGIN_ENDED
                            : now->token[TOKEN_REFRESH] ? SECRET_LOGIN_RENEWED
                                                        : SECRET_LOGIN_FIXED;
        printf("%" G_GINT64_FORMAT " %s %s\n", now->expires_at, state,
               now->email ? now->email : "");
    }
    return read != NULL;
}
