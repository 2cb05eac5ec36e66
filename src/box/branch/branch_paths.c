#include "box/branch/branch_paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "box/inspect/project_scan.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/named_files.h"

gboolean branch_path_is_in(char *const *list, const char *path)
{
    for (; list && *list; list++) {
        gsize length = strlen(*list);
        while (length > 1 && (*list)[length - 1] == '/')
            length--;
        if (strcmp(*list, ".") == 0 || (length && strncmp(path, *list, length) == 0 &&
                                        (path[length] == '\0' || path[length] == '/')))
            return TRUE;
    }
    return FALSE;
}

static gboolean is_word(const char *text, gsize length, const char *word)
{
    return strlen(word) == length && g_ascii_strncasecmp(text, word, length) == 0;
}

/* What git obeys: a .git of any kind, and HEAD, without which no folder is a bare repository. */
static gboolean is_of_git(const char *path)
{
    for (const char *part = path; *part;) {
        gsize length = strcspn(part, "/");
        if (is_word(part, length, ".git") || is_word(part, length, "HEAD"))
            return TRUE;
        part += length;
        part += strspn(part, "/");
    }
    return FALSE;
}

gboolean branch_path_is_protected(const settings *wanted, const char *path)
{
    static char *always[] = {(char *)"litterbox.toml", NULL};
    g_autofree char *lower = g_ascii_strdown(path, -1);
    char *named[NAMED_FILES];
    named_files(wanted, named);
    return is_of_git(path) || branch_path_is_in(always, lower) || branch_path_is_in(named, path) ||
           branch_path_is_in(wanted->project.hidden, path) ||
           project_scan_is_watched(wanted, path) ||
           (strcmp(lower, path) != 0 && project_scan_is_watched(wanted, lower));
}

gboolean branch_path_has_controls(const char *path)
{
    const char *other = path;
    while (*other >= ' ' && *other <= '~')
        other++;
    if (!*other)
        return FALSE;
    g_autofree char *safe = text_safe_max(path, -1, PATH_MAX * 4);
    return strcmp(safe, path) != 0;
}

char *branch_path_fold(const char *name)
{
    gboolean is_wide = !g_str_is_ascii(name) && g_utf8_validate(name, -1, NULL);
    return is_wide ? g_utf8_casefold(name, -1) : g_ascii_strdown(name, -1);
}

/* Where the link at PATH leads by its TARGET alone, relative to PROJECT; a new string. NULL:
 * perhaps out of it. Only leading ".." are counted: after a name they may be those of a link's
 * target. */
static char *find_target(const char *project, const char *path, const char *target)
{
    g_autoptr(GPtrArray) at = g_ptr_array_new_with_free_func(g_free);
    gsize length = strlen(project);
    if (*target == '/') {
        if (strncmp(target, project, length) != 0 || target[length] != '/')
            return NULL;
        target += length + 1;
        path = "";
    }
    for (const char *slash; (slash = strchr(path, '/')); path = slash + 1)
        g_ptr_array_add(at, g_strndup(path, (gsize)(slash - path)));
    g_auto(GStrv) parts = g_strsplit(target, "/", -1);
    gboolean has_name = FALSE;
    for (char **part = parts; *part; part++) {
        gboolean is_up = strcmp(*part, "..") == 0;
        if (is_up && (has_name || !at->len))
            return NULL;
        if (is_up)
            g_ptr_array_remove_index(at, at->len - 1);
        else if (**part && strcmp(*part, ".") != 0) {
            has_name = TRUE;
            g_ptr_array_add(at, g_strdup(*part));
        }
    }
    g_ptr_array_add(at, NULL);
    return !*target ? NULL : at->pdata[0] ? g_strjoinv("/", (char **)at->pdata) : g_strdup(".");
}

gboolean branch_link_stays(int folder, const char *project, const char *path, const char *target)
{
    g_autofree char *to = find_target(project, path, target);
    return to && !fs_leads_out(folder, to);
}

char **branch_paths_of(const char *project, char *const *words, GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    gsize length = strlen(project);
    for (; words && *words; words++) {
        g_autofree char *whole = g_canonicalize_filename(*words, project);
        if (!**words || !fs_is_below(whole, project)) {
            g_autofree char *safe = text_safe(*words, -1);
            g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                        "'%s' is not in the project: name paths relative to it", safe);
            return NULL;
        }
        g_ptr_array_add(paths, g_strdup(whole[length] ? whole + length + 1 : "."));
    }
    return text_list(g_steal_pointer(&paths));
}

/* Names in lower case. */
struct branch_twins {
    GHashTable *there; /* -> how many there are, with the host's */
    GHashTable *gone;  /* that the host has, and not the branch; a set */
    gboolean has_any;  /* of two names in THERE, or of one in GONE */
};

gboolean branch_twins_is_in(const GPtrArray *sorted, const char *name)
{
    return sorted->len && bsearch(&name, sorted->pdata, sorted->len, sizeof name, text_compare);
}

static void count_name(branch_twins *self, const char *name, gboolean is_gone)
{
    char *key = branch_path_fold(name);
    gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(self->there, key)) + 1;
    self->has_any |= is_gone || count > 1;
    if (is_gone)
        g_hash_table_add(self->gone, key);
    else
        g_hash_table_replace(self->there, key, GSIZE_TO_POINTER(count));
}

branch_twins *branch_twins_find(const GPtrArray *names, const GPtrArray *gone,
                                const GPtrArray *of_host, gboolean hides)
{
    branch_twins *self = g_new0(branch_twins, 1);
    self->there = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->gone = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < names->len; i++) {
        gboolean is_gone = branch_twins_is_in(gone, names->pdata[i]);
        if (!is_gone || (of_host && branch_twins_is_in(of_host, names->pdata[i])))
            count_name(self, names->pdata[i], is_gone);
    }
    for (guint i = 0; of_host && i < of_host->len; i++)
        if (!branch_twins_is_in(names, of_host->pdata[i]))
            count_name(self, of_host->pdata[i], hides);
    return self;
}

void branch_twins_free(branch_twins *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->there);
    g_hash_table_unref(self->gone);
    g_free(self);
}

gboolean branch_twins_has(const branch_twins *self, const char *name, gboolean *goes)
{
    *goes = FALSE;
    if (!self->has_any)
        return FALSE;
    g_autofree char *key = branch_path_fold(name);
    *goes = g_hash_table_contains(self->gone, key);
    return GPOINTER_TO_SIZE(g_hash_table_lookup(self->there, key)) > 1;
}
