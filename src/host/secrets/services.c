#include "host/secrets/services.h"

#include <stdio.h>
#include <string.h>

#include "host/secrets/authority.h"
#include "host/secrets/aws_credentials.h"
#include "host/secrets/login.h"
#include "host/secrets/placeholder.h"
#include "host/secrets/value_source.h"

/* Of the placeholders of credentials; AWS says nothing about the length of a token. */
#define KEY_LENGTH 40
#define TOKEN_LENGTH 128

static GPtrArray *secrets;  /* of held_secret */
static GPtrArray *services; /* of service */

const service *services_find(const char *name, guint16 port)
{
    for (guint i = 0; i < services->len; i++) {
        service *each = services->pdata[i];
        if (each->port == port && strcmp(each->name, name) == 0)
            return each;
    }
    return NULL;
}

const held_secret *service_login(const service *self)
{
    for (guint i = 0; i < self->here->len; i++) {
        const held_secret *held = self->here->pdata[i];
        if (held->login)
            return held;
    }
    return NULL;
}

const GPtrArray *services_secrets(void)
{
    return secrets;
}

static service *add_service(const char *name, guint16 port, const char *server, guint16 server_port)
{
    service *self = (service *)services_find(name, port);
    if (self)
        return self;
    self = g_new0(service, 1);
    g_strlcpy(self->name, name, sizeof self->name);
    g_strlcpy(self->server, server, sizeof self->server);
    self->port = port;
    self->server_port = server_port;
    self->here = g_ptr_array_new();
    g_ptr_array_add(services, self);
    return self;
}

static void add_services(held_secret *held)
{
    const secret_definition *definition = held->definition;
    const secret_host *first = &g_array_index(definition->hosts, secret_host, 0);
    g_ptr_array_add(secrets, held);
    for (guint i = 0; i < definition->hosts->len; i++) {
        const secret_host *host = &g_array_index(definition->hosts, secret_host, i);
        g_ptr_array_add(add_service(host->name, host->port, host->name, host->port)->here, held);
    }
    g_autofree char *base = secret_base_name(definition);
    if (!base)
        return;
    service *self = add_service(base, HTTP_PORT, first->name, first->port);
    self->host = first->port == HTTPS_PORT ? g_strdup(first->name)
                                           : g_strdup_printf("%s:%u", first->name, first->port);
    g_ptr_array_add(self->here, held);
}

/* Takes VALUE, which may be NULL. LIKE: a text of the shape that the placeholder gets. */
static void hold_part(held_secret *self, const secret_definition *definition, secret *value,
                      const char *variable, const char *like, const guint8 *key)
{
    g_autofree char *name = g_strdup_printf("%s %s", definition->name, variable);
    *self = (held_secret){.definition = definition, .value = value, .variable = variable};
    self->placeholder = placeholder_make(key, name, like, strlen(like));
    if (value)
        add_services(self);
}

static gboolean load_credentials(const secret_definition *definition, const secret *text,
                                 const guint8 *key)
{
    g_autoptr(GError) problem = NULL;
    aws_credentials read;
    if (!aws_credentials_read(text, &read, &problem)) {
        fprintf(stderr, "secret '%s': %s\n", definition->name, problem->message);
        return FALSE;
    }
    signing_credentials *made = g_new0(signing_credentials, 1);
    g_autofree char *id = g_strndup((const char *)read.id->data, read.id->length);
    g_autofree char *long_text = g_strnfill(TOKEN_LENGTH, 'x');
    hold_part(&made->id, definition, read.id, "AWS_ACCESS_KEY_ID", id, key);
    hold_part(&made->key, definition, read.key, "AWS_SECRET_ACCESS_KEY",
              long_text + TOKEN_LENGTH - KEY_LENGTH, key);
    hold_part(&made->token, definition, read.token, "AWS_SESSION_TOKEN", long_text, key);
    made->id.signs = made;
    return TRUE;
}

/* With or without tokens: the box may be the one that logs in. */
static gboolean load_login(const secret_definition *definition, const guint8 *key)
{
    g_autoptr(GError) problem = NULL;
    held_secret *held = g_new0(held_secret, 1);
    *held = (held_secret){.definition = definition, .login = login_open(definition, key, &problem)};
    if (!held->login) {
        fprintf(stderr, "login '%s': %s\n", definition->name, problem->message);
        g_free(held);
        return FALSE;
    }
    held->placeholder = held->login->maker.tag;
    add_services(held);
    return TRUE;
}

static gboolean load_service(const char *name, const guint8 *key)
{
    g_autoptr(GError) problem = NULL;
    secret_definition *definition = secret_file_read(name, &problem);
    if (definition && definition->login)
        return load_login(definition, key);
    secret *value = definition ? value_source_read(definition, &problem) : NULL;
    if (!value) {
        fprintf(stderr, "secret '%s': %s\n", name, problem->message);
        if (definition)
            secret_definition_free(definition);
        return FALSE;
    }
    if (definition->forms & SECRET_SIGV4) {
        gboolean done = load_credentials(definition, value, key);
        secret_free(value);
        return done;
    }
    held_secret *held = g_new0(held_secret, 1);
    *held = (held_secret){.definition = definition, .value = value};
    held->placeholder = placeholder_make(key, name, (const char *)value->data, value->length);
    held->variable = definition->variable;
    add_services(held);
    return TRUE;
}

/* "NAME PORT". */
static gboolean add_checked(const char *line)
{
    char name[HOST_NAME_SIZE];
    const char *space = strchr(line, ' ');
    guint64 port = 0;
    if (host_name_normalise(line, (gsize)(space - line), name) < 0 ||
        !g_ascii_string_to_unsigned(space + 1, 10, 1, G_MAXUINT16, &port, NULL)) {
        fprintf(stderr, "a line of the list is no host\n");
        return FALSE;
    }
    add_service(name, (guint16)port, name, (guint16)port);
    return TRUE;
}

gboolean services_load(char *const *lines, const guint8 *key)
{
    gboolean any = FALSE;
    secrets = g_ptr_array_new();
    services = g_ptr_array_new();
    for (; *lines; lines++)
        any |= strchr(*lines, ' ') ? add_checked(*lines) : load_service(*lines, key);
    return any;
}

gboolean services_certify(void)
{
    for (guint i = 0; i < services->len; i++) {
        service *self = services->pdata[i];
        if (!self->host && !(self->context = authority_server(self->name)))
            return FALSE;
    }
    return TRUE;
}

char *services_files(void)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < secrets->len; i++) {
        const held_secret *held = secrets->pdata[i];
        if (!held->definition->file)
            continue;
        g_autofree char *content = secret_file_content(held->definition, held->placeholder);
        g_autofree char *escaped = g_strescape(content, NULL);
        g_string_append_printf(text, "%s %s\t%s\n", held->definition->name, held->definition->file,
                               escaped);
    }
    return g_string_free(text, FALSE);
}

char *services_variables(void)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < secrets->len; i++) {
        const held_secret *held = secrets->pdata[i];
        const secret_definition *definition = held->definition;
        if (held->variable)
            g_string_append_printf(text, "%s=%s\n", held->variable, held->placeholder);
        g_autofree char *base = secret_base_name(definition);
        if (base && definition->base_url)
            g_string_append_printf(text, "%s=http://%s\n", definition->base_url, base);
    }
    return g_string_free(text, FALSE);
}
