#include <string.h>

#include "common/error.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/check.h"
#include "config/secret_file.h"
#include "proto/http_fields.h"

#define HEADER_PREFIX "header:"
#define QUERY_PREFIX "query:"
#define ATTRIBUTES_MAX 8
#define FILE_PATH_MAX 255
#define FILE_TEXT_MAX 4096

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
    g_free(self->file);
    g_free(self->file_text);
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
    return self->login || self->forms & SECRET_SIGV4
               ? NULL
               : g_strconcat(self->name, ".box.internal", NULL);
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

static gboolean writes(const secret_definition *self, const char *file)
{
    return g_strcmp0(self->file, file) == 0 ||
           (self->login && (g_strcmp0(self->login->file, file) == 0 ||
                            g_strcmp0(self->login->state_file, file) == 0));
}

const char *secret_common_variable(const secret_definition *a, const secret_definition *b)
{
    if (a->login && a->login == b->login)
        return a->login->file;
    if (a->file && writes(b, a->file))
        return a->file;
    if (b->file && writes(a, b->file))
        return b->file;
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
    if (self->file)
        return wrong("file", texts->file,
                     "must be left out: what signs needs three placeholders, which are variables",
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

/* Who calls `box secret add --file ~/.npmrc` has a shell that writes the home in place of "~". */
static gboolean read_path(secret_definition *self, const char *text, GError **error)
{
    g_autofree char *home = g_strconcat(paths_home(), "/", NULL);
    const char *below = g_str_has_prefix(text, home) ? text + strlen(home) : text;
    const char *why = "must be a path below the box's home, without '..'";
    g_autofree char *path = check_share(below, &why);
    if (!path || g_str_has_suffix(text, "/"))
        return wrong("file", text, "must be a file below the box's home, without '..'", error);
    self->file = g_strdup(path + strlen("~/"));
    if (strlen(self->file) > FILE_PATH_MAX || !text_has_only(self->file, "._-/+@ "))
        return wrong("file", text,
                     "must have at most 255 letters, digits, '._-/+@' and spaces, and nothing else",
                     error);
    return TRUE;
}

/* Tools read all of these files as text, and a definition that is written keeps no other bytes. */
static gboolean is_file_text(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!g_ascii_isprint(*c) && *c != '\n' && *c != '\t')
            return FALSE;
    return strlen(text) <= FILE_TEXT_MAX;
}

static gboolean read_home_file(secret_definition *self, const secret_texts *texts, GError **error)
{
    const char *text = texts->file_text ? texts->file_text : SECRET_FILE_MARK;
    const char *mark = strstr(text, SECRET_FILE_MARK);
    if (!texts->file)
        return !texts->file_text ||
               wrong("file_text", text, "must be left out: no file is named", error);
    if (!mark || strstr(mark + strlen(SECRET_FILE_MARK), SECRET_FILE_MARK))
        return wrong("file_text", text, "must have " SECRET_FILE_MARK " once, for the placeholder",
                     error);
    if (!is_file_text(text))
        return wrong("file_text", text, "must have at most 4096 printable characters of ASCII",
                     error);
    self->file_text = g_strdup(text);
    return read_path(self, texts->file, error);
}

char *secret_file_content(const secret_definition *self, const char *placeholder)
{
    const char *mark = strstr(self->file_text, SECRET_FILE_MARK);
    const char *rest = mark + strlen(SECRET_FILE_MARK);
    return g_strdup_printf("%.*s%s%s%s", (int)(mark - self->file_text), self->file_text,
                           placeholder, rest, g_str_has_suffix(rest, "\n") ? "" : "\n");
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

static gboolean read_login(secret_definition *self, const secret_texts *texts, GError **error)
{
    self->login = login_service_find(texts->login);
    if (!self->login) {
        g_autofree char *names = login_service_names(),
                        *why = g_strconcat("must be one of ", names, NULL);
        return wrong("login", texts->login, why, error);
    }
    if ((texts->hosts && *texts->hosts) || texts->as || texts->variable || texts->file ||
        texts->file_text || texts->base_url || texts->source)
        return wrong("login", texts->login,
                     "must stand alone: it has its own hosts, and its client keeps what it gets",
                     error);
    self->forms = SECRET_BEARER;
    for (const char *const *host = self->login->hosts; *host; host++)
        if (!add_host(self, *host, error))
            return FALSE;
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
    if (texts->login)
        return read_login(self, texts, error) ? g_steal_pointer(&self) : NULL;
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
        !read_home_file(self, texts, error) ||
        !read_variable("base_url_variable", texts->base_url, &self->base_url, error) ||
        !finish_sigv4(self, texts, error) || !read_source(self, texts->source, error))
        return NULL;
    return g_steal_pointer(&self);
}
