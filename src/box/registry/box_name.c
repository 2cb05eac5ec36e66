#include "box/registry/box_name.h"

#include <string.h>

#include "box/registry/box.h"
#include "common/text.h"

#define NAME_FROM_FOLDER_MAX 40
/* Of the hash of a project's path, behind a name that others have as well. */
#define UNIQUE_MIN 6
#define UNIQUE_MAX 16
G_STATIC_ASSERT(NAME_FROM_FOLDER_MAX + 1 + UNIQUE_MAX <= BOX_NAME_MAX);

/* A name that a host name, a container and a folder can all bear. */
static char *name_from_folder(const char *project)
{
    g_autofree char *folder = g_path_get_basename(project);
    GString *name = g_string_new(NULL);
    for (const char *c = folder; *c && name->len < NAME_FROM_FOLDER_MAX; c++) {
        char lower = g_ascii_tolower(*c);
        gboolean keep = g_ascii_isalnum(lower) || (name->len && strchr("._-", lower));
        if (keep)
            g_string_append_c(name, lower);
        else if (name->len && name->str[name->len - 1] != '-')
            g_string_append_c(name, '-');
    }
    while (name->len && !g_ascii_isalnum(name->str[name->len - 1]))
        g_string_truncate(name, name->len - 1);
    if (!name->len)
        g_string_append(name, "box");
    return g_string_free(name, FALSE);
}

/* That of the project's folder, and more of the path's hash for as long as another box has it. */
static char *make_name(const char *project, box_name_owner owner, GError **error)
{
    g_autofree char *plain = name_from_folder(project);
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, project, -1);
    g_autofree char *name = g_strdup(plain);
    for (int digits = UNIQUE_MIN; digits <= UNIQUE_MAX + 1; digits++) {
        g_autofree char *other = NULL;
        if (!owner(name, &other, error))
            return NULL;
        if (!other)
            return g_steal_pointer(&name);
        g_free(name);
        name = g_strdup_printf("%s-%.*s", plain, digits, hash);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "the name '%s' and others like it belong to other boxes; choose a [box] name",
                plain);
    return NULL;
}

char *box_name_choose(const char *project, const char *wanted, box_name_owner owner, GError **error)
{
    g_autofree char *other = NULL;
    if (!wanted)
        return make_name(project, owner, error);
    if (!owner(wanted, &other, error))
        return NULL;
    if (!other)
        return g_strdup(wanted);
    g_autofree char *safe = text_safe(other, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "the name '%s' belongs to the box of '%s'; choose another [box] name", wanted,
                safe);
    return NULL;
}
