/* Passwords, and the key store of this user. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/keys_table.h"
#include "common/error.h"
#include "common/paths.h"
#include "console/ask.h"
#include "console/log.h"
#include "ssh-agent/keys/keys.h"
#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/key_store.h"

#define FD_MAX 65535

static secret *refuse(GError **error, const char *why)
{
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, why);
    return NULL;
}

/* Byte by byte, because the next line may belong to another reader (see --passphrase-fd). */
static secret *read_line(int fd, GError **error)
{
    g_autoptr(secret) line = secret_new(KEY_STORE_PASSWORD_MAX + 1);
    gsize used = 0;

    while (used < line->length) {
        ssize_t got = read(fd, line->data + used, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                        "cannot read the password from descriptor %d: %s", fd, g_strerror(errno));
            return NULL;
        }
        if (got == 0 || line->data[used] == '\n')
            break;
        used++;
    }
    if (used > KEY_STORE_PASSWORD_MAX)
        return refuse(error, "the password is too long");
    line->data[used] = '\0';
    line->length = used;
    return g_steal_pointer(&line);
}

static secret *read_descriptor(const char *text, GError **error)
{
    guint64 fd;
    if (!g_ascii_string_to_unsigned(text, 10, 0, FD_MAX, &fd, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "the options for passwords need the number of an open descriptor");
        return NULL;
    }
    return read_line((int)fd, error);
}

static secret *ask(const char *question, GError **error)
{
    g_autoptr(secret) line = secret_new(KEY_STORE_PASSWORD_MAX);
    gssize length = ask_hidden(question, (char *)line->data, line->length);
    if (length < 0 && errno == ENOTTY)
        return refuse(error, "there is no terminal to ask for the password on: pass a descriptor "
                             "with --password-fd or --passphrase-fd");
    if (length < 0)
        return refuse(error, errno == EMSGSIZE ? "the password is too long" : "no password given");
    line->length = (gsize)length;
    return g_steal_pointer(&line);
}

secret *password_get(const char *fd, const char *question, gboolean repeat, GError **error)
{
    g_autoptr(secret) first = fd ? read_descriptor(fd, error) : ask(question, error);
    if (!first)
        return NULL;
    if (first->length == 0)
        return refuse(error, "the password is empty");
    if (repeat && !fd) {
        g_autoptr(secret) second = ask("Enter it again: ", error);
        if (!second)
            return NULL;
        if (!secret_equal(first, second))
            return refuse(error, "the two passwords differ");
    }
    return g_steal_pointer(&first);
}

#define QUESTION "Password of the key store: "
#define QUESTION_NEW "Password for the new key store: "

static char *user_store_path(void)
{
    return paths_data("keys");
}

key_store *user_store_open(GError **error)
{
    g_autofree char *path = user_store_path();
    return key_store_open(path, error);
}

/* TRUE if a wrong password was typed and the user may try again. */
static gboolean may_retry(const GError *error, int tries)
{
    if (!g_error_matches(error, KEY_ERROR, KEY_ERROR_PASSWORD) || keys_given.password_fd ||
        tries + 1 >= PASSWORD_TRIES)
        return FALSE;
    log_warning("%s", error->message);
    return TRUE;
}

key_store *user_store_unlock(GError **error)
{
    g_autoptr(key_store) keys = user_store_open(error);
    if (!keys)
        return NULL;
    for (int tries = 0;; tries++) {
        g_autoptr(GError) why = NULL;
        g_autoptr(secret) password = password_get(keys_given.password_fd, QUESTION, FALSE, error);
        if (!password)
            return NULL;
        if (key_store_unlock(keys, password, &why))
            return g_steal_pointer(&keys);
        if (!may_retry(why, tries)) {
            g_propagate_error(error, g_steal_pointer(&why));
            return NULL;
        }
    }
}

static void waiting(const char *path)
{
    log_note("waiting for another 'box keys' to finish");
}

/* Opens the file, which may have changed before we had the lock, or makes a new store. */
static key_store *open_or_create(const char *path, const secret *password, gboolean create,
                                 GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(key_store) keys = key_store_open(path, &why);
    if (keys)
        return key_store_unlock(keys, password, error) ? g_steal_pointer(&keys) : NULL;
    if (create && g_error_matches(why, KEY_ERROR, KEY_ERROR_MISSING)) {
        kdf_cost cost = kdf_measure();
        return key_store_create(path, password, &cost, error);
    }
    g_propagate_error(error, g_steal_pointer(&why));
    return NULL;
}

/* Checks the file before the user is asked for a password. *MISSING: a new store must be made. */
static gboolean check_exists(const char *path, gboolean create, gboolean *missing, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(key_store) keys = key_store_open(path, &why);
    *missing = create && g_error_matches(why, KEY_ERROR, KEY_ERROR_MISSING);
    if (keys || *missing)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&why));
    return FALSE;
}

gboolean store_change_begin(store_change *self, gboolean create, GError **error)
{
    g_autofree char *path = user_store_path();
    gboolean missing;

    *self = (store_change){.lock = -1};
    if (!check_exists(path, create, &missing, error))
        return FALSE;
    for (int tries = 0;; tries++) {
        g_autoptr(GError) why = NULL;
        g_autoptr(secret) password =
            password_get(keys_given.password_fd, missing ? QUESTION_NEW : QUESTION, missing, error);
        if (!password)
            return FALSE;
        /* Locks after the user has typed, so that other processes do not wait for that. */
        self->lock = key_store_lock_file(path, waiting, error);
        if (self->lock < 0)
            return FALSE;
        self->store = open_or_create(path, password, create, &why);
        if (self->store)
            return TRUE;
        if (!may_retry(why, tries)) {
            g_propagate_error(error, g_steal_pointer(&why));
            return FALSE;
        }
        store_change_clear(self);
    }
}

void store_change_clear(store_change *self)
{
    g_clear_pointer(&self->store, key_store_free);
    if (self->lock >= 0)
        close(self->lock);
    self->lock = -1;
}
