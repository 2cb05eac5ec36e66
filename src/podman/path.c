#include <string.h>

#include "podman/call.h"

char *podman_path(const char *format, ...)
{
    GString *path = g_string_new(NULL);
    va_list arguments;

    va_start(arguments, format);
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            g_string_append_c(path, *p);
            continue;
        }
        p++;
        if (*p == 's') {
            /* Everything but letters, digits and "-._~": a name with a slash stays one segment. */
            g_autofree char *word =
                g_uri_escape_string(va_arg(arguments, const char *), NULL, FALSE);
            g_string_append(path, word);
        } else if (*p == 'd') {
            g_string_append_printf(path, "%d", va_arg(arguments, int));
        } else {
            g_error("podman_path: '%s' has a conversion other than %%s and %%d", format);
        }
    }
    va_end(arguments);
    return g_string_free(path, FALSE);
}

char *podman_label_filter(const char *label)
{
    g_autoptr(json_t) filter = label ? json_pack("{s:[s]}", "label", label) : json_object();

    return json_dumps(filter, JSON_COMPACT);
}
