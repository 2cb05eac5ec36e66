/*
 * [desktop] appearance: fonts, icons, cursors and themes at PLAN_SHARE, and files of ours at
 * PLAN_LOOK that say which of them to use (prepare_look.c writes them).
 *
 * Nothing lies in the box's home, so that it can have its own beside. Programs find all of it by
 * variables of the plan that hold paths alone: what the user sets changes the files, not the plan.
 */
#include "plan/draft.h"

#include "common/text.h"

static gboolean add_folder(plan_draft *self, const plan_look *look, GError **error)
{
    g_autofree char *target = g_build_filename(PLAN_SHARE, look->name, NULL);
    g_autofree char *safe = text_safe(look->source, -1);

    if (look->linked) {
        plan_warn(self,
                  "desktop.appearance: '%s' is reached over a symbolic link, and is left out; a "
                  "[[mount]] can show what it leads to",
                  safe);
        return TRUE;
    }
    /* What a box can write is not for others: fonts and pictures are read by code that trusts them.
     */
    if (plan_meets_writable(self, look->source, plan_overlaps) ||
        !plan_check_source(self, look->source, "desktop.appearance", NULL))
        return TRUE;
    return plan_mount_bind(self, look->source, target, FALSE, "desktop.appearance", error);
}

gboolean plan_add_appearance(plan_draft *self, GError **error)
{
    const GPtrArray *looks = self->facts->looks;
    g_autofree char *files = plan_data(self->box, PLAN_DATA_LOOK);

    if (!settings_wants_appearance(self->wanted))
        return TRUE;
    for (guint i = 0; i < looks->len; i++)
        if (!add_folder(self, looks->pdata[i], error))
            return FALSE;
    return plan_mount_bind(self, files, PLAN_LOOK, FALSE, "desktop.appearance", error);
}

/* What of ours is in front, by what a program finds in it; what the image or the host image has;
 * what of the host's comes last, so that an image's own is found first. */
static const char *const first[] = {"user", "old", NULL};
static const char *const last[] = {"local", "host", NULL};

/* Those of NAMES that hold KIND, or anything (KIND NULL), each with TAIL behind it. */
static void append(const plan_draft *self, GString *path, const char *const *names,
                   const char *tail)
{
    static const char *const kinds[] = {"fonts", "icons", "themes"};

    for (; *names; names++) {
        gboolean there = FALSE;
        for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
            g_autofree char *at = g_build_filename(PLAN_SHARE, *names, kinds[i], NULL);
            there |= g_hash_table_contains(self->targets, at);
        }
        if (there)
            g_string_append_printf(path, ":" PLAN_SHARE "/%s%s", *names, tail);
    }
}

static char *search_path(const plan_draft *self, const char *begin, const char *own,
                         const char *tail)
{
    g_autoptr(GString) path = g_string_new(begin);

    append(self, path, first, tail);
    g_string_append_printf(path, ":%s", own);
    append(self, path, last, tail);
    return g_string_free(g_steal_pointer(&path), FALSE);
}

static const char *of_image(const plan_draft *self, const char *name, const char *fallback)
{
    const char *value = self->box->image ? plan_image_variable(self->box, name) : NULL;

    return value && *value ? value : fallback;
}

void plan_add_appearance_env(const plan_draft *self, json_t *env)
{
    const char *share = of_image(self, "XDG_DATA_DIRS",
                                 self->facts->system && !self->box->image
                                     ? "/run/current-system/sw/share:/usr/local/share:/usr/share"
                                     : "/usr/local/share:/usr/share");
    g_autofree char *data = search_path(self, PLAN_LOOK "/share", share, "");
    g_autofree char *begin =
        g_strdup_printf("%s/.local/share/icons:%s/.icons:" PLAN_LOOK "/share/icons",
                        self->facts->home, self->facts->home);
    g_autofree char *cursors = search_path(
        self, begin, of_image(self, "XCURSOR_PATH", "/usr/share/icons:/usr/share/pixmaps"),
        "/icons");
    /* Of the same key KDE's programs take the first, GTK's the last. */
    g_autofree char *config = g_strdup_printf(PLAN_LOOK "/config:%s:" PLAN_LOOK "/config",
                                              of_image(self, "XDG_CONFIG_DIRS", "/etc/xdg"));

    json_object_set_new(env, "XDG_DATA_DIRS", json_string(data));
    json_object_set_new(env, "XDG_CONFIG_DIRS", json_string(config));
    json_object_set_new(env, "XCURSOR_PATH", json_string(cursors));
    json_object_set_new(env, "FONTCONFIG_FILE", json_string(PLAN_LOOK "/fonts.conf"));
    json_object_set_new(env, "DCONF_PROFILE", json_string(PLAN_LOOK "/dconf/profile"));
}
