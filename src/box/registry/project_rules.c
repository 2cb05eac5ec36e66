#include "box/registry/project_rules.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "plan/plan.h"

/* How deep other projects are looked for (~/src/github.com/owner/project), and in how many folders.
 */
#define SEARCH_DEPTH 3
#define SEARCH_FOLDERS 4000

static char *real_home(void)
{
    char *real = realpath(paths_home(), NULL);
    char *home = g_strdup(real ? real : paths_home());
    free(real);
    return home;
}

const char *project_never(const char *folder)
{
    g_autofree char *home = real_home();
    g_auto(GStrv) hidden = plan_private_paths();
    return plan_project_refusal(folder, home, hidden);
}

gboolean project_is_beyond(const char *folder)
{
    static char *home;
    if (!home)
        home = real_home();
    return plan_project_refusal(folder, home, NULL) != NULL;
}

char *project_nearest_that(const char *start, gboolean (*is_one)(const char *folder))
{
    g_autofree char *at = g_strdup(start);
    while (!project_is_beyond(at)) {
        if (is_one(at))
            return g_steal_pointer(&at);
        char *parent = g_path_get_dirname(at);
        g_free(at);
        at = parent;
    }
    return NULL;
}

gboolean project_is_marked(const char *folder)
{
    struct stat st;
    g_autofree char *toml = g_build_filename(folder, "litterbox.toml", NULL);
    g_autofree char *git = g_build_filename(folder, ".git", NULL);
    return (lstat(toml, &st) == 0 && !S_ISDIR(st.st_mode) && !fs_is_foreign(&st)) ||
           (lstat(git, &st) == 0 && !fs_is_foreign(&st));
}

/* The hidden folder of the home in which FOLDER lies, as ".ssh"; a new string. NULL: in none. */
static char *hidden_folder(const char *folder)
{
    g_autofree char *home = real_home();
    const char *below = fs_is_below(folder, home) ? folder + strlen(home) : "";
    return strncmp(below, "/.", 2) == 0 ? g_strndup(below + 1, strcspn(below + 1, "/")) : NULL;
}

static gboolean is_own(const char *folder)
{
    struct stat st;
    return stat(folder, &st) == 0 && st.st_uid == getuid();
}

static char *registered_below(const char *folder)
{
    g_auto(GStrv) projects = registry_projects();
    for (char **project = projects; *project; project++)
        if (strcmp(*project, folder) != 0 && fs_is_below(*project, folder))
            return g_strdup(*project);
    return NULL;
}

/* The first marked folder below FOLDER, at most DEPTH deep; LEFT counts folders. A new string. */
static char *marked_below(const char *folder, int depth, int *left)
{
    DIR *entries = depth > 0 ? opendir(folder) : NULL;
    char *found = NULL;
    for (const struct dirent *entry; entries && !found && (entry = readdir(entries));) {
        struct stat st;
        g_autofree char *path = g_build_filename(folder, entry->d_name, NULL);
        gboolean is_other = entry->d_name[0] != '.' &&
                            (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
                            lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (!is_other || (*left)-- <= 0)
            continue;
        found =
            project_is_marked(path) ? g_steal_pointer(&path) : marked_below(path, depth - 1, left);
    }
    if (entries)
        closedir(entries);
    return found;
}

char *project_doubt(const char *folder)
{
    int left = SEARCH_FOLDERS;
    g_autofree char *hidden = hidden_folder(folder);
    if (hidden) {
        g_autofree char *safe = text_safe(hidden, -1);
        return g_strdup_printf("lies in '%s', where programs keep settings and keys", safe);
    }
    if (!is_own(folder))
        return g_strdup("belongs to another user");
    g_autofree char *other = registered_below(folder);
    if (!other && !project_is_marked(folder))
        other = marked_below(folder, SEARCH_DEPTH, &left);
    g_autofree char *safe = other ? text_safe(other, -1) : NULL;
    return safe ? g_strdup_printf("holds other projects, as '%s'", safe) : NULL;
}
