#include "host/desktop-helper/own_host.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

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
