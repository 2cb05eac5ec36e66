#include "host/secrets/aws_credentials.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "host/secrets/placeholder.h"

void aws_credentials_clear(aws_credentials *self)
{
    g_clear_pointer(&self->id, secret_free);
    g_clear_pointer(&self->key, secret_free);
    g_clear_pointer(&self->token, secret_free);
}

static gboolean fail_credentials(GError **error, const char *what, const char *why)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: %s", what, why);
    return FALSE;
}

static secret *copy_text(const char *text)
{
    return text ? secret_copy((const guint8 *)text, strlen(text)) : NULL;
}

static gboolean read_json(const secret *text, aws_credentials *self)
{
    json_set_alloc_funcs(malloc, secret_wipe_and_free);
    json_t *tree = json_loadb((const char *)text->data, text->length, JSON_REJECT_DUPLICATES, NULL);
    self->id = copy_text(json_string_value(json_object_get(tree, "AccessKeyId")));
    self->key = copy_text(json_string_value(json_object_get(tree, "SecretAccessKey")));
    self->token = copy_text(json_string_value(json_object_get(tree, "SessionToken")));
    json_decref(tree);
    return self->id && self->key;
}

static gboolean read_plain(const secret *text, aws_credentials *self)
{
    const guint8 *end = text->data + text->length;
    const guint8 *first = memchr(text->data, ':', text->length);
    if (!first)
        return FALSE;
    const guint8 *second = memchr(first + 1, ':', (gsize)(end - first - 1));
    self->id = secret_copy(text->data, (gsize)(first - text->data));
    self->key = secret_copy(first + 1, (gsize)((second ? second : end) - first - 1));
    if (second)
        self->token = secret_copy(second + 1, (gsize)(end - second - 1));
    return TRUE;
}

static gboolean check_part(const char *what, const secret *part, GError **error)
{
    const char *why = part ? secret_value_refusal((const char *)part->data, part->length) : NULL;
    return !why || fail_credentials(error, what, why);
}

/* It stands before a "/", and in fields. */
static gboolean check_id(const secret *id, GError **error)
{
    for (gsize i = 0; i < id->length; i++)
        if (!g_ascii_isalnum(id->data[i]))
            return fail_credentials(error, "its access key id",
                                    "it has more than letters and digits");
    return check_part("its access key id", id, error);
}

gboolean aws_credentials_read(const secret *text, aws_credentials *self, GError **error)
{
    *self = (aws_credentials){0};
    gboolean is_json = text->length > 0 && text->data[0] == '{';
    gboolean done = is_json ? read_json(text, self) : read_plain(text, self);
    if (!done)
        fail_credentials(error, "its value cannot be used",
                         "it is not ID:SECRET, ID:SECRET:TOKEN or the JSON of 'aws configure "
                         "export-credentials'");
    done = done && check_id(self->id, error) &&
           check_part("its secret access key", self->key, error) &&
           check_part("its session token", self->token, error);
    if (!done)
        aws_credentials_clear(self);
    return done;
}
