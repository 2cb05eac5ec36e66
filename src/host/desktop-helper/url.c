#include "host/desktop-helper/url.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-._"

static char *normalise_v6(const char *name)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    gsize length = strlen(name);
    g_autofree char *inner = length > 2 ? g_strndup(name + 1, length - 2) : NULL;
    if (!inner || name[length - 1] != ']' || inet_pton(AF_INET6, inner, &address) != 1 ||
        !inet_ntop(AF_INET6, &address, text, sizeof text))
        return NULL;
    return g_strdup_printf("[%s]", text);
}

/* Browsers read a host whose last part is a number as an IPv4 address: "2130706433", "0x7f.1",
 * "127.1." (WHATWG URL, "ends in a number"). */
static gboolean is_v4(const char *name)
{
    g_autofree char *whole = g_strndup(name, strlen(name) - g_str_has_suffix(name, "."));
    const char *last = strrchr(whole, '.');
    last = last ? last + 1 : whole;
    return *last && (!last[strspn(last, "0123456789")] || g_str_has_prefix(last, "0x"));
}

static char *normalise_v4(const char *name)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr address;
    if (!inet_aton(name, &address) || !inet_ntop(AF_INET, &address, text, sizeof text))
        return NULL;
    return g_strdup(text);
}

/* NAME in lower-case ASCII, an IPv6 address in brackets; a new string. NULL when it is not valid.
 */
static char *url_host_normalise(const char *name)
{
    if (*name == '[')
        return normalise_v6(name);
    g_autofree char *ascii = g_hostname_to_ascii(name);
    g_autofree char *lower = ascii ? g_ascii_strdown(ascii, -1) : NULL;
    if (!lower || !*lower || *lower == '.' || *lower == '-' || strstr(lower, "..") ||
        strlen(lower) > URL_HOST_MAX || lower[strspn(lower, NAME_CHARACTERS)])
        return NULL;
    return is_v4(lower) ? normalise_v4(lower) : g_steal_pointer(&lower);
}

/* TRUE when HOST (normalised) is a name or an address of the loopback interface. */
static gboolean url_host_is_loopback(const char *host)
{
    g_autofree char *name = g_strdup(host);
    gsize length = strlen(name);
    if (length && name[length - 1] == '.')
        name[length - 1] = '\0';
    return strcmp(name, "localhost") == 0 || g_str_has_suffix(name, ".localhost") ||
           g_str_has_prefix(name, "127.") || strcmp(name, "0.0.0.0") == 0 ||
           strcmp(name, "[::1]") == 0 || strcmp(name, "[::]") == 0 ||
           g_str_has_prefix(name, "[::ffff:127.");
}

/* Characters that may follow the host as they are; others are written as %HH. "%" is kept, so that
 * nothing is encoded twice. */
#define PLAIN                                                                     \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$" \
    "&'()*+,;=%"
#define DIGITS "0123456789"
#define REDIRECT_FIELD "redirect_uri="
#define REDIRECT_MAX 2048

/* The header fields that a mailto: address may set: "attach" and the like name files of the host.
 */
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
    g_free(self->unicode);
    g_free(self->scripts);
    g_free(self);
}

/* Browsers drop tabs and line breaks anywhere in a URL, so those and all other invisible characters
 * are refused. */
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

/* TEXT: ":PORT", ":" or "". */
static gboolean parse_port(url *self, const char *text)
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
static gboolean parse_authority(url *self, const char *text, problem *wrong)
{
    const char *at = strrchr(text, '@'), *begin = at ? at + 1 : text;
    const char *end = *begin == '[' ? strchr(begin, ']') : NULL;
    end = end ? end + 1 : begin + strcspn(begin, ":");
    g_autofree char *name = g_strndup(begin, (gsize)(end - begin));
    if (at && at > text) {
        g_autofree char *user = g_strndup(text, (gsize)(at - text));
        if (user[strspn(user, PLAIN)] || strpbrk(user, "[]@"))
            return fail(wrong, REQUEST_WRONG, "its user name has characters that are not allowed");
        self->user = g_steal_pointer(&user);
    }
    self->host = url_host_normalise(name);
    if (!self->host)
        return fail(wrong, REQUEST_WRONG, "it has no host, or its host is not valid");
    if (!parse_port(self, end))
        return fail(wrong, REQUEST_WRONG, "its port is not valid");
    self->unicode = host_name_unicode(self->host, &self->scripts);
    self->is_loopback = url_host_is_loopback(self->host);
    return TRUE;
}

static guint16 loopback_port(const char *address)
{
    static const char *const hosts[] = {"http://localhost:", "http://127.0.0.1:", "http://[::1]:"};
    for (gsize i = 0; i < G_N_ELEMENTS(hosts); i++) {
        gsize length = strlen(hosts[i]);
        if (g_ascii_strncasecmp(address, hosts[i], length) != 0)
            continue;
        gsize digits = strspn(address + length, "0123456789");
        const char *end = address + length + digits;
        guint64 port = digits <= 5 ? g_ascii_strtoull(address + length, NULL, 10) : 0;
        gboolean whole = !*end || strchr("/?#", *end);
        return whole && port >= URL_LOGIN_PORT_MIN && port <= G_MAXUINT16 ? (guint16)port : 0;
    }
    return 0;
}

/* The port of the loopback interface in the one redirect_uri of ADDRESS's query, decoded once:
 * http://localhost:PORT, 127.0.0.1 or [::1], with any path. 0 for none. */
static guint16 login_port_of(const char *address)
{
    const char *query = strchr(address, '?');
    guint16 port = 0;
    gboolean found = FALSE;
    if (!query || memchr(address, '#', (gsize)(query - address)))
        return 0;
    g_autofree char *fields_text = g_strndup(query + 1, strcspn(query + 1, "#"));
    g_auto(GStrv) fields = g_strsplit(fields_text, "&", -1);
    for (char **field = fields; *field; field++) {
        if (!g_str_has_prefix(*field, REDIRECT_FIELD))
            continue;
        /* Only the server knows which of two it will use. */
        if (found || strlen(*field) > REDIRECT_MAX)
            return 0;
        found = TRUE;
        g_autofree char *target = g_uri_unescape_string(*field + strlen(REDIRECT_FIELD), NULL);
        port = target ? loopback_port(target) : 0;
    }
    return port;
}

static gboolean parse_page(url *self, const char *scheme, const char *rest, problem *wrong)
{
    if (strncmp(rest, "//", 2) != 0)
        return fail(wrong, REQUEST_WRONG, "there is no '//' after its scheme");
    rest += 2;
    gsize length = strcspn(rest, "/?#");
    g_autofree char *authority = g_strndup(rest, length);
    /* Browsers read a backslash as a slash, other programs do not. */
    if (strchr(authority, '\\'))
        return fail(wrong, REQUEST_WRONG, "there is a backslash in its host");
    if (!parse_authority(self, authority, wrong))
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

static gboolean parse_mail(url *self, const char *rest, problem *wrong)
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

/* The scheme in lower case; NULL when TEXT has none: a path, an option, or anything else. */
static char *scheme_of(const char *text)
{
    gsize length =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-");
    if (!g_ascii_isalpha(*text) || text[length] != ':')
        return NULL;
    return g_ascii_strdown(text, (gssize)length);
}

static gboolean parse_url(url *self, const char *text, problem *wrong)
{
    static const char only[] =
        "only pages (http, https) and mails (mailto) are opened outside the box";
    g_autofree char *scheme = scheme_of(text);
    const char *rest = scheme ? text + strlen(scheme) + 1 : NULL;
    if (strlen(text) > REQUEST_ADDRESS_MAX)
        return fail(wrong, REQUEST_WRONG, "it is too long");
    if (!scheme || strcmp(scheme, "file") == 0)
        return fail(wrong, REQUEST_FILE,
                    "it is a file of the box, which nothing outside the box opens");
    if (!is_visible(text))
        return fail(wrong, REQUEST_WRONG, "it has characters that cannot be seen");
    if (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0)
        return parse_page(self, scheme, rest, wrong);
    if (strcmp(scheme, "mailto") == 0)
        return parse_mail(self, rest, wrong);
    return fail(wrong, REQUEST_WRONG, only);
}

url *url_parse(const char *text, enum request_outcome *outcome, const char **why)
{
    g_autoptr(url) self = g_new0(url, 1);
    problem wrong = {REQUEST_WRONG, ""};
    /* Escaping may have made it too long. */
    if (parse_url(self, text, &wrong) && strlen(self->text) > REQUEST_ADDRESS_MAX)
        fail(&wrong, REQUEST_WRONG, "it is too long");
    if (!*wrong.why)
        return g_steal_pointer(&self);
    *outcome = wrong.outcome;
    *why = wrong.why;
    return NULL;
}

/* The first part of a name, which mDNS and most routers know it by as well. */
static gboolean is_own_name(const char *host)
{
    char name[HOST_NAME_MAX + 1] = "";

    if (gethostname(name, sizeof name - 1) < 0 || !*name)
        return FALSE;
    gsize own = strcspn(name, "."), given = strcspn(host, ".");
    return own > 0 && own == given && g_ascii_strncasecmp(host, name, own) == 0;
}

/* ADDRESS as struct url has it; NULL for other families. */
static char *text_of(const struct sockaddr *address)
{
    char text[INET6_ADDRSTRLEN];

    if (address->sa_family == AF_INET)
        return g_strdup(inet_ntop(AF_INET,
                                  &((const struct sockaddr_in *)(const void *)address)->sin_addr,
                                  text, sizeof text));
    if (address->sa_family != AF_INET6 ||
        !inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, text,
                   sizeof text))
        return NULL;
    return g_strdup_printf("[%s]", text);
}

static gboolean is_own_address(const char *host)
{
    struct ifaddrs *all;
    gboolean found = FALSE;

    if (getifaddrs(&all) < 0)
        return FALSE;
    for (struct ifaddrs *one = all; one && !found; one = one->ifa_next) {
        g_autofree char *text = one->ifa_addr ? text_of(one->ifa_addr) : NULL;
        /* An IPv4 address may be written as one of IPv6. */
        found = text && (strcmp(text, host) == 0 ||
                         (g_str_has_prefix(host, "[::ffff:") &&
                          strncmp(host + strlen("[::ffff:"), text, strlen(text)) == 0 &&
                          host[strlen("[::ffff:") + strlen(text)] == ']'));
    }
    freeifaddrs(all);
    return found;
}

gboolean own_host_is(const char *host)
{
    return is_own_name(host) || is_own_address(host);
}
