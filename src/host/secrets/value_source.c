#include "host/secrets/value_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "console/ask.h"
#include "host/secrets/aws_credentials.h"
#include "host/secrets/placeholder.h"

static secret *fail_value(GError **error, const char *what, const char *why)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "%s: %s", what, why);
    return NULL;
}

static secret *read_file(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    secret *text = fd < 0 ? NULL : secret_read(fd, VALUE_SOURCE_MAX);
    if (!text)
        fail_value(error, "its file cannot be read", g_strerror(errno));
    if (fd >= 0)
        close(fd);
    return text;
}

static secret *read_output(char **argv, GError **error)
{
    GPid pid;
    int out = -1, status = 0;
    if (!g_spawn_async_with_pipes(NULL, argv, NULL,
                                  G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
                                      G_SPAWN_CLOEXEC_PIPES,
                                  NULL, NULL, &pid, NULL, &out, NULL, error))
        return NULL;
    g_autoptr(secret) text = secret_read(out, VALUE_SOURCE_MAX);
    close(out);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!text || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail_value(error, "its command failed", argv[0]);
    return g_steal_pointer(&text);
}

static secret *read_command(const char *command, GError **error)
{
    g_auto(GStrv) argv = NULL;
    return g_shell_parse_argv(command, NULL, &argv, error) ? read_output(argv, error) : NULL;
}

/* By secret-tool(1) of libsecret: what unlocks a keyring, and asks for that, stays out of the
 * process that has the values of all secrets. */
static secret *read_keyring(const char *attributes, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_auto(GStrv) words = g_strsplit_set(attributes, ",", -1);
    g_ptr_array_add(argv, "secret-tool");
    g_ptr_array_add(argv, "lookup");
    for (char **word = words; *word; word++) {
        char *equals = strchr(*word, '=');
        *equals = '\0';
        g_ptr_array_add(argv, *word);
        g_ptr_array_add(argv, equals + 1);
    }
    g_ptr_array_add(argv, NULL);
    secret *value = read_output((char **)argv->pdata, error);
    if (!value)
        g_prefix_error(error, "the keyring has no such secret, is locked, or libsecret-tools is "
                              "missing: ");
    return value;
}

static secret *read_variable(const char *name, GError **error)
{
    const char *value = g_getenv(name);
    return value ? secret_copy((const guint8 *)value, strlen(value))
                 : fail_value(error, "its variable is not set", name);
}

static secret *read_any(const secret_definition *from, GError **error)
{
    g_autofree char *kept = secret_value_path(from->name);
    switch (from->source) {
    case SECRET_ENV:
        return read_variable(from->source_text, error);
    case SECRET_FILE:
        return read_file(from->source_text, error);
    case SECRET_COMMAND:
        return read_command(from->source_text, error);
    case SECRET_KEYRING:
        return read_keyring(from->source_text, error);
    case SECRET_KEPT:
        return read_file(kept, error);
    }
    return NULL;
}

static void trim(secret *text)
{
    gsize begin = 0;
    while (text->length > 0 && g_ascii_isspace(text->data[text->length - 1]))
        text->length--;
    while (begin < text->length && g_ascii_isspace(text->data[begin]))
        begin++;
    text->length -= begin;
    memmove(text->data, text->data + begin, text->length);
}

/* Takes VALUE, which may be NULL. */
static secret *check_value(secret *value, gboolean is_access_key, GError **error)
{
    g_autoptr(secret) trimmed = value;
    if (!value)
        return NULL;
    trim(value);
    if (is_access_key) {
        g_auto(aws_credentials) parts = {0};
        return aws_credentials_read(value, &parts, error) ? g_steal_pointer(&trimmed) : NULL;
    }
    const char *why = secret_value_refusal((const char *)value->data, value->length);
    return why ? fail_value(error, "its value cannot be used", why) : g_steal_pointer(&trimmed);
}

secret *value_source_read(const secret_definition *definition, GError **error)
{
    return check_value(read_any(definition, error), definition->forms & SECRET_SIGV4, error);
}

/* The same of what FD, which stays open, has up to its end. IS_ACCESS_KEY: as aws_credentials.h has
 * it. */
static secret *value_source_read_descriptor(int fd, gboolean is_access_key, GError **error)
{
    secret *value = secret_read(fd, VALUE_SOURCE_MAX);
    if (!value)
        return fail_value(error, "the value cannot be read", g_strerror(errno));
    return check_value(value, is_access_key, error);
}

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

static gboolean check_kept(const secret *value, gboolean is_access_key, GError **error)
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
    return value && check_kept(value, is_access_key, error) && keep(name, value, error);
}

gboolean value_test(const char *name, GError **error)
{
    g_autoptr(secret_definition) definition = secret_file_read(name, error);
    g_autoptr(secret) value = definition ? value_source_read(definition, error) : NULL;
    if (value)
        printf("secret '%s' has a value of %zu characters\n", name, value->length);
    return value != NULL;
}
