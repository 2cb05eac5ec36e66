#include "ssh-agent/keys/session.h"

#include <unistd.h>

#include "box/say.h"
#include "common/paths.h"
#include "ssh-agent/keys/options.h"
#include "ssh-agent/keys/password.h"
#include "ssh-agent/store/error.h"

#define QUESTION "Password of the key store: "
#define QUESTION_NEW "Password for the new key store: "

char *session_path(void)
{
    return paths_data("keys");
}

store *session_look(GError **error)
{
    g_autofree char *path = session_path();
    return store_open(path, error);
}

/* TRUE when a wrong password was typed and may be typed again. */
static gboolean may_retry(const GError *error, int tries)
{
    if (!g_error_matches(error, KEY_ERROR, KEY_ERROR_PASSWORD) || keys_given.password_fd ||
        tries + 1 >= PASSWORD_TRIES)
        return FALSE;
    say_warning("%s", error->message);
    return TRUE;
}

store *session_unlock(GError **error)
{
    g_autoptr(store) keys = session_look(error);
    if (!keys)
        return NULL;
    for (int tries = 0;; tries++) {
        g_autoptr(GError) why = NULL;
        g_autoptr(secret) password = password_get(keys_given.password_fd, QUESTION, FALSE, error);
        if (!password)
            return NULL;
        if (store_unlock(keys, password, &why))
            return g_steal_pointer(&keys);
        if (!may_retry(why, tries)) {
            g_propagate_error(error, g_steal_pointer(&why));
            return NULL;
        }
    }
}

static void waiting(const char *path)
{
    say_note("waiting for another 'box keys'");
}

/* Under the claim: what is on disk now, or a new store. */
static store *open_or_create(const char *path, const secret *password, gboolean create,
                             GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(store) keys = store_open(path, &why);
    if (keys)
        return store_unlock(keys, password, error) ? g_steal_pointer(&keys) : NULL;
    if (create && g_error_matches(why, KEY_ERROR, KEY_ERROR_MISSING)) {
        kdf_cost cost = kdf_measure();
        return store_create(path, password, &cost, error);
    }
    g_propagate_error(error, g_steal_pointer(&why));
    return NULL;
}

/* Whether a store has to be made, before a password is asked for. */
static gboolean look_first(const char *path, gboolean create, gboolean *missing, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(store) keys = store_open(path, &why);
    *missing = create && g_error_matches(why, KEY_ERROR, KEY_ERROR_MISSING);
    if (keys || *missing)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&why));
    return FALSE;
}

gboolean session_begin(session *self, gboolean create, GError **error)
{
    g_autofree char *path = session_path();
    gboolean missing;

    *self = (session){.claim = -1};
    if (!look_first(path, create, &missing, error))
        return FALSE;
    for (int tries = 0;; tries++) {
        g_autoptr(GError) why = NULL;
        g_autoptr(secret) password =
            password_get(keys_given.password_fd, missing ? QUESTION_NEW : QUESTION, missing, error);
        if (!password)
            return FALSE;
        /* Not before the password is there: nobody waits for us while we wait for it. */
        self->claim = store_claim(path, waiting, error);
        if (self->claim < 0)
            return FALSE;
        self->keys = open_or_create(path, password, create, &why);
        if (self->keys)
            return TRUE;
        if (!may_retry(why, tries)) {
            g_propagate_error(error, g_steal_pointer(&why));
            return FALSE;
        }
        session_clear(self);
    }
}

void session_clear(session *self)
{
    g_clear_pointer(&self->keys, store_free);
    if (self->claim >= 0)
        close(self->claim);
    self->claim = -1;
}
