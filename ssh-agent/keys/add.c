/* generate and import. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/say.h"
#include "common/text.h"
#include "ssh-agent/keys/options.h"
#include "ssh-agent/keys/password.h"
#include "ssh-agent/keys/session.h"
#include "ssh-agent/keys/show.h"
#include "ssh-agent/keys/verbs.h"
#include "ssh-agent/store/error.h"
#include "ssh-agent/store/import.h"

/* Puts it into the store and prints its public key. */
static gboolean add(const char *name, const store_key *added, GError **error)
{
    g_auto(session) change;
    if (!session_begin(&change, TRUE, error) || !store_add(change.keys, name, added, error) ||
        !store_save(change.keys, error))
        return FALSE;
    store_entry entry = store_entry_at(change.keys, store_count(change.keys) - 1);
    g_autofree char *line = show_line(&entry);
    puts(line);
    return TRUE;
}

gboolean keys_generate(char **operands, GError **error)
{
    g_autoptr(store_key) made = store_key_generate();
    return add(operands[0], made, error);
}

static gboolean fail(GError **error, const char *path)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot read '%s': %s", safe,
                g_strerror(saved));
    return FALSE;
}

/* The user's own file, wherever it is (a link, a pipe); one byte more than a key may have. */
static secret *read_file(const char *path, GError **error)
{
    g_autoptr(secret) contents = secret_new(IMPORT_MAX + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    gsize used = 0;
    ssize_t got = fd < 0 ? -1 : 1;

    while (got > 0 && used < contents->length) {
        got = read(fd, contents->data + used, contents->length - used);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            used += (gsize)got;
    }
    if (got < 0)
        fail(error, path);
    if (fd >= 0)
        close(fd);
    contents->length = used;
    return got < 0 ? NULL : g_steal_pointer(&contents);
}

/* With the passphrase that is asked for. */
static store_key *decrypt(const secret *contents, GError **error)
{
    for (int tries = 0;; tries++) {
        g_autoptr(GError) why = NULL;
        g_autoptr(secret) passphrase =
            password_get(keys_given.passphrase_fd, "Passphrase of the key file: ", FALSE, error);
        if (!passphrase)
            return NULL;
        store_key *found = import_key(contents->data, contents->length, passphrase, NULL, &why);
        if (found)
            return found;
        if (!g_error_matches(why, KEY_ERROR, KEY_ERROR_PASSWORD) || keys_given.passphrase_fd ||
            tries + 1 >= PASSWORD_TRIES) {
            g_propagate_error(error, g_steal_pointer(&why));
            return NULL;
        }
        say_warning("%s", why->message);
    }
}

static store_key *import_file(const char *path, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(secret) contents = read_file(path, error);
    if (!contents)
        return NULL;
    store_key *found = import_key(contents->data, contents->length, NULL, NULL, &why);
    if (!found && g_error_matches(why, KEY_ERROR, KEY_ERROR_PASSPHRASE))
        found = decrypt(contents, error);
    else if (!found)
        g_propagate_error(error, g_steal_pointer(&why));
    if (!found) {
        g_autofree char *safe = text_safe(path, -1);
        g_prefix_error(error, "'%s': ", safe);
    }
    return found;
}

gboolean keys_import(char **operands, GError **error)
{
    g_autofree char *base = g_path_get_basename(operands[0]);
    g_autofree char *safe = text_safe(operands[0], -1);
    g_autoptr(store_key) found = import_file(operands[0], error);
    if (!found || !add(operands[1] ? operands[1] : base, found, error))
        return FALSE;
    say_note("'%s' is as it was: whoever can read it has the key, too", safe);
    return TRUE;
}
