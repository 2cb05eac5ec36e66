#include "proto/port_mapping.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

void port_mapping_free(port_mapping *self)
{
    if (!self)
        return;
    g_free(self->host_ip);
    g_free(self);
}

char *port_mapping_address(const char *text)
{
    struct in6_addr address;
    char normal[INET6_ADDRSTRLEN];
    for (int i = 0; i < 2; i++) {
        int family = i ? AF_INET6 : AF_INET;
        if (inet_pton(family, text, &address) == 1 &&
            inet_ntop(family, &address, normal, sizeof normal))
            return g_strdup(normal);
    }
    return NULL;
}

static gboolean parse_port(const char *text, guint16 *port)
{
    guint64 value;
    if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT16, &value, NULL))
        return FALSE;
    *port = value;
    return TRUE;
}

/* Cuts TEXT at its last colon. Returns what follows it, or NULL without a colon. */
static char *cut_last(char *text)
{
    char *colon = strrchr(text, ':');
    if (!colon)
        return NULL;
    *colon = '\0';
    return colon + 1;
}

/* "1.2.3.4" or "[::1]". */
static char *parse_address(char *text)
{
    gsize length = strlen(text);
    gboolean brackets = length > 2 && *text == '[' && text[length - 1] == ']';
    if (brackets)
        text[length - 1] = '\0';
    g_autofree char *address = port_mapping_address(brackets ? text + 1 : text);
    if (!address || brackets != (strchr(address, ':') != NULL))
        return NULL;
    return g_steal_pointer(&address);
}

port_mapping *port_mapping_parse(const char *text)
{
    g_autofree char *rest = g_strdup(text);
    g_autofree char *address = NULL;
    port_mapping port = {0};

    char *slash = strrchr(rest, '/');
    if (slash && (g_str_equal(slash, "/udp") || g_str_equal(slash, "/tcp"))) {
        port.udp = g_str_equal(slash, "/udp");
        *slash = '\0';
    }
    char *last = cut_last(rest);
    if (!parse_port(last ? last : rest, &port.box_port))
        return NULL;
    port.host_port = port.box_port;
    if (last) {
        char *before = cut_last(rest);
        if (!parse_port(before ? before : rest, &port.host_port))
            return NULL;
        address = before ? parse_address(rest) : g_strdup(PORT_MAPPING_LOOPBACK);
        if (!address)
            return NULL;
    }
    port_mapping *result = g_memdup2(&port, sizeof port);
    result->host_ip = address ? g_steal_pointer(&address) : g_strdup(PORT_MAPPING_LOOPBACK);
    return result;
}

char *port_mapping_host_side(const port_mapping *self)
{
    gboolean brackets = strchr(self->host_ip, ':') != NULL;
    return g_strdup_printf("%s%s%s:%u", brackets ? "[" : "", self->host_ip, brackets ? "]" : "",
                           self->host_port);
}

char *port_mapping_text(const port_mapping *self)
{
    g_autofree char *host = port_mapping_host_side(self);
    return g_strdup_printf("%s:%u%s", host, self->box_port, self->udp ? "/udp" : "");
}

gboolean port_mapping_same_host_side(gconstpointer a, gconstpointer b)
{
    const port_mapping *x = a, *y = b;
    return x->host_port == y->host_port && x->udp == y->udp && g_str_equal(x->host_ip, y->host_ip);
}

gboolean port_mapping_is_local(const port_mapping *self)
{
    return g_str_has_prefix(self->host_ip, "127.") || g_str_equal(self->host_ip, "::1");
}

/* Enough for an IPv6 address and two ports in each line. */
#define FILE_MAX (PORT_FORWARDS_MAX * 128)

GPtrArray *port_list_read(const char *folder)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)port_mapping_free);
    g_autofree char *path = g_build_filename(folder, PORT_LIST, NULL);
    g_autofree char *text = NULL;
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL))
        return list;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && list->len < PORT_FORWARDS_MAX; line++) {
        g_autoptr(port_mapping) one = **line ? port_mapping_parse(*line) : NULL;
        if (one && !one->udp && !port_list_find(list, one, NULL))
            g_ptr_array_add(list, g_steal_pointer(&one));
    }
    return list;
}

gboolean port_list_write(const char *folder, const GPtrArray *list, GError **error)
{
    g_autofree char *path = g_build_filename(folder, PORT_LIST, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < list->len; i++) {
        g_autofree char *line = port_mapping_text(list->pdata[i]);
        g_string_append_printf(text, "%s\n", line);
    }
    if (list->len == 0) {
        unlink(path);
        return TRUE;
    }
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

port_mapping *port_list_find(const GPtrArray *list, const port_mapping *like, guint *at)
{
    for (guint i = 0; i < list->len; i++) {
        if (!port_mapping_same_host_side(list->pdata[i], like))
            continue;
        if (at)
            *at = i;
        return list->pdata[i];
    }
    return NULL;
}
