/* What may be mounted and where: the rules that no configuration can turn off. */
#include "plan/draft.h"

#include <string.h>

#include "common/text.h"

gboolean plan_is_below(const char *path, const char *folder)
{
    gsize length = strlen(folder);

    if (strcmp(folder, "/") == 0)
        return path[0] == '/';
    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

gboolean plan_overlaps(const char *path, const char *other)
{
    return plan_is_below(path, other) || plan_is_below(other, path);
}

/* PATH's parts joined by one "/" each; NULL when one of them is "..", or when there is none. */
static char *join_parts(const char *path, const char *start)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_autoptr(GString) clean = g_string_new(NULL);

    for (char **part = parts; *part; part++) {
        if (strcmp(*part, "..") == 0)
            return NULL;
        if (**part == '\0' || strcmp(*part, ".") == 0)
            continue;
        g_string_append(clean, clean->len ? "/" : start);
        g_string_append(clean, *part);
    }
    return clean->len ? g_string_free(g_steal_pointer(&clean), FALSE) : NULL;
}

char *plan_clean_path(const char *path)
{
    if (!path || path[0] != '/')
        return NULL;
    if (strspn(path, "/.") == strlen(path) && !strstr(path, ".."))
        return g_strdup("/");
    return join_parts(path, "/");
}

char *plan_clean_relative(const char *path)
{
    if (!path || path[0] == '/')
        return NULL;
    return join_parts(path, "");
}

gboolean plan_refuse(const char *what, const char *path, const char *why, GError **error)
{
    g_autofree char *safe = text_safe(path, -1);

    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: '%s' %s", what, safe, why);
    return FALSE;
}

/* Folders of the kernel: what lies in them speaks for the host, not for a project. */
static const char *const kernel[] = {"/proc", "/sys", "/dev"};

gboolean plan_check_source(const plan_draft *self, const char *source, const char *what,
                           GError **error)
{
    const plan_facts *facts = self->facts;

    if (strcmp(source, "/") == 0)
        return plan_refuse(what, source, "is the whole machine; name a folder", error);
    for (gsize i = 0; i < G_N_ELEMENTS(kernel); i++)
        if (plan_is_below(source, kernel[i]))
            return plan_refuse(what, source, "belongs to the kernel; list a device under [devices]",
                               error);
    if (plan_is_below(facts->home, source))
        return plan_refuse(what, source, "is or holds your whole home folder; name a folder in it",
                           error);
    for (char **hidden = facts->private_paths; hidden && *hidden; hidden++)
        if (plan_overlaps(source, *hidden))
            return plan_refuse(
                what, source,
                "would show the box what guards it (Litterbox's or Podman's own files, "
                "or the sockets of your session); name a narrower folder",
                error);
    return TRUE;
}

/* Inside a box these are made by us or by Podman. */
static const char *const reserved[] = {
    "/proc", "/sys", "/dev", PLAN_RUN, "/run/.containerenv", PLAN_X11,
};
static const char *const reserved_exactly[] = {"/", "/run", "/etc", "/tmp", "/home", "/usr"};

gboolean plan_check_target(const plan_draft *self, const char *target, const char *what,
                           GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(reserved); i++)
        if (plan_is_below(target, reserved[i]))
            return plan_refuse(what, target, "is Litterbox's own inside a box; choose another",
                               error);
    for (gsize i = 0; i < G_N_ELEMENTS(reserved_exactly); i++)
        if (strcmp(target, reserved_exactly[i]) == 0)
            return plan_refuse(what, target,
                               "would hide a folder that the box needs; choose one in it", error);
    /* A mount on a folder above these would be hidden by them, or hide them. */
    if (plan_is_below(self->facts->home, target))
        return plan_refuse(what, target, "is or holds the box's home; choose one in it", error);
    if (plan_is_below(self->box->project, target))
        return plan_refuse(what, target, "is or holds the project; choose one in it", error);
    return TRUE;
}

static const char *const system_folders[] = {
    "/",         "/bin",       "/boot",    "/etc",     "/home",      "/lib",
    "/lib32",    "/lib64",     "/libx32",  "/media",   "/mnt",       "/nix",
    "/opt",      "/root",      "/run",     "/sbin",    "/srv",       "/tmp",
    "/usr",      "/var",       "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/local",
    "/usr/sbin", "/usr/share", "/var/lib", "/var/tmp", "/var/home",
};
static const char *const system_trees[] = {"/etc", "/boot", "/proc", "/sys", "/dev", PLAN_RUN};

gboolean plan_check_project(plan_draft *self, GError **error)
{
    const char *project = self->box->project;
    g_autofree char *clean = plan_clean_path(project);

    if (!clean || strcmp(clean, project) != 0)
        return plan_refuse("project", project, "is no clean absolute path", error);
    if (plan_is_below(self->facts->home, project))
        return plan_refuse(
            "project", project,
            "is or holds your whole home folder; make a folder for the project in it", error);
    for (gsize i = 0; i < G_N_ELEMENTS(system_folders); i++)
        if (strcmp(project, system_folders[i]) == 0)
            return plan_refuse("project", project,
                               "is a folder of the system; make a folder for the project in it",
                               error);
    for (gsize i = 0; i < G_N_ELEMENTS(system_trees); i++)
        if (plan_is_below(project, system_trees[i]))
            return plan_refuse("project", project,
                               "lies in a folder of the system; move the project elsewhere", error);
    return plan_check_source(self, project, "project", error);
}
