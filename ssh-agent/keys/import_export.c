/* box keys generate, import, export. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/keys_table.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "ssh-agent/keys/keys.h"
#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/key_file.h"

/* Stores a key and prints its public key. */
static gboolean add(const char *name, const private_key *added, GError **error)
{
    g_auto(store_change) change;
    if (!store_change_begin(&change, TRUE, error) ||
        !key_store_add(change.store, name, added, error) || !key_store_save(change.store, error))
        return FALSE;
    key_store_entry entry = key_store_entry_at(change.store, key_store_count(change.store) - 1);
    g_autofree char *line = keys_public_line(&entry);
    puts(line);
    return TRUE;
}

gboolean keys_generate(char **operands, GError **error)
{
    if (!key_store_check_name(operands[0], error))
        return FALSE;
    g_autoptr(private_key) made = private_key_generate();
    return add(operands[0], made, error);
}

static gboolean fail_to_read(GError **error, const char *path)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot read '%s': %s", safe,
                g_strerror(saved));
    return FALSE;
}

/* Reads a file or pipe that the user named; links are followed. Reads up to one byte more than a
 * key file may have, so that the import notices longer ones. */
static secret *read_file(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    secret *contents = fd < 0 ? NULL : secret_read(fd, KEY_FILE_MAX + 1);
    if (!contents)
        fail_to_read(error, path);
    if (fd >= 0)
        close(fd);
    return contents;
}

/* Asks for the passphrase, several times if it is wrong. */
static private_key *import_encrypted(const secret *contents, GError **error)
{
    for (int tries = 0;; tries++) {
        g_autoptr(GError) why = NULL;
        g_autoptr(secret) passphrase =
            password_get(keys_given.passphrase_fd, "Passphrase of the key file: ", FALSE, error);
        if (!passphrase)
            return NULL;
        private_key *found =
            key_file_import(contents->data, contents->length, passphrase, NULL, &why);
        if (found)
            return found;
        if (!g_error_matches(why, KEY_ERROR, KEY_ERROR_PASSWORD) || keys_given.passphrase_fd ||
            tries + 1 >= PASSWORD_TRIES) {
            g_propagate_error(error, g_steal_pointer(&why));
            return NULL;
        }
        log_warning("%s", why->message);
    }
}

static private_key *import_file(const char *path, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(secret) contents = read_file(path, error);
    if (!contents)
        return NULL;
    private_key *found = key_file_import(contents->data, contents->length, NULL, NULL, &why);
    if (!found && g_error_matches(why, KEY_ERROR, KEY_ERROR_PASSPHRASE))
        found = import_encrypted(contents, error);
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
    /* Before anything is asked for. */
    if (!key_store_check_name(operands[1] ? operands[1] : base, error)) {
        if (!operands[1])
            g_prefix_error(error, "name the key ('box keys import FILE NAME'): ");
        return FALSE;
    }
    g_autoptr(private_key) found = import_file(operands[0], error);
    if (!found || !add(operands[1] ? operands[1] : base, found, error))
        return FALSE;
    log_note("'%s' was not changed: everyone who can read it can use the key", safe);
    return TRUE;
}

static gboolean fail_to_write(GError **error, const char *path)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot write '%s': %s", safe,
                g_strerror(saved));
    return FALSE;
}

/* Never overwrites a file, which may be the only copy of another key. */
static gboolean write_file(const char *path, const secret *text, GError **error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0)
        return fail_to_write(error, path);
    gboolean good = fs_write_all(fd, (const char *)text->data, text->length) && fsync(fd) == 0;
    if (!good) {
        fail_to_write(error, path);
        unlink(path);
    }
    close(fd);
    return good;
}

static secret *write_text(const char *name, GError **error)
{
    g_autoptr(key_store) keys = user_store_unlock(error);
    int index = keys ? key_store_find(keys, name, error) : -1;
    g_autoptr(private_key) found =
        index >= 0 ? key_store_load_key(keys, (guint)index, error) : NULL;
    g_autoptr(secret) passphrase = NULL;
    if (!found)
        return NULL;
    if (!keys_given.no_passphrase)
        passphrase =
            password_get(keys_given.passphrase_fd, "Passphrase for the key file: ", TRUE, error);
    if (!passphrase && !keys_given.no_passphrase)
        return NULL;
    return key_file_export(found, key_store_entry_at(keys, (guint)index).name, passphrase, error);
}

gboolean keys_export(char **operands, GError **error)
{
    log_warning("an exported key signs without asking you: keep the file where no box can read it");
    if (keys_given.no_passphrase)
        log_warning("without a passphrase everyone who can read the file can use the key");
    g_autoptr(secret) text = write_text(operands[0], error);
    if (!text)
        return FALSE;
    if (operands[1])
        return write_file(operands[1], text, error);
    return fs_write_all(STDOUT_FILENO, (const char *)text->data, text->length) ||
           fail_to_write(error, "standard output");
}
