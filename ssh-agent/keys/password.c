#include "ssh-agent/keys/password.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "console/ask.h"
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
