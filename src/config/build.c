#include "config/build.h"

#include <string.h>

#include "common/paths.h"
#include "config/file.h"

char *build_user_path(void)
{
    return paths_config("config.toml");
}

settings *build_over_user(const char *project, const char *contents, GError **error)
{
    g_autofree char *user = build_user_path();
    g_autofree char *file = g_build_filename(project, PROJECT_FILE, NULL);
    g_autofree char *data = NULL;
    g_autoptr(problems) wrong = problems_new();
    gsize length;

    if (!file_read_own(user, &data, &length, error))
        return NULL;
    g_autoptr(settings) merged = settings_new_defaults();
    layer each = {.file = user, .origin = ORIGIN_USER, .problems = wrong, .into = merged};
    if (data)
        layer_apply(&each, data, length);
    each.file = file;
    each.origin = ORIGIN_PROJECT;
    if (contents)
        layer_apply(&each, contents, strlen(contents));
    return problems_check(wrong, error) ? g_steal_pointer(&merged) : NULL;
}
