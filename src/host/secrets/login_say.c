#include "host/secrets/login_say.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/error.h"
#include "common/fs.h"
#include "console/log.h"
#include "host/secrets/login_client.h"

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

static int end(const GError *problem)
{
    if (problem)
        log_error("%s", problem->message);
    return problem ? box_error_exit_status(problem) : 0;
}

int login_say_file(const char *name, const char *key)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(secret_definition) definition = NULL;
    g_autofree char *bytes = NULL;
    gsize length = 0;
    g_autoptr(login) read = NULL;
    if (fs_read(AT_FDCWD, key, PLACEHOLDER_KEY, &bytes, &length, &problem) &&
        length == PLACEHOLDER_KEY)
        read = open_login(name, (const guint8 *)bytes, &definition, &problem);
    g_autofree char *text = read ? login_client_file(read, time(NULL)) : NULL;
    if (text)
        fputs(text, stdout);
    return end(problem);
}

int login_say_state(const char *name)
{
    static const guint8 no_key[PLACEHOLDER_KEY];
    g_autoptr(GError) problem = NULL;
    g_autoptr(secret_definition) definition = NULL;
    g_autoptr(login) read = open_login(name, no_key, &definition, &problem);
    if (read) {
        const login_tokens *now = &read->now;
        const char *state = !now->token[TOKEN_ACCESS]   ? SECRET_LOGIN_NONE
                            : now->has_ended            ? SECRET_LOGIN_ENDED
                            : now->token[TOKEN_REFRESH] ? SECRET_LOGIN_RENEWED
                                                        : SECRET_LOGIN_FIXED;
        printf("%" G_GINT64_FORMAT " %s %s\n", now->expires_at, state,
               now->email ? now->email : "");
    }
    return end(problem);
}
