#include "proto/port_list.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

/* A line is hardly longer than an IPv6 address and two ports. */
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
