#include "host/desktop-helper/login_port.h"

#include <string.h>

#define FIELD "redirect_uri="
#define FIELD_MAX 2048

static guint16 port_in(const char *address)
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
        return whole && port >= LOGIN_PORT_LEAST && port <= G_MAXUINT16 ? (guint16)port : 0;
    }
    return 0;
}

guint16 login_port_of(const char *address)
{
    const char *query = strchr(address, '?');
    guint16 port = 0;
    gboolean found = FALSE;
    if (!query || memchr(address, '#', (gsize)(query - address)))
        return 0;
    g_autofree char *fields_text = g_strndup(query + 1, strcspn(query + 1, "#"));
    g_auto(GStrv) fields = g_strsplit(fields_text, "&", -1);
    for (char **field = fields; *field; field++) {
        if (!g_str_has_prefix(*field, FIELD))
            continue;
        /* Which of two counts is the server's to say. */
        if (found || strlen(*field) > FIELD_MAX)
            return 0;
        found = TRUE;
        g_autofree char *target = g_uri_unescape_string(*field + strlen(FIELD), NULL);
        port = target ? port_in(target) : 0;
    }
    return port;
}
