#include "box/inspect/network.h"

#include <fcntl.h>
#include <string.h>

#include "common/fs.h"

/* Bytes of a table: a box without NET_ADMIN has a few routes. */
#define ROUTES_MAX (64 << 10)
#define LOOPBACK "lo"

/* "Iface Destination Gateway …", a heading, then a line for each route of the main table, which has
 * none of loopback unless somebody has made one. */
gboolean network_has_route(const char *table)
{
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    for (char **line = lines; *line && line[1]; line++) {
        g_auto(GStrv) words = g_strsplit_set(line[1], "\t ", 2);
        if (*line[1] && g_strcmp0(words[0], LOOPBACK) != 0)
            return TRUE;
    }
    return FALSE;
}

/* No heading; the interface is the last word. */
gboolean network_has_route6(const char *table)
{
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    for (char **line = lines; *line; line++) {
        const char *space = strrchr(g_strchomp(*line), ' ');
        if (space && strcmp(space + 1, LOOPBACK) != 0)
            return TRUE;
    }
    return FALSE;
}

/* TRUE also when the table of INIT cannot be read. */
static gboolean has_route(pid_t init, const char *name, gboolean (*parse)(const char *table))
{
    char path[64];
    g_autofree char *table = NULL;
    g_snprintf(path, sizeof path, "/proc/%d/net/%s", (int)init, name);
    return !fs_read(AT_FDCWD, path, ROUTES_MAX, &table, NULL, NULL) || parse(table);
}

gboolean network_is_lost(pid_t init)
{
    return init > 0 && !has_route(init, "route", network_has_route) &&
           !has_route(init, "ipv6_route", network_has_route6);
}
