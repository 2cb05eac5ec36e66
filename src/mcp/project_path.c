#include "mcp/project_path.h"

#include <limits.h>
#include <string.h>

/* Without "." and empty parts. NULL when ".." leads out of the project. */
static char *clean(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "/", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    for (char **part = parts; *part; part++) {
        if (!**part || strcmp(*part, ".") == 0)
            continue;
        if (strcmp(*part, "..") != 0)
            g_ptr_array_add(kept, *part);
        else if (kept->len == 0)
            return NULL;
        else
            g_ptr_array_set_size(kept, (gint)kept->len - 1);
    }
    g_ptr_array_add(kept, NULL);
    return kept->len > 1 ? g_strjoinv("/", (char **)kept->pdata) : g_strdup(".");
}

char *project_path(const char *project, const char *text)
{
    gsize length = strlen(project);
    if (strlen(text) >= PATH_MAX)
        return NULL;
    if (*text == '/') {
        if (strncmp(text, project, length) != 0 || (text[length] && text[length] != '/'))
            return NULL;
        text += length;
    }
    return clean(text);
}
