#include "appearance/ini.h"

#include <string.h>

/* No line of such a file is longer, but for lists that nobody here asks for. */
#define LINE_MAX_BYTES 1024

/* LINE as a group's head; its name, or NULL. Changes LINE. */
static const char *group_of(char *line)
{
    char *end = strrchr(line, ']');
    if (*line != '[' || !end || end[1])
        return NULL;
    *end = '\0';
    return line + 1;
}

static void visit_line(const char *group, char *line, ini_visit visit, void *data)
{
    char *equals = strchr(line, '=');
    if (!equals || equals == line || *line == '#' || *line == ';')
        return;
    *equals = '\0';
    visit(group, g_strchomp(line), g_strchug(equals + 1), data);
}

void ini_each(const char *text, gsize length, ini_visit visit, void *data)
{
    g_autofree char *group = g_strdup("");
    gsize size;
    for (const char *at = text; at < text + length; at += size + 1) {
        const char *end = memchr(at, '\n', (gsize)(text + length - at));
        size = end ? (gsize)(end - at) : (gsize)(text + length - at);
        if (size > LINE_MAX_BYTES || !g_utf8_validate(at, (gssize)size, NULL))
            continue;
        g_autofree char *copy = g_strndup(at, size);
        char *line = g_strstrip(copy);
        const char *head = group_of(line);
        if (head) {
            g_free(group);
            group = g_strdup(head);
        } else {
            visit_line(group, line, visit, data);
        }
    }
}
