/* Which folders can be the project of no box, whatever a setting or the user says. */
#include <string.h>

#include "common/fs.h"
#include "plan/plan.h"

static const char *const system_folders[] = {
    "/",         "/bin",       "/boot",    "/etc",     "/home",      "/lib",
    "/lib32",    "/lib64",     "/libx32",  "/media",   "/mnt",       "/nix",
    "/opt",      "/root",      "/run",     "/sbin",    "/srv",       "/tmp",
    "/usr",      "/var",       "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/local",
    "/usr/sbin", "/usr/share", "/var/lib", "/var/tmp", "/var/home",
};
static const char *const system_trees[] = {"/etc", "/boot", "/proc", "/sys", "/dev", PLAN_RUN};

static gboolean is_system_folder(const char *folder)
{
    for (gsize i = 0; i < G_N_ELEMENTS(system_folders); i++)
        if (strcmp(folder, system_folders[i]) == 0)
            return TRUE;
    return FALSE;
}

const char *plan_project_refusal(const char *folder, const char *home, char *const *private_paths)
{
    if (fs_is_below(home, folder))
        return "is or contains your whole home folder; make a folder for the project in it";
    if (is_system_folder(folder))
        return "is a system folder; make a folder for the project in it";
    for (gsize i = 0; i < G_N_ELEMENTS(system_trees); i++)
        if (fs_is_below(folder, system_trees[i]))
            return "lies in a system folder; move the project elsewhere";
    for (char *const *hidden = private_paths; hidden && *hidden; hidden++)
        if (plan_overlaps(folder, *hidden))
            return "holds files of Litterbox or Podman, or the sockets of your desktop session, or "
                   "lies among them; choose another folder";
    return NULL;
}
