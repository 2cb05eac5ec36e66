#include "config/secret_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/check.h"
#include "config/toml.h"
#include "proto/http_fields.h"

#define SUFFIX ".toml"
#define HEADER_PREFIX "header:"
#define QUERY_PREFIX "query:"
#define ATTRIBUTES_MAX 8

static const struct {
    const char *word;
    enum secret_form form;
} forms[] = {{"bearer", SECRET_BEARER},
             {"basic", SECRET_BASIC},
             {"x-api-key", SECRET_X_API_KEY},
             {"sigv4", SECRET_SIGV4}};

static const struct {
    const char *prefix;
    enum secret_source source;
} sources[] = {{"env:", SECRET_ENV},
               {"file:", SECRET_FILE},
               {"command:", SECRET_COMMAND},
               {"keyring:", SECRET_KEYRING}};

void secret_definition_free(secret_definition *self)
{
    g_free(self->name);
    g_array_unref(self->hosts);
    g_free(self->header);
    g_free(self->query);
    g_free(self->variable);
    g_free(self->base_url);
    g_free(self->source_text);
    g_free(self);
}

gboolean secret_name_is_valid(const char *name)
{
    gsize length = strlen(name);
    return length > 0 && length <= SECRET_NAME_MAX && g_ascii_islower(name[0]) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] &&
           name[length - 1] != '-' && strcmp(name, "host") != 0;
}

char *secret_base_name(const secret_definition *self)
{
    return self->forms & SECRET_SIGV4 ? NULL : g_strconcat(self->name, ".box.internal", NULL);
}

static gboolean wrong(const char *key, const char *text, const char *why, GError **error)
{
    g_autofree char *safe = text_safe_max(text, -1, 120);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: '%s' %s", key, safe, why);
    return FALSE;
}

/* A name alone: a wildcard would give the value to hosts that the user has not named. */
static gboolean add_host(secret_definition *self, const char *text, GError **error)
{
    secret_host host;
    struct http_text whole = {text, strlen(text)};
    if (self->hosts->len == SECRET_HOSTS_MAX)
        return wrong("hosts", text, "is one host too many", error);
    if (!http_read_host(whole, HTTPS_PORT, host.name, &host.port))
        return wrong("hosts", text,
                     "must be a full name such as api.example.com, and perhaps :PORT", error);
    if (g_str_has_suffix(host.name, ".box.internal"))
        return wrong("hosts", text, "must not be a name of Litterbox", error);
    g_array_append_val(self->hosts, host);
    return TRUE;
}

/* Its name needs no code: it is compared as it is written. */
static gboolean add_query(secret_definition *self, const char *word, GError **error)
{
    const char *name = word + strlen(QUERY_PREFIX);
    if (self->query || !*name || strlen(name) > 64 ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")])
        return wrong("as", word, "must be query:NAME, once, with a NAME of a-z, 0-9, -, ., _ and ~",
                     error);
    self->query = g_strdup(name);
    self->forms |= SECRET_QUERY;
    return TRUE;
}

static gboolean add_form(secret_definition *self, const char *word, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(forms); i++)
        if (strcmp(word, forms[i].word) == 0) {
            self->forms |= forms[i].form;
            return TRUE;
        }
    if (g_str_has_prefix(word, QUERY_PREFIX))
        return add_query(self, word, error);
    const char *header = g_str_has_prefix(word, HEADER_PREFIX) ? word + strlen(HEADER_PREFIX) : "";
    if (!http_is_token(header, strlen(header)) || self->header)
        return wrong("as", word,
                     "must be bearer, basic, x-api-key, sigv4, header:NAME or query:NAME", error);
    static const char *const reserved[] = {
        "Host",    "Connection", "Transfer-Encoding", "Content-Length", "Upgrade", "Expect", "TE",
        "Trailer", NULL};
    for (const char *const *each = reserved; *each; each++)
        if (g_ascii_strcasecmp(header, *each) == 0)
            return wrong("as", word, "must be a field that is for the server", error);
    self->header = g_strdup(header);
    self->forms |= SECRET_HEADER;
    return TRUE;
}

static gboolean read_forms(secret_definition *self, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    for (char **word = words; *word; word++)
        if (!add_form(self, g_strstrip(*word), error))
            return FALSE;
    return TRUE;
}

/* Clients look for credentials of AWS in variables of these names alone. */
static const char *const sigv4_variables[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                                              "AWS_SESSION_TOKEN", NULL};

static gboolean sets(const secret_definition *self, const char *variable)
{
    return g_strcmp0(self->variable, variable) == 0 || g_strcmp0(self->base_url, variable) == 0 ||
           (self->forms & SECRET_SIGV4 && g_strv_contains(sigv4_variables, variable));
}

const char *secret_common_variable(const secret_definition *a, const secret_definition *b)
{
    if (a->forms & SECRET_SIGV4)
        for (const char *const *each = sigv4_variables; *each; each++)
            if (sets(b, *each))
                return *each;
    if (a->variable && sets(b, a->variable))
        return a->variable;
    return a->base_url && sets(b, a->base_url) ? a->base_url : NULL;
}

static gboolean finish_sigv4(secret_definition *self, const secret_texts *texts, GError **error)
{
    if (!(self->forms & SECRET_SIGV4))
        return TRUE;
    if (self->forms != SECRET_SIGV4)
        return wrong("as", texts->as, "must not have sigv4 beside another form", error);
    if (self->variable)
        return wrong("variable", texts->variable,
                     "must be left out: sigv4 sets AWS_ACCESS_KEY_ID, "
                     "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
                     error);
    if (self->base_url)
        return wrong("base_url_variable", texts->base_url,
                     "must be left out: a signature holds for the real name of the host", error);
    self->variable = g_strdup(sigv4_variables[0]);
    return TRUE;
}

static gboolean read_variable(const char *key, const char *text, char **variable, GError **error)
{
    const char *why = NULL;
    *variable = text ? check_env_name(text, &why) : NULL;
    return !text || *variable || wrong(key, text, why, error);
}

/* "service=github,account=me": they are words of a command line. */
static gboolean are_attributes(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, ",", ATTRIBUTES_MAX + 1);
    for (char **word = words; *word; word++) {
        const char *equals = strchr(*word, '=');
        if (!g_ascii_isalnum(**word) || !equals || !equals[1] || equals[1] == '-')
            return FALSE;
    }
    return g_strv_length(words) <= ATTRIBUTES_MAX;
}

static gboolean read_source(secret_definition *self, const char *text, GError **error)
{
    if (!text)
        return TRUE;
    const char *rest = "";
    for (gsize i = 0; i < G_N_ELEMENTS(sources); i++)
        if (g_str_has_prefix(text, sources[i].prefix)) {
            self->source = sources[i].source;
            rest = text + strlen(sources[i].prefix);
        }
    if (!*rest)
        return wrong("source", text,
                     "must be env:VARIABLE, file:PATH, command:COMMAND or keyring:ATTRIBUTE=VALUE",
                     error);
    if (self->source == SECRET_KEYRING && !are_attributes(rest))
        return wrong("source", text, "must have attributes such as service=NAME,account=NAME",
                     error);
    if (self->source == SECRET_FILE && g_str_has_prefix(rest, "~/"))
        self->source_text = g_build_filename(paths_home(), rest + 2, NULL);
    else
        self->source_text = g_strdup(rest);
    if (self->source == SECRET_FILE && !g_path_is_absolute(self->source_text))
        return wrong("source", text, "must have an absolute path, or one that begins with ~/",
                     error);
    return TRUE;
}

secret_definition *secret_definition_new(const secret_texts *texts, GError **error)
{
    g_autoptr(secret_definition) self = g_new0(secret_definition, 1);
    self->hosts = g_array_new(FALSE, TRUE, sizeof(secret_host));
    self->name = g_strdup(texts->name);
    if (!secret_name_is_valid(texts->name)) {
        wrong("name", texts->name,
              "must be a-z, 0-9 and '-', begin with a letter and not be 'host'", error);
        return NULL;
    }
    for (const char *const *host = texts->hosts; host && *host; host++)
        if (!add_host(self, *host, error))
            return NULL;
    if (self->hosts->len == 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "secret '%s' has no host: say which may get it", texts->name);
        return NULL;
    }
    if (!read_forms(self, texts->as ? texts->as : "bearer", error) ||
        !read_variable("variable", texts->variable, &self->variable, error) ||
        !read_variable("base_url_variable", texts->base_url, &self->base_url, error) ||
        !finish_sigv4(self, texts, error) || !read_source(self, texts->source, error))
        return NULL;
    return g_steal_pointer(&self);
}

/* Files. */

char *secret_folder(void)
{
    return paths_config("secrets");
}

char *secret_value_folder(void)
{
    return paths_data("secrets");
}

char *secret_value_path(const char *name)
{
    g_autofree char *folder = secret_value_folder();
    return g_build_filename(folder, name, NULL);
}

static char *definition_path(const char *name)
{
    g_autofree char *folder = secret_folder();
    g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
    return g_build_filename(folder, file, NULL);
}

/* The text of KEY, in *TEXT; FALSE when it is something else. */
static gboolean take_text(const toml_tree *node, const char *key, const char **text)
{
    if (strcmp(node->key, key) != 0 || node->kind != TOML_STRING ||
        strlen(node->string) != node->length)
        return FALSE;
    *text = node->string;
    return TRUE;
}

static gboolean take_hosts(const toml_tree *node, GPtrArray *hosts)
{
    if (strcmp(node->key, "hosts") != 0 || node->kind != TOML_ARRAY)
        return FALSE;
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *host = node->children->pdata[i];
        if (host->kind != TOML_STRING || strlen(host->string) != host->length)
            return FALSE;
        g_ptr_array_add(hosts, host->string);
    }
    return TRUE;
}

static secret_definition *read_tree(const char *name, const toml_tree *tree, GError **error)
{
    g_autoptr(GPtrArray) hosts = g_ptr_array_new();
    secret_texts texts = {.name = name};
    for (guint i = 0; i < tree->children->len; i++) {
        const toml_tree *node = tree->children->pdata[i];
        if (take_hosts(node, hosts) || take_text(node, "as", &texts.as) ||
            take_text(node, "variable", &texts.variable) ||
            take_text(node, "base_url_variable", &texts.base_url) ||
            take_text(node, "source", &texts.source))
            continue;
        g_autofree char *safe = text_safe_max(node->key, -1, 64);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "line %u: unknown key '%s', or a value of the wrong kind", node->key_at.line,
                    safe);
        return NULL;
    }
    g_ptr_array_add(hosts, NULL);
    texts.hosts = (const char *const *)hosts->pdata;
    return secret_definition_new(&texts, error);
}

static secret_definition *read_text(const char *name, const char *text, gsize length,
                                    GError **error)
{
    toml_place at;
    g_autofree char *message = NULL;
    g_autoptr(toml_tree) tree = toml_parse(text, length, &at, &message);
    if (tree)
        return read_tree(name, tree, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "line %u: %s", at.line, message);
    return NULL;
}

secret_definition *secret_file_read(const char *name, GError **error)
{
    g_autofree char *path = definition_path(name);
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    gsize length;
    if (!secret_name_is_valid(name) ||
        (!fs_read(AT_FDCWD, path, SECRET_FILE_MAX, &text, &length, &problem) &&
         g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))) {
        g_autofree char *safe = text_safe_max(name, -1, 64);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "there is no secret '%s': 'box secret list' shows those that are there", safe);
        return NULL;
    }
    secret_definition *self = text ? read_text(name, text, length, &problem) : NULL;
    if (!self) {
        g_autofree char *safe = text_safe(path, -1);
        g_propagate_prefixed_error(error, g_steal_pointer(&problem), "%s: ", safe);
    }
    return self;
}

/* TOML's basic strings and JSON's have the same escapes for what check functions let through. */
static void add_line(GString *text, const char *key, const char *value)
{
    if (!value)
        return;
    g_autofree char *escaped = g_strescape(value, NULL);
    g_string_append_printf(text, "%s = \"%s\"\n", key, escaped);
}

gboolean secret_file_write(const secret_texts *texts, GError **error)
{
    g_autofree char *folder = secret_folder();
    g_autofree char *path = definition_path(texts->name);
    g_autoptr(GString) text = g_string_new("hosts = [");
    for (const char *const *host = texts->hosts; *host; host++)
        g_string_append_printf(text, "%s\"%s\"", host == texts->hosts ? "" : ", ", *host);
    g_string_append(text, "]\n");
    add_line(text, "as", texts->as);
    add_line(text, "variable", texts->variable);
    add_line(text, "base_url_variable", texts->base_url);
    add_line(text, "source", texts->source);
    /* What cannot be read back, such as a control character of a command, is not written. */
    g_autoptr(secret_definition) again = read_text(texts->name, text->str, text->len, error);
    return again && fs_make_folder(folder, 0700, error) &&
           fs_write(path, text->str, (gssize)text->len, 0600, error);
}

gboolean secret_file_remove(const char *name, GError **error)
{
    g_autofree char *value = secret_value_path(name);
    g_autofree char *path = definition_path(name);
    return fs_remove_tree(value, error) && fs_remove_tree(path, error);
}

char **secret_names(void)
{
    g_autofree char *folder = secret_folder();
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const char *file; files && (file = g_dir_read_name(files));) {
        g_autofree char *name = g_strdup(file);
        if (!g_str_has_suffix(name, SUFFIX))
            continue;
        name[strlen(name) - strlen(SUFFIX)] = '\0';
        if (secret_name_is_valid(name))
            g_ptr_array_add(names, g_steal_pointer(&name));
    }
    g_ptr_array_sort(names, text_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}
