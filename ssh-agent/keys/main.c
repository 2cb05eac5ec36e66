/* litterbox-keys: the user's key store, for `box keys`. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "cli/commands/keys_table.h"
#include "common/error.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/units.h"
#include "console/ask.h"
#include "console/log.h"
#include "console/output.h"
#include "ssh-agent/keys/keys.h"
#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/secret.h"
#include "sys/crash.h"
#include "sys/descriptors.h"

/* list, show. */

char *keys_public_line(const key_store_entry *entry)
{
    g_autofree char *text = g_base64_encode(entry->key->blob.data, entry->key->blob.length);
    return g_strdup_printf("%s %s %s", ssh_key_type_name(entry->key->type, false), text,
                           entry->name);
}

static json_t *key_to_json(const key_store_entry *entry)
{
    g_autofree char *line = keys_public_line(entry);
    char fingerprint[SSH_FINGERPRINT_SIZE];
    ssh_key_fingerprint(entry->key, fingerprint);
    return json_pack("{s:s, s:s, s:i, s:s, s:s, s:o}", "name", entry->name, "type",
                     ssh_key_type_short(entry->key->type), "bits", (int)ssh_key_bits(entry->key),
                     "fingerprint", fingerprint, "public_key", line, "created",
                     json_time(entry->created));
}

/* With --verify the store is unlocked, which authenticates what is shown. */
static key_store *open_to_show(GError **error)
{
    return keys_given.verify ? user_store_unlock(error) : user_store_open(error);
}

static void print_table(const key_store *keys)
{
    static const char *const headings[] = {"NAME", "TYPE", "BITS", "FINGERPRINT", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; keys && i < key_store_count(keys); i++) {
        key_store_entry entry = key_store_entry_at(keys, i);
        g_autofree char *bits = g_strdup_printf("%u", ssh_key_bits(entry.key));
        char fingerprint[SSH_FINGERPRINT_SIZE];
        ssh_key_fingerprint(entry.key, fingerprint);
        table_add(out, entry.name);
        table_add(out, ssh_key_type_short(entry.key->type));
        table_add(out, bits);
        table_add(out, fingerprint);
    }
    table_print(out);
}

static gboolean keys_list(char **operands, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(key_store) keys = open_to_show(&why);
    /* Without a store the list is empty. */
    if (!keys && !g_error_matches(why, KEY_ERROR, KEY_ERROR_MISSING)) {
        g_propagate_error(error, g_steal_pointer(&why));
        return FALSE;
    }
    if (!keys_given.json) {
        print_table(keys);
        return TRUE;
    }
    json_t *rows = json_array();
    for (guint i = 0; keys && i < key_store_count(keys); i++) {
        key_store_entry entry = key_store_entry_at(keys, i);
        json_array_append_new(rows, key_to_json(&entry));
    }
    json_print(rows);
    return TRUE;
}

static void print_entry(const key_store_entry *entry)
{
    g_autofree char *line = keys_public_line(entry);
    g_autofree char *when = units_format_time(entry->created);
    char fingerprint[SSH_FINGERPRINT_SIZE];

    ssh_key_fingerprint(entry->key, fingerprint);
    printf("name:         %s\n"
           "type:         %s, %u bits\n"
           "fingerprint:  %s\n"
           "in store:     since %s\n"
           "public key:   %s\n",
           entry->name, ssh_key_type_short(entry->key->type), ssh_key_bits(entry->key), fingerprint,
           when, line);
}

static gboolean keys_show(char **operands, GError **error)
{
    g_autoptr(key_store) keys = open_to_show(error);
    int index = keys ? key_store_find(keys, operands[0], error) : -1;
    if (index < 0)
        return FALSE;
    key_store_entry entry = key_store_entry_at(keys, (guint)index);
    if (keys_given.json) {
        json_print(key_to_json(&entry));
    } else if (keys_given.public) {
        g_autofree char *line = keys_public_line(&entry);
        puts(line);
    } else {
        print_entry(&entry);
    }
    return TRUE;
}

/* rename, delete, passwd; unlock and lock, which let the agent use the keys or end that. */

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

static gboolean keys_rename(char **operands, GError **error)
{
    g_auto(store_change) change = {.lock = -1};
    char fingerprint[SSH_FINGERPRINT_SIZE];
    if (!key_store_check_name(operands[1], error) || !store_change_begin(&change, FALSE, error))
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

static gboolean keys_delete(char **operands, GError **error)
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

static gboolean keys_passwd(char **operands, GError **error)
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

/* Unlock and lock the store in the running agent. */
static gboolean keys_unlock(char **operands, GError **error)
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

static gboolean keys_lock(char **operands, GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = agent_call(json_pack("{s:s}", "op", "keys-lock"), FALSE, &problem);
    gboolean done = answer || g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND);
    json_decref(answer);
    if (!done)
        g_propagate_error(error, g_steal_pointer(&problem));
    return done; /* no agent is running: nothing is unlocked */
}

static gboolean (*const actions[])(char **operands, GError **error) = {
    [KEYS_GENERATE] = keys_generate, [KEYS_IMPORT] = keys_import, [KEYS_LIST] = keys_list,
    [KEYS_SHOW] = keys_show,         [KEYS_RENAME] = keys_rename, [KEYS_DELETE] = keys_delete,
    [KEYS_EXPORT] = keys_export,     [KEYS_PASSWD] = keys_passwd, [KEYS_UNLOCK] = keys_unlock,
    [KEYS_LOCK] = keys_lock,         [KEYS_ATTACH] = NULL,        [KEYS_DETACH] = NULL,
};
G_STATIC_ASSERT(G_N_ELEMENTS(actions) == N_KEYS_VERBS);

static int run(const struct command_call *call, GError **error)
{
    gboolean (*action)(char **operands, GError **error) = actions[call->verb - keys_verbs];
    keys_given.json = call->json;
    if (action)
        return action(call->operands, error) ? 0 : -1;
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' is a verb of box, not of litterbox-keys",
                call->verb->name);
    return -1;
}

static const struct command command = {
    .name = "keys", .options = keys_option_table, .verbs = keys_verbs, .run = run};

int main(int argc, char **argv)
{
    secret_protect_process();
    crash_handler_install("litterbox-keys", NULL);
    g_auto(command_call) call = {0};
    g_autoptr(GError) error = NULL;
    gboolean good = paths_check_instance(&error) &&
                    command_parse(&command, argv + 1, &call, &error) &&
                    command_execute(&call, &error) == 0;
    if (!good)
        log_error("%s", error->message);
    /* A full disk or a closed pipe is a failure. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return good ? 125 : box_error_exit_status(error);
    return good ? 0 : box_error_exit_status(error);
}
