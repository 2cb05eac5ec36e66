/* box keys export. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/keys_table.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "ssh-agent/keys/password.h"
#include "ssh-agent/keys/user_store.h"
#include "ssh-agent/keys/verbs.h"
#include "ssh-agent/store/key_file.h"

static gboolean fail(GError **error, const char *path)
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
        return fail(error, path);
    gboolean good = fs_write_all(fd, (const char *)text->data, text->length) && fsync(fd) == 0;
    if (!good) {
        fail(error, path);
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
           fail(error, "standard output");
}
