/* What stands at the paths that the settings name. */
#include "plan/look.h"

#include <errno.h>
#include <string.h>

#include <sys/stat.h>

#include "common/links.h"
#include "plan/draft.h"

static plan_kind kind_of(const struct stat *st)
{
    if (S_ISREG(st->st_mode))
        return PLAN_FILE;
    if (S_ISDIR(st->st_mode))
        return PLAN_FOLDER;
    return S_ISLNK(st->st_mode) ? PLAN_LINK : PLAN_OTHER;
}

static plan_kind look_at(plan_facts *self, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0) {
        /* What cannot be looked at is not known to be missing. */
        if (errno != ENOENT && errno != ENOTDIR)
            plan_facts_add(self, path, PLAN_OTHER, NULL);
        return PLAN_MISSING;
    }
    plan_facts_add(self, path, kind_of(&st), NULL)->hard_links = st.st_nlink;
    return kind_of(&st);
}

void plan_look_below(plan_facts *self, const char *folder, const char *relative)
{
    g_autofree char *clean = plan_clean_relative(relative);
    g_autofree char *whole = clean ? g_build_filename(folder, clean, NULL) : NULL;
    plan_kind kind = PLAN_FOLDER;

    for (char *slash = clean; slash && (slash = strchr(slash, '/')) && kind == PLAN_FOLDER;
         slash++) {
        *slash = '\0';
        g_autofree char *way = g_build_filename(folder, clean, NULL);
        kind = look_at(self, way);
        *slash = '/';
    }
    if (whole && kind == PLAN_FOLDER)
        look_at(self, whole);
    else if (whole && kind == PLAN_LINK)
        plan_facts_add(self, whole, PLAN_LINK, NULL);
}

static void look_list(plan_facts *self, const char *project, char **list)
{
    for (char **path = list; path && *path; path++)
        plan_look_below(self, project, *path);
}

static void look_source(plan_facts *self, const char *source)
{
    g_autofree char *path = plan_expand(self, source);
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    struct stat st;

    if (!path)
        return;
    g_autofree char *real = links_resolve(path, via);
    if (!real || lstat(real, &st) < 0)
        return;
    plan_path *added = plan_facts_add(self, path, kind_of(&st), real);
    added->hard_links = st.st_nlink;
    g_ptr_array_add(via, NULL);
    added->via = (char **)g_ptr_array_free(g_steal_pointer(&via), FALSE);
}

static void look_mounts(plan_facts *self, const GPtrArray *mounts)
{
    for (guint i = 0; mounts && i < mounts->len; i++)
        look_source(self, ((const settings_mount *)mounts->pdata[i])->source);
}

void plan_look_paths(plan_facts *self, const plan_box *box, const settings *wanted)
{
    static char *always[] = {"litterbox.toml", NULL};

    look_mounts(self, wanted->mounts);
    look_mounts(self, wanted->home.share);
    /* After the sources: of a path in both the project's view, links not followed, counts. */
    look_list(self, box->project, always);
    look_list(self, box->project, wanted->protect.paths);
    look_list(self, box->project, wanted->protect.extra);
    look_list(self, box->project, wanted->project.hidden);
    look_list(self, box->project, wanted->project.writable);
    look_list(self, box->project, (char **)box->only);
}
