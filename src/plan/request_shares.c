/*
 * Folders and files of the host that the box may see: [[mount]], home.share, the user's toolchains
 * (home.share_toolchains), and fonts, icons and themes (desktop.appearance).
 */
#include "plan/request.h"

#include <string.h>

#include "common/fs.h"
#include "common/text.h"
#include "plan/writable_folders.h"

typedef struct {
    const char *path;
    plan_path_test test;
} path_question;

static gboolean ask(const char *real, gpointer data)
{
    const path_question *self = data;
    return self->test(self->path, real);
}

gboolean plan_request_is_shared(const plan_request *self, const char *path, plan_path_test test)
{
    path_question asked = {path, test};

    if (test(path, self->box->project))
        return TRUE;
    for (const char *const *other = self->box->writable; other && *other; other++)
        if (test(path, *other))
            return TRUE;
    return writable_folders_each(self->wanted, self->facts, ask, &asked);
}

/* The same for Litterbox's own folders as well: homes of boxes are in one. */
static gboolean any_writable_folder(const plan_request *self, const char *path, plan_path_test test)
{
    for (char **hidden = self->facts->private_paths; hidden && *hidden; hidden++)
        if (test(path, *hidden))
            return TRUE;
    return plan_request_is_shared(self, path, test);
}

/* Refuses symbolic links by which a box, or another user, could decide what the next box sees. */
static gboolean check_links(const plan_request *self, const plan_file *source, const char *what,
                            GError **error)
{
    for (char **link = source->links; link && *link; link++)
        if (any_writable_folder(self, *link, fs_is_below))
            return plan_refuse(
                what, *link,
                "is a symbolic link that a box could have made; name what it points to", error);
    return !source->foreign_link ||
           plan_refuse(what, source->foreign_link,
                       "is a symbolic link of another user; name what it points to", error);
}

/* Refuses a second mount of the project, or of a folder in it or above it, without its protection.
 */
static gboolean check_overlap(const plan_request *self, const char *real, const char *target,
                              enum mount_mode mode, const char *what, GError **error)
{
    const char *project = self->box->project;
    gboolean hidden = self->wanted->project.hidden && self->wanted->project.hidden[0];

    if (!plan_overlaps(real, project))
        return TRUE;
    if (mode == MODE_RW)
        return plan_refuse(
            what, real,
            "overlaps with the project, whose protected files could be written through "
            "it; make it read-only or name another folder",
            error);
    if (hidden && strcmp(real, target) != 0)
        return plan_refuse(what, real,
                           "overlaps with the project, whose hidden files it would show", error);
    return TRUE;
}

static gboolean add_mount(plan_request *self, const settings_mount *mount, const char *what,
                          GError **error)
{
    g_autofree char *source = plan_expand(self->facts, mount->source);
    g_autofree char *target =
        mount->target ? plan_expand(self->facts, mount->target) : g_strdup(source);

    if (!source || !target)
        return plan_refuse(what, source ? mount->target : mount->source,
                           "must be an absolute path, or one that starts with ~/, without '..'",
                           error);
    const plan_file *found = plan_facts_file(self->facts, source);
    if (found->type == PLAN_TYPE_MISSING || !found->real)
        return plan_refuse(what, source, "does not exist on this machine", error);
    if (found->type != PLAN_TYPE_FOLDER && found->type != PLAN_TYPE_FILE)
        return plan_refuse(what, source, "is neither a file nor a folder", error);
    if (!check_links(self, found, what, error) ||
        !plan_request_check_source(self, found->real, what, error) ||
        !plan_request_check_target(self, target, what, error) ||
        !check_overlap(self, found->real, target, mount->mode, what, error))
        return FALSE;
    if (plan_request_is_protected(self, target))
        return plan_refuse(what, target, "lies in a protected or hidden path of the project",
                           error);
    if (mount->mode == MODE_RW && !plan_request_add_git_folder(self, target, error))
        return FALSE;
    if (mount->mode != MODE_OVERLAY)
        return plan_request_add_bind(self, found->real, target, mount->mode == MODE_RW, what,
                                     error);
    if (found->type != PLAN_TYPE_FOLDER)
        return plan_refuse(what, source, "is a file; only a folder can be an overlay", error);
    return plan_request_add_overlay(self, found->real, target, what, error);
}

static gboolean add_list(plan_request *self, const GPtrArray *list, const char *what,
                         GError **error)
{
    for (guint i = 0; list && i < list->len; i++)
        if (!add_mount(self, list->pdata[i], what, error))
            return FALSE;
    return TRUE;
}

/* The programs of the box copy it into a new home (box/session/new_home.h). */
static gboolean add_dotfiles(plan_request *self, GError **error)
{
    static const char what[] = "home.dotfiles";
    const char *dotfiles = self->wanted->home.dotfiles;
    gboolean is_folder = settings_dotfiles_is_folder(self->wanted);
    g_autofree char *source = is_folder ? plan_expand(self->facts, dotfiles) : NULL;

    if (!is_folder)
        return TRUE;
    const plan_file *found = source ? plan_facts_file(self->facts, source) : NULL;
    if (!found || !found->real || found->type != PLAN_TYPE_FOLDER)
        return plan_refuse(what, dotfiles, "is no folder of this machine", error);
    return check_links(self, found, what, error) &&
           plan_request_check_source(self, found->real, what, error) &&
           check_overlap(self, found->real, PLAN_DOTFILES, MODE_RO, what, error) &&
           plan_request_add_bind(self, found->real, PLAN_DOTFILES, FALSE, what, error);
}

gboolean plan_request_add_shares(plan_request *self, GError **error)
{
    return add_list(self, self->wanted->mounts, "mount", error) &&
           add_list(self, self->wanted->home.share, "home.share", error) &&
           add_dotfiles(self, error);
}

/* Read-only, at the toolchain's path in the home. */
static gboolean mount_toolchain(plan_request *self, const plan_toolchain *toolchain, GError **error)
{
    static const char what[] = "home.share_toolchains";
    g_autofree char *empty = plan_data_path(self->box, PLAN_DATA_EMPTY_FILE);

    if (!plan_request_check_source(self, toolchain->real, what, error) ||
        !plan_request_add_bind(self, toolchain->real, toolchain->folder, FALSE, what, error))
        return FALSE;
    for (char **secret = toolchain->secrets; secret && *secret; secret++)
        if (!plan_request_hide(self, *secret, error) ||
            !plan_request_add_bind(self, empty, *secret, FALSE, what, error))
            return FALSE;
    return TRUE;
}

static void warn_about_link(plan_request *self, const char *folder)
{
    g_autofree char *safe = text_safe(folder, -1);

    plan_request_warn(
        self,
        "home.share_toolchains: '%s' is a symbolic link to another place and is ignored; name its "
        "target in home.share",
        safe);
}

gboolean plan_request_add_toolchains(plan_request *self, GError **error)
{
    const GPtrArray *list = self->facts->toolchains;

    if (!self->wanted->home.share_toolchains)
        return TRUE;
    for (guint i = 0; i < list->len; i++) {
        const plan_toolchain *toolchain = list->pdata[i];
        /* What [[mount]] and home.share name has priority. */
        if (g_hash_table_contains(self->targets, toolchain->folder))
            continue;
        /* A toolchain in the project is there already, with the project's protection. One that
         * contains the project would show it without. */
        if (!toolchain->real)
            warn_about_link(self, toolchain->folder);
        else if (!plan_overlaps(self->box->project, toolchain->folder) &&
                 !plan_overlaps(self->box->project, toolchain->real) &&
                 !mount_toolchain(self, toolchain, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean mount_theme_folder(plan_request *self, const plan_theme_folder *folder,
                                   GError **error)
{
    g_autofree char *target = g_build_filename(PLAN_SHARE, folder->name, NULL);
    g_autofree char *safe = text_safe(folder->source, -1);

    if (folder->linked) {
        plan_request_warn(
            self,
            "desktop.appearance: '%s' is reached through a symbolic link and is ignored; use "
            "[[mount]] to show its target",
            safe);
        return TRUE;
    }
    /* One box must not be able to attack another through a folder that it can write: the code that
     * reads fonts and pictures trusts them. */
    if (any_writable_folder(self, folder->source, plan_overlaps) ||
        !plan_request_check_source(self, folder->source, "desktop.appearance", NULL))
        return TRUE;
    return plan_request_add_bind(self, folder->source, target, FALSE, "desktop.appearance", error);
}

/*
 * Fonts, icons, cursors and themes at PLAN_SHARE, and generated files at PLAN_APPEARANCE that say
 * which of them to use (prepare.c writes them). None of it is in the box's home, where the box can
 * have its own. Programs find it by environment variables with constant paths, so that a change of
 * theme changes the files and not the plan.
 */
gboolean plan_request_add_appearance(plan_request *self, GError **error)
{
    const GPtrArray *folders = self->facts->theme_folders;
    g_autofree char *files = plan_data_path(self->box, PLAN_DATA_APPEARANCE);

    if (!settings_wants_appearance(self->wanted))
        return TRUE;
    for (guint i = 0; i < folders->len; i++)
        if (!mount_theme_folder(self, folders->pdata[i], error))
            return FALSE;
    return plan_request_add_bind(self, files, PLAN_APPEARANCE, FALSE, "desktop.appearance", error);
}

/* Folders below PLAN_SHARE. Search paths start with the user's and end with the host's, so that the
 * image's files come before the host's. */
static const char *const user_folders[] = {"user", "old", NULL};
static const char *const host_folders[] = {"local", "host", NULL};

/* Appends those of NAMES in which something is mounted, each followed by TAIL. */
static void append_mounted(const plan_request *self, GString *path, const char *const *names,
                           const char *tail)
{
    static const char *const kinds[] = {"fonts", "icons", "themes"};

    for (; *names; names++) {
        gboolean mounted = FALSE;
        for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
            g_autofree char *at = g_build_filename(PLAN_SHARE, *names, kinds[i], NULL);
            mounted |= g_hash_table_contains(self->targets, at);
        }
        if (mounted)
            g_string_append_printf(path, ":" PLAN_SHARE "/%s%s", *names, tail);
    }
}

/* START, the user's folders, BOX_PATH (the box's own search path), the host's folders. */
static char *data_search_path(const plan_request *self, const char *start, const char *box_path,
                              const char *tail)
{
    g_autoptr(GString) path = g_string_new(start);

    append_mounted(self, path, user_folders, tail);
    g_string_append_printf(path, ":%s", box_path);
    append_mounted(self, path, host_folders, tail);
    return g_string_free(g_steal_pointer(&path), FALSE);
}

/* The image's value of the variable NAME, or FALLBACK. */
static const char *image_env_or(const plan_request *self, const char *name, const char *fallback)
{
    const char *value = self->box->image ? plan_image_env(self->box, name) : NULL;

    return value && *value ? value : fallback;
}

void plan_request_add_appearance_env(const plan_request *self, json_t *env)
{
    const char *share =
        image_env_or(self, "XDG_DATA_DIRS",
                     self->facts->nixos_system && !self->box->image
                         ? "/run/current-system/sw/share:/usr/local/share:/usr/share"
                         : "/usr/local/share:/usr/share");
    g_autofree char *data = data_search_path(self, PLAN_APPEARANCE "/share", share, "");
    g_autofree char *begin =
        g_strdup_printf("%s/.local/share/icons:%s/.icons:" PLAN_APPEARANCE "/share/icons",
                        self->facts->home, self->facts->home);
    g_autofree char *cursors = data_search_path(
        self, begin, image_env_or(self, "XCURSOR_PATH", "/usr/share/icons:/usr/share/pixmaps"),
        "/icons");
    /* Twice, because for a key in several files KDE's programs take the first and GTK's the last.
     */
    g_autofree char *config =
        g_strdup_printf(PLAN_APPEARANCE "/config:%s:" PLAN_APPEARANCE "/config",
                        image_env_or(self, "XDG_CONFIG_DIRS", "/etc/xdg"));

    json_object_set_new(env, "XDG_DATA_DIRS", json_string(data));
    json_object_set_new(env, "XDG_CONFIG_DIRS", json_string(config));
    json_object_set_new(env, "XCURSOR_PATH", json_string(cursors));
    json_object_set_new(env, "FONTCONFIG_FILE", json_string(PLAN_APPEARANCE "/fonts.conf"));
    json_object_set_new(env, "DCONF_PROFILE", json_string(PLAN_APPEARANCE "/dconf/profile"));
}
