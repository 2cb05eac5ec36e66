#include "common/bus_address.h"

gboolean bus_address_is_plain(const char *addresses)
{
    g_auto(GStrv) list = g_strsplit(addresses, ";", -1);
    for (char **each = list; *each; each++) {
        if (!g_str_has_prefix(*each, "unix:"))
            return FALSE;
    }
    return *list != NULL;
}
