/* What stands at the devices that the settings name. */
#include "plan/look.h"

#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "plan/draft.h"

static plan_kind kind_of(const char *path, const struct stat *st)
{
    char *real = realpath(path, NULL);
    /* A link may lead to another device at the next start. */
    gboolean direct = real && strcmp(real, path) == 0;

    free(real);
    if (!direct)
        return PLAN_LINK;
    return S_ISCHR(st->st_mode) ? PLAN_CHARACTER : S_ISBLK(st->st_mode) ? PLAN_BLOCK : PLAN_OTHER;
}

static void look_at(plan_facts *self, const char *device)
{
    g_autofree char *path = g_strndup(device, strcspn(device, ":"));
    struct stat st;

    /* The rest are names of the container device interface. */
    if (path[0] != '/' || lstat(path, &st) < 0)
        return;
    plan_path *added = plan_facts_add(self, path, kind_of(path, &st), NULL);
    added->major = major(st.st_rdev);
    added->minor = minor(st.st_rdev);
}

void plan_look_devices(plan_facts *self, const settings *wanted)
{
    for (char **device = wanted->devices; device && *device; device++)
        look_at(self, *device);
    if (wanted->network.tun)
        look_at(self, PLAN_TUN);
}
