/* rename, delete and passwd. */
#include "box/say.h"
#include "common/ask.h"
#include "ssh-agent/keys/options.h"
#include "ssh-agent/keys/password.h"
#include "ssh-agent/keys/session.h"
#include "ssh-agent/keys/verbs.h"

gboolean keys_rename(char **operands, GError **error)
{
    g_auto(session) change;
    if (!session_begin(&change, FALSE, error))
        return FALSE;
    int index = store_find(change.keys, operands[0], error);
    return index >= 0 && store_rename(change.keys, (guint)index, operands[1], error) &&
           store_save(change.keys, error);
}

static gboolean confirm_delete(const char *name, GError **error)
{
    g_autoptr(store) keys = session_look(error);
    int index = keys ? store_find(keys, name, error) : -1;
    if (index < 0)
        return FALSE;
    store_entry entry = store_entry_at(keys, (guint)index);
    char fingerprint[SSH_FINGERPRINT_SIZE];
    ssh_key_fingerprint(entry.key, fingerprint);
    g_autofree char *question = g_strdup_printf(
        "Delete the key '%s' (%s)? It cannot be brought back.", entry.name, fingerprint);
    if (keys_given.yes || ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                ask_can() ? "not deleted"
                          : "there is no terminal to ask on; --yes deletes without a question");
    return FALSE;
}

gboolean keys_delete(char **operands, GError **error)
{
    g_auto(session) change = {.claim = -1};
    if (!confirm_delete(operands[0], error) || !session_begin(&change, FALSE, error))
        return FALSE;
    int index = store_find(change.keys, operands[0], error);
    return index >= 0 && store_delete(change.keys, (guint)index, error) &&
           store_save(change.keys, error);
}

gboolean keys_passwd(char **operands, GError **error)
{
    g_auto(session) change;
    if (!session_begin(&change, FALSE, error))
        return FALSE;
    g_autoptr(secret) password =
        password_get(keys_given.new_password_fd, "New password: ", TRUE, error);
    if (!password)
        return FALSE;
    kdf_cost cost = kdf_measure();
    return store_set_password(change.keys, password, &cost, error) &&
           store_save(change.keys, error);
}
