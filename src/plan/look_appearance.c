/*
 * The folders with the fonts, icons, cursors and themes of the user and the host.
 *
 * A link on the way to one of the user's could have been made by a box that may write near it, and
 * lead to anything: it counts only when it leads to where no box can write and nothing is secret.
 */
#include "plan/look.h"

#include <string.h>

#include "common/links.h"
#include "plan/draft.h"

typedef enum { OF_DATA, OF_CONFIG, OF_HOME, OF_SYSTEM } base;

static const struct {
    base base;
    const char *path; /* below it */
    const char *name; /* below PLAN_SHARE */
} folders[] = {
    {OF_DATA, "fonts", "user/fonts"},
    {OF_DATA, "icons", "user/icons"},
    {OF_DATA, "themes", "user/themes"},
    {OF_HOME, ".fonts", "old/fonts"},
    {OF_HOME, ".icons", "old/icons"},
    {OF_HOME, ".themes", "old/themes"},
    {OF_CONFIG, "fontconfig", "fontconfig"},
    /* What the host image has at its own place. */
    {OF_SYSTEM, "usr/local/share/fonts", "local/fonts"},
    {OF_SYSTEM, "usr/local/share/icons", "local/icons"},
    {OF_SYSTEM, "usr/local/share/themes", "local/themes"},
    {OF_SYSTEM, "usr/share/fonts", "host/fonts"},
    {OF_SYSTEM, "usr/share/icons", "host/icons"},
    {OF_SYSTEM, "usr/share/themes", "host/themes"},
};

/* Which folders a package manager or an administrator alone fills. */
static gboolean is_systems(const char *path)
{
    return plan_is_below(path, "/usr") || plan_is_below(path, "/nix/store");
}

static const char *base_path(const plan_facts *self, base of)
{
    switch (of) {
    case OF_DATA:
        return g_get_user_data_dir();
    case OF_CONFIG:
        return g_get_user_config_dir();
    case OF_HOME:
        return self->home;
    case OF_SYSTEM:
        break;
    }
    return "/";
}

static void add(plan_facts *self, const char *path, base of, const char *name)
{
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = links_resolve(path, via);

    if (!real || !g_file_test(real, G_FILE_TEST_IS_DIR))
        return;
    /* /usr/local itself may be a link, which is the administrator's. */
    gboolean linked = via->len > 0 && of != OF_SYSTEM && !is_systems(real);
    plan_facts_add_look(self, linked ? path : real, name, linked);
}

/* PATH with the user's home as the real path that it is: links above it are the administrator's. */
static char *in_real_home(const plan_facts *self, const char *path)
{
    const char *home = g_get_home_dir();

    return plan_is_below(path, home) ? g_strconcat(self->home, path + strlen(home), NULL)
                                     : g_strdup(path);
}

void plan_look_appearance(plan_facts *self, const plan_box *box)
{
    self->look = appearance_read();
    for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
        if (folders[i].base == OF_SYSTEM && !box->image)
            continue;
        g_autofree char *path =
            g_build_filename(base_path(self, folders[i].base), folders[i].path, NULL);
        g_autofree char *real = in_real_home(self, path);
        add(self, real, folders[i].base, folders[i].name);
    }
}
