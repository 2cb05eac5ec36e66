#include "host/secrets/token_request.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 64
#define GRANT "grant_type"
#define REFRESH_TOKEN "refresh_token"
#define SCOPE "scope"
#define CLIENT "client_id"

void token_request_clear(token_request *self)
{
    json_decref(self->members);
    self->members = NULL;
}

/* NULL: it is not coded as forms are (WHATWG URL, application/x-www-form-urlencoded), or has a NUL.
 */
static char *decode_form(const char *text, gsize length)
{
    g_autofree char *copy = g_strndup(text, length);
    for (char *c = copy; *c; c++)
        if (*c == '+')
            *c = ' ';
    return strlen(copy) == length ? g_uri_unescape_string(copy, NULL) : NULL;
}

/* "NAME=VALUE". FALSE: it is not that, or NAME is there already. */
static gboolean add_part(json_t *members, const char *part, gsize size)
{
    const char *equals = memchr(part, '=', size);
    g_autofree char *name = equals ? decode_form(part, (gsize)(equals - part)) : NULL;
    g_autofree char *value =
        equals ? decode_form(equals + 1, (gsize)(part + size - equals - 1)) : NULL;
    return name && value && !json_object_get(members, name) &&
           json_object_size(members) < MEMBERS_MAX &&
           json_object_set_new(members, name, json_string(value)) == 0;
}

static json_t *read_form(const char *body, gsize length)
{
    json_t *members = json_object();
    for (gsize at = 0; at < length;) {
        const char *part = body + at, *stop = memchr(part, '&', length - at);
        gsize size = stop ? (gsize)(stop - part) : length - at;
        if (!add_part(members, part, size)) {
            json_decref(members);
            return NULL;
        }
        at += size + 1;
    }
    return members;
}

static const char *field_text(const token_request *self, const char *name)
{
    return json_string_value(json_object_get(self->members, name));
}

static enum token_grant read_grant(const char *grant)
{
    if (g_str_equal(grant, "authorization_code") ||
        g_str_equal(grant, "urn:ietf:params:oauth:grant-type:device_code"))
        return GRANT_LOGIN;
    return g_str_equal(grant, "refresh_token") ? GRANT_REFRESH : GRANT_OTHER;
}

/* Some servers take "Grant_Type", "grant.type" or "grant_type[]" for "grant_type", too. */
static gboolean has_odd_name(json_t *members)
{
    const char *name;
    json_t *value;
    json_object_foreach (members, name, value)
        if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
            return TRUE;
    return FALSE;
}

static const char *read_members(token_request *self)
{
    const char *grant = field_text(self, GRANT);
    json_t *scope = json_object_get(self->members, SCOPE);
    json_t *client = json_object_get(self->members, CLIENT);
    if (!json_is_object(self->members))
        return "its body is neither a form nor JSON";
    if (has_odd_name(self->members))
        return "it has a name that a server could take for another one";
    if (!grant)
        return "it does not say what it grants";
    if (scope && !json_is_string(scope))
        return "its scope is no text";
    if (client && !json_is_string(client))
        return "its client_id is no text";
    self->grant = read_grant(grant);
    self->is_long = json_object_get(self->members, "expires_in") != NULL;
    return self->grant == GRANT_REFRESH && !token_request_token(self) ? "it has no refresh token"
                                                                      : NULL;
}

const char *token_request_read(token_request *self, const char *body, gsize length)
{
    *self = (token_request){.is_json = length > 0 && body[0] == '{'};
    json_set_alloc_funcs(malloc, secret_wipe_and_free);
    self->members = self->is_json ? json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL)
                                  : read_form(body, length);
    const char *why = read_members(self);
    if (why)
        token_request_clear(self);
    return why;
}

const char *token_request_token(const token_request *self)
{
    return field_text(self, REFRESH_TOKEN);
}

const char *token_request_client(const token_request *self)
{
    const char *client = field_text(self, CLIENT);
    return client ? client : "";
}

/* TRUE when SCOPE has each word of GRANTED. */
static gboolean covers(const char *scope, const char *granted)
{
    g_auto(GStrv) asked = g_strsplit(scope, " ", -1), had = g_strsplit(granted, " ", -1);
    for (char **each = had; *each; each++)
        if (!g_strv_contains((const char *const *)asked, *each))
            return FALSE;
    return TRUE;
}

static char *write_form(const token_request *self)
{
    const char *name;
    json_t *value;
    GString *text = g_string_sized_new(4 * TOKEN_REQUEST_MAX);
    json_object_foreach (self->members, name, value) {
        g_autofree char *coded = g_uri_escape_string(name, NULL, FALSE);
        char *coded_value = g_uri_escape_string(json_string_value(value), NULL, FALSE);
        g_string_append_printf(text, "%s%s=%s", text->len ? "&" : "", coded, coded_value);
        secret_wipe_and_free(coded_value);
    }
    return g_string_free(text, FALSE);
}

secret *token_request_write(token_request *self, const secret *token, const char *granted)
{
    const char *scope = field_text(self, SCOPE);
    if (scope && token && (!granted || !covers(scope, granted)))
        json_object_del(self->members, SCOPE);
    if (token)
        json_object_set_new(self->members, REFRESH_TOKEN,
                            json_stringn((const char *)token->data, token->length));
    char *text = self->is_json ? json_dumps(self->members, JSON_COMPACT) : write_form(self);
    secret *made = secret_copy((const guint8 *)text, strlen(text));
    secret_wipe_and_free(text);
    return made;
}

const char *token_request_type(const token_request *self)
{
    return self->is_json ? "application/json" : "application/x-www-form-urlencoded";
}
