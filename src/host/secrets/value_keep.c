#include "host/secrets/value_keep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/fs.h"
#include "console/ask.h"
#include "host/secrets/aws_credentials.h"
#include "host/secrets/placeholder.h"
#include "host/secrets/value_source.h"

static secret *ask(gboolean is_access_key, GError **error)
{
    const char *question =
        is_access_key ? "Access key, as ID:SECRET or ID:SECRET:TOKEN: " : "Value of the secret: ";
    g_autoptr(secret) line = secret_new(SECRET_VALUE_MAX + 1);
    gssize length = ask_hidden(question, (char *)line->data, line->length);
    if (length < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    errno == ENOTTY ? "there is no terminal to ask for the value on: pass a "
                                      "descriptor with --value-fd"
                                    : "no value given, or one that is too long");
        return NULL;
    }
    line->length = (gsize)length;
    return g_steal_pointer(&line);
}

static secret *read_value(const char *fd, gboolean is_access_key, GError **error)
{
    guint64 number;
    if (!fd)
        return ask(is_access_key, error);
    if (g_ascii_string_to_unsigned(fd, 10, 0, G_MAXINT, &number, NULL))
        return value_source_read_descriptor((int)number, is_access_key, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "--value-fd needs the number of an open descriptor");
    return NULL;
}

static gboolean check(const secret *value, gboolean is_access_key, GError **error)
{
    g_auto(aws_credentials) parts = {0};
    if (is_access_key)
        return aws_credentials_read(value, &parts, error);
    const char *why = secret_value_refusal((const char *)value->data, value->length);
    if (why)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "the value cannot be used: %s", why);
    return !why;
}

static gboolean keep(const char *name, const secret *value, GError **error)
{
    g_autofree char *folder = secret_value_folder();
    g_autofree char *path = secret_value_path(name);
    return fs_make_folder(folder, 0700, error) &&
           fs_write(path, (const char *)value->data, (gssize)value->length, 0600, error);
}

gboolean value_keep(const char *name, const char *fd, gboolean is_access_key, GError **error)
{
    g_autoptr(secret) value = read_value(fd, is_access_key, error);
    return value && check(value, is_access_key, error) && keep(name, value, error);
}

gboolean value_test(const char *name, GError **error)
{
    g_autoptr(secret_definition) definition = secret_file_read(name, error);
    g_autoptr(secret) value = definition ? value_source_read(definition, error) : NULL;
    if (value)
        printf("secret '%s' has a value of %zu characters\n", name, value->length);
    return value != NULL;
}
