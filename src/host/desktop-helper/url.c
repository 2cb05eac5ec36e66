#include "host/desktop-helper/url.h"

#include <string.h>

#include "common/text.h"
#include "host/desktop-helper/login_port.h"
#include "host/desktop-helper/url_host.h"

/* What may stand behind the host as it is; everything else is written as %HH. A "%" that is there
 * stays: the address is written as often as it was. */
#define PLAIN                                                                     \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$" \
    "&'()*+,;=%"
#define DIGITS "0123456789"

/* Of a mail: what a mail program may be told. "attach" and its likes name files of the host. */
static const char *const mail_fields[] = {"to", "cc", "bcc", "subject", "body", NULL};

typedef struct {
    enum request_outcome outcome;
    const char *why;
} problem;

static gboolean fail(problem *wrong, enum request_outcome outcome, const char *why)
{
    *wrong = (problem){outcome, why};
    return FALSE;
}

void url_free(url *self)
{
    if (!self)
        return;
    g_free(self->text);
    g_free(self->host);
    g_free(self->mail);
    g_free(self->port);
    g_free(self->user);
    g_free(self->letters);
    g_free(self->scripts);
    g_free(self);
}

/* Browsers drop tabs and line ends wherever they stand; nothing else invisible has a place either.
 */
static gboolean is_visible(const char *text)
{
    if (!g_utf8_validate(text, -1, NULL))
        return FALSE;
    for (; *text; text = g_utf8_next_char(text))
        if (!text_safe_char(g_utf8_get_char(text)))
            return FALSE;
    return TRUE;
}

static char *escape(const char *text)
{
    GString *out = g_string_new(NULL);
    for (; *text; text++) {
        if (strchr(PLAIN, *text))
            g_string_append_c(out, *text);
        else
            g_string_append_printf(out, "%%%02X", (guchar)*text);
    }
    return g_string_free(out, FALSE);
}

/* ":PORT" or nothing behind the host. */
static gboolean take_port(url *self, const char *text)
{
    gsize length = strlen(text);
    if (length == 0 || strcmp(text, ":") == 0)
        return TRUE;
    if (*text != ':' || length > 6 || text[1 + strspn(text + 1, DIGITS)])
        return FALSE;
    guint64 number = g_ascii_strtoull(text + 1, NULL, 10);
    self->port = g_strdup_printf("%" G_GUINT64_FORMAT, number);
    return number > 0 && number <= G_MAXUINT16;
}

/* "[USER@]HOST[:PORT]" */
static gboolean take_authority(url *self, const char *text, problem *wrong)
{
    const char *at = strrchr(text, '@'), *begin = at ? at + 1 : text;
    const char *end = *begin == '[' ? strchr(begin, ']') : NULL;
    end = end ? end + 1 : begin + strcspn(begin, ":");
    g_autofree char *name = g_strndup(begin, (gsize)(end - begin));
    if (at && at > text) {
        g_autofree char *user = g_strndup(text, (gsize)(at - text));
        if (user[strspn(user, PLAIN)] || strpbrk(user, "[]@"))
            return fail(wrong, REQUEST_WRONG, "its user name has characters that none may have");
        self->user = g_steal_pointer(&user);
    }
    self->host = host_normalise(name);
    if (!self->host)
        return fail(wrong, REQUEST_WRONG, "it has no host, or one that cannot be");
    if (!take_port(self, end))
        return fail(wrong, REQUEST_WRONG, "its port is none");
    self->letters = host_letters(self->host, &self->scripts);
    self->is_here = host_is_here(self->host);
    return TRUE;
}

static gboolean take_page(url *self, const char *scheme, const char *rest, problem *wrong)
{
    if (strncmp(rest, "//", 2) != 0)
        return fail(wrong, REQUEST_WRONG, "there is no '//' behind its scheme");
    rest += 2;
    gsize length = strcspn(rest, "/?#");
    g_autofree char *authority = g_strndup(rest, length);
    /* For browsers a backslash is a slash, for others it is not. */
    if (strchr(authority, '\\'))
        return fail(wrong, REQUEST_WRONG, "there is a backslash in its host");
    if (!take_authority(self, authority, wrong))
        return FALSE;
    g_autofree char *tail = escape(rest + length);
    self->text = g_strconcat(scheme, "://", self->user ? self->user : "", self->user ? "@" : "",
                             self->host, self->port ? ":" : "", self->port ? self->port : "",
                             *tail == '/' ? "" : "/", tail, NULL);
    self->login_port = login_port_of(self->text);
    return TRUE;
}

static gboolean check_fields(const char *query)
{
    g_auto(GStrv) fields = g_strsplit(query, "&", -1);
    for (char **field = fields; *field; field++) {
        g_autofree char *name = g_strndup(*field, strcspn(*field, "="));
        g_autofree char *decoded = g_uri_unescape_string(name, NULL);
        g_autofree char *lower = decoded ? g_ascii_strdown(decoded, -1) : NULL;
        if (*name && (!lower || !g_strv_contains(mail_fields, lower)))
            return FALSE;
    }
    return TRUE;
}

static gboolean take_mail(url *self, const char *rest, problem *wrong)
{
    const char *query = strchr(rest, '?');
    g_autofree char *safe = escape(rest);
    if (query && !check_fields(query + 1))
        return fail(wrong, REQUEST_WRONG,
                    "a mail may have a receiver, a subject and a text, and nothing else");
    self->mail = g_strndup(safe, strcspn(safe, "?"));
    self->text = g_strconcat("mailto:", safe, NULL);
    return TRUE;
}

/* A word, then ":", as every scheme; NULL: TEXT is a path, an option, or anything. */
static char *scheme_of(const char *text)
{
    gsize length =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-");
    if (!g_ascii_isalpha(*text) || text[length] != ':')
        return NULL;
    return g_ascii_strdown(text, (gssize)length);
}

static gboolean take(url *self, const char *text, problem *wrong)
{
    static const char only[] = "only pages (http, https) and mails (mailto) are opened outside of "
                               "the box";
    g_autofree char *scheme = scheme_of(text);
    const char *rest = scheme ? text + strlen(scheme) + 1 : NULL;
    if (strlen(text) > REQUEST_ADDRESS_MAX)
        return fail(wrong, REQUEST_WRONG, "it is too long");
    if (!scheme || strcmp(scheme, "file") == 0)
        return fail(wrong, REQUEST_FILE,
                    "it is a file of the box, which nothing outside of it opens");
    if (!is_visible(text))
        return fail(wrong, REQUEST_WRONG, "it has characters that cannot be seen");
    if (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0)
        return take_page(self, scheme, rest, wrong);
    if (strcmp(scheme, "mailto") == 0)
        return take_mail(self, rest, wrong);
    return fail(wrong, REQUEST_WRONG, only);
}

url *url_parse(const char *text, enum request_outcome *outcome, const char **why)
{
    g_autoptr(url) self = g_new0(url, 1);
    problem wrong = {REQUEST_WRONG, ""};
    /* Written anew it may have become longer than can be shown. */
    if (take(self, text, &wrong) && strlen(self->text) > REQUEST_ADDRESS_MAX)
        fail(&wrong, REQUEST_WRONG, "it is too long");
    if (!*wrong.why)
        return g_steal_pointer(&self);
    *outcome = wrong.outcome;
    *why = wrong.why;
    return NULL;
}
