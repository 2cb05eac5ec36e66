/* box keys rename, delete, passwd; unlock and lock, which let the agent use the keys or end that.
 */
#include <fcntl.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "cli/commands/keys_table.h"
#include "common/error.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/ask.h"
#include "console/log.h"
#include "ssh-agent/keys/keys.h"
#include "sys/descriptors.h"

/* Tells the agent the key's new LABEL for the boxes to which it is attached. NULL detaches it: it
 * was deleted, and a key of the user's real agent with the same fingerprint must not take its
 * place. Returns the names of these boxes. */
static json_t *notify_agent(const char *fingerprint, const char *label)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *attached = paths_state("attached");
    if (!g_file_test(attached, G_FILE_TEST_EXISTS))
        return NULL; /* no key was ever attached */
    json_t *answer = agent_call(
        json_pack("{s:s, s:s, s:s*}", "op", "key-changed", "key", fingerprint, "label", label),
        TRUE, &error);
    if (!answer)
        log_warning(
            "done, but the SSH agent was not told about the boxes to which the key is attached: %s",
            error->message);
    json_t *boxes = json_incref(json_object_get(answer, "boxes"));
    json_decref(answer);
    return boxes;
}

gboolean keys_rename(char **operands, GError **error)
{
    g_auto(store_change) change;
    char fingerprint[SSH_FINGERPRINT_SIZE];
    if (!store_change_begin(&change, FALSE, error))
        return FALSE;
    int index = key_store_find(change.store, operands[0], error);
    if (index < 0 || !key_store_rename(change.store, (guint)index, operands[1], error) ||
        !key_store_save(change.store, error))
        return FALSE;
    ssh_key_fingerprint(key_store_entry_at(change.store, (guint)index).key, fingerprint);
    json_decref(notify_agent(fingerprint, operands[1]));
    return TRUE;
}

/* Asks the user, and stores the fingerprint of the key that NAME refers to. */
static gboolean confirm_delete(const char *name, char fingerprint[SSH_FINGERPRINT_SIZE],
                               GError **error)
{
    g_autoptr(key_store) keys = user_store_open(error);
    int index = keys ? key_store_find(keys, name, error) : -1;
    if (index < 0)
        return FALSE;
    key_store_entry entry = key_store_entry_at(keys, (guint)index);
    ssh_key_fingerprint(entry.key, fingerprint);
    g_autofree char *question = g_strdup_printf("Delete the key '%s' (%s)? This cannot be undone.",
                                                entry.name, fingerprint);
    if (keys_given.yes || ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                ask_can()
                    ? "not deleted"
                    : "there is no terminal to ask on: use --yes to delete without a question");
    return FALSE;
}

static void detach(const char *fingerprint)
{
    json_t *boxes = notify_agent(fingerprint, NULL), *each;
    size_t i;
    json_array_foreach (boxes, i, each) {
        g_autofree char *name = text_safe(json_string_value(each), -1);
        log_note("the key was detached from box '%s'", name);
    }
    json_decref(boxes);
}

gboolean keys_delete(char **operands, GError **error)
{
    g_auto(store_change) change = {.lock = -1};
    char fingerprint[SSH_FINGERPRINT_SIZE];
    if (!confirm_delete(operands[0], fingerprint, error) ||
        !store_change_begin(&change, FALSE, error))
        return FALSE;
    /* By fingerprint: another process may have renamed keys since the user answered. */
    int index = key_store_find(change.store, fingerprint, error);
    if (index < 0 || !key_store_delete(change.store, (guint)index, error) ||
        !key_store_save(change.store, error))
        return FALSE;
    detach(fingerprint);
    return TRUE;
}

gboolean keys_passwd(char **operands, GError **error)
{
    g_auto(store_change) change;
    if (!store_change_begin(&change, FALSE, error))
        return FALSE;
    g_autoptr(secret) password =
        password_get(keys_given.new_password_fd, "New password: ", TRUE, error);
    if (!password)
        return FALSE;
    kdf_cost cost = kdf_measure();
    return key_store_set_password(change.store, password, &cost, error) &&
           key_store_save(change.store, error);
}

/* Sends the request and the read end of a pipe with the password. The password fits into the pipe's
 * buffer, so write() does not block. */
static gboolean send_password(int socket, const secret *password)
{
    static const char line[] = "{\"op\":\"keys-unlock\"}\n";
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return FALSE;
    gboolean done = write(ends[1], password->data, password->length) == (ssize_t)password->length;
    close(ends[1]);
    done = done && descriptors_send(socket, line, sizeof line - 1, ends, 1, 0) == sizeof line - 1;
    close(ends[0]);
    return done;
}

gboolean keys_unlock(char **operands, GError **error)
{
    g_autoptr(secret) password =
        password_get(keys_given.password_fd, "Password of the key store: ", FALSE, error);
    int fd = password ? agent_connect() : -1;
    if (password && fd < 0)
        fd = agent_start(error);
    if (fd < 0)
        return FALSE;
    json_t *answer = NULL;
    if (send_password(fd, password))
        answer = agent_answer(fd, error);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the SSH agent does not accept the password");
    close(fd);
    json_decref(answer);
    return answer != NULL;
}

gboolean keys_lock(char **operands, GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = agent_call(json_pack("{s:s}", "op", "keys-lock"), FALSE, &problem);
    gboolean done = answer || g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND);
    json_decref(answer);
    if (!done)
        g_propagate_error(error, g_steal_pointer(&problem));
    return done; /* no agent is running: nothing is unlocked */
}
