/* rename, delete and passwd. */
#include "box/helpers/agent.h"
#include "box/say.h"
#include "common/ask.h"
#include "common/paths.h"
#include "common/text.h"
#include "ssh-agent/keys/options.h"
#include "ssh-agent/keys/password.h"
#include "ssh-agent/keys/session.h"
#include "ssh-agent/keys/verbs.h"

/* In the boxes to which the key is attached it is called LABEL from now on; NULL: it is detached,
 * or they would go on naming it, and have it back from a real agent. Returns their names. */
static json_t *tell_agent(const char *fingerprint, const char *label)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *attached = paths_state("attached");
    if (!g_file_test(attached, G_FILE_TEST_EXISTS))
        return NULL; /* nothing ever was */
    json_t *answer = agent_call(
        json_pack("{s:s, s:s, s:s*}", "op", "key-changed", "key", fingerprint, "label", label),
        TRUE, &error);
    if (!answer)
        say_warning("done, but boxes to which the key is attached do not know: %s", error->message);
    json_t *boxes = json_incref(json_object_get(answer, "boxes"));
    json_decref(answer);
    return boxes;
}

gboolean keys_rename(char **operands, GError **error)
{
    g_auto(session) change;
    char fingerprint[SSH_FINGERPRINT_SIZE];
    if (!session_begin(&change, FALSE, error))
        return FALSE;
    int index = store_find(change.keys, operands[0], error);
    if (index < 0 || !store_rename(change.keys, (guint)index, operands[1], error) ||
        !store_save(change.keys, error))
        return FALSE;
    ssh_key_fingerprint(store_entry_at(change.keys, (guint)index).key, fingerprint);
    json_decref(tell_agent(fingerprint, operands[1]));
    return TRUE;
}

/* FINGERPRINT is that of the key called NAME, which the user wants to delete. */
static gboolean confirm_delete(const char *name, char fingerprint[SSH_FINGERPRINT_SIZE],
                               GError **error)
{
    g_autoptr(store) keys = session_look(error);
    int index = keys ? store_find(keys, name, error) : -1;
    if (index < 0)
        return FALSE;
    store_entry entry = store_entry_at(keys, (guint)index);
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

static void detach(const char *fingerprint)
{
    json_t *boxes = tell_agent(fingerprint, NULL), *each;
    size_t i;
    json_array_foreach (boxes, i, each) {
        g_autofree char *name = text_safe(json_string_value(each), -1);
        say_note("it was attached to box '%s', and is not any more", name);
    }
    json_decref(boxes);
}

gboolean keys_delete(char **operands, GError **error)
{
    g_auto(session) change = {.claim = -1};
    char fingerprint[SSH_FINGERPRINT_SIZE];
    if (!confirm_delete(operands[0], fingerprint, error) || !session_begin(&change, FALSE, error))
        return FALSE;
    /* The very key that was asked about, whatever is called so by now. */
    int index = store_find(change.keys, fingerprint, error);
    if (index < 0 || !store_delete(change.keys, (guint)index, error) ||
        !store_save(change.keys, error))
        return FALSE;
    detach(fingerprint);
    return TRUE;
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
