#include "box/shims.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

#define PROGRAM "box"
/* What execve(2) looks for when there is no PATH at all is the C library's to choose. */
#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

static char *path_before; /* shims_leave_path() */

char *shims_folder(void)
{
    return paths_data("shims");
}

static char *place_of(const char *name)
{
    g_autofree char *tail = g_build_filename("shims", name, NULL);
    return paths_data(tail);
}

/* A link to a program called box: nobody else makes such links there. */
static gboolean is_ours(const char *path)
{
    g_autofree char *target = g_file_read_link(path, NULL);
    g_autofree char *program = target ? g_path_get_basename(target) : NULL;
    return g_strcmp0(program, PROGRAM) == 0;
}

const char *shims_called(void)
{
    const char *called = (const char *)getauxval(AT_EXECFN);
    const char *name = called ? strrchr(called, '/') : NULL;
    name = name ? name + 1 : called;
    if (!name || strcmp(name, PROGRAM) == 0)
        return NULL;
    g_autofree char *folder = g_path_get_dirname(called);
    g_autofree char *place = place_of(name);
    /* The folder by its name: an instance of another name has one, too. */
    return is_ours(place) || g_str_has_suffix(folder, "/shims") ? name : NULL;
}

static gboolean is_same(const char *path, const struct stat *as)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == as->st_dev && st.st_ino == as->st_ino;
}

/* PATH without the folder, which may be written in other ways. A new string. */
static char *path_without(const char *path)
{
    struct stat own;
    g_autofree char *folder = shims_folder();
    g_auto(GStrv) entries = g_strsplit(path, ":", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    gboolean there = stat(folder, &own) == 0;
    for (char **entry = entries; *entry; entry++) {
        gboolean named = strcmp(*entry, folder) == 0;
        if (!named && !(there && **entry && is_same(*entry, &own)))
            g_ptr_array_add(kept, *entry);
    }
    g_ptr_array_add(kept, NULL);
    return g_strjoinv(":", (char **)kept->pdata);
}

void shims_leave_path(void)
{
    const char *path = g_getenv("PATH");
    /* The common case costs one comparison and no look at any file. */
    if (!path || path_before || !strstr(path, "shims"))
        return;
    path_before = g_strdup(path);
    g_autofree char *without = path_without(path);
    g_setenv("PATH", without, TRUE);
}

const char *shims_path(void)
{
    const char *now = g_getenv("PATH");
    return path_before ? path_before : now ? now : PATH_DEFAULT;
}

gboolean shims_are_on_path(void)
{
    g_autofree char *without = path_without(shims_path());
    return strcmp(without, shims_path()) != 0;
}

char *shims_path_line(char **file)
{
    static const struct {
        const char *shell, *file;
    } shells[] = {
        {"bash", "~/.bashrc"}, {"zsh", "~/.zshrc"}, {"fish", "~/.config/fish/config.fish"}};
    const char *login = g_getenv("SHELL");
    g_autofree char *shell = g_path_get_basename(login ? login : "sh");
    g_autofree char *folder = shims_folder();
    *file = NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(shells); i++)
        if (strcmp(shells[i].shell, shell) == 0)
            *file = g_strdup(shells[i].file);
    if (!*file)
        *file = g_strdup("~/.profile");
    gboolean fish = strcmp(shell, "fish") == 0;
    g_autofree char *quoted = text_quote(folder, fish);
    return fish ? g_strconcat("fish_add_path --prepend --path ", quoted, NULL)
                : g_strconcat("export PATH=", quoted, ":\"$PATH\"", NULL);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **shims_names(void)
{
    g_autofree char *folder = shims_folder();
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    for (const char *name; entries && (name = g_dir_read_name(entries));) {
        g_autofree char *place = place_of(name);
        if (shims_check_name(name, NULL) && is_ours(place))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

gboolean shims_is_stale(const char *name)
{
    g_autofree char *place = place_of(name);
    return is_ours(place) && access(place, X_OK) < 0;
}

static gboolean refuse(GError **error, const char *path, const char *why)
{
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s': %s", safe, why);
    return FALSE;
}

/* A link that is ours and leads elsewhere, to a Litterbox that was moved, is replaced whole. */
static gboolean make_link(const char *name, const char *program, GError **error)
{
    g_autofree char *place = place_of(name);
    g_autofree char *temporary = g_strdup_printf("%s.%d", place, (int)getpid());
    if (symlink(program, place) == 0)
        return TRUE;
    if (errno != EEXIST)
        return refuse(error, place, g_strerror(errno));
    if (!is_ours(place)) {
        g_autofree char *safe = text_safe(place, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "'%s' is there and no shim of Litterbox's: it stays as it is; move it away",
                    safe);
        return FALSE;
    }
    if (symlink(program, temporary) == 0 && rename(temporary, place) == 0)
        return TRUE;
    int saved = errno;
    unlink(temporary);
    return refuse(error, place, g_strerror(saved));
}

char *shims_own_program(GError **error)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *name = program ? g_path_get_basename(program) : NULL;
    if (g_strcmp0(name, PROGRAM) == 0)
        return g_steal_pointer(&program);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the running 'box' has been replaced or renamed; try again");
    return NULL;
}

gboolean shims_add(const char *name, GError **error)
{
    g_autofree char *folder = shims_folder();
    g_autofree char *raw = g_strconcat(name, SHIMS_RAW, NULL);
    g_autofree char *program = shims_own_program(error);
    if (!program)
        return FALSE;
    if (strchr(folder, ':'))
        return refuse(error, folder, "a folder with ':' in its path cannot be on PATH");
    /* The way to the real program comes first: killed in between, nothing is hidden. */
    return fs_make_folder(folder, 0700, error) && make_link(raw, program, error) &&
           make_link(name, program, error);
}

/* *REMOVED when it was there. What is not ours is as good as not there. */
static gboolean remove_link(const char *name, gboolean *removed, GError **error)
{
    g_autofree char *place = place_of(name);
    if (!is_ours(place))
        return TRUE;
    if (unlink(place) < 0 && errno != ENOENT)
        return refuse(error, place, g_strerror(errno));
    *removed = TRUE;
    return TRUE;
}

gboolean shims_remove(const char *name, GError **error)
{
    gboolean removed = FALSE;
    g_autofree char *raw = g_strconcat(name, SHIMS_RAW, NULL);
    g_autofree char *safe = text_safe(name, -1);
    if (!shims_check_name(name, error) || !remove_link(name, &removed, error) ||
        !remove_link(raw, &removed, error))
        return FALSE;
    if (!removed)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "there is no shim '%s'; 'box shim list' shows them all", safe);
    return removed;
}

static gboolean is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* EXCEPT: the file that does not count; or NULL. */
static char *search(const char *path, const char *name, const struct stat *except)
{
    g_auto(GStrv) entries = g_strsplit(path, ":", -1);
    for (char **entry = entries; *entry; entry++) {
        g_autofree char *file = g_build_filename(**entry ? *entry : ".", name, NULL);
        if (is_program(file) && !(except && is_same(file, except)))
            return g_steal_pointer(&file);
    }
    return NULL;
}

char *shims_program(const char *name)
{
    struct stat own;
    g_autofree char *path = path_without(g_getenv("PATH") ? g_getenv("PATH") : "");
    /* By another way to the folder, or a link of the user's to a shim, it would run itself. */
    return stat("/proc/self/exe", &own) == 0 ? search(path, name, &own) : NULL;
}

gboolean shims_is_found(const char *name)
{
    struct stat own;
    g_autofree char *folder = shims_folder();
    g_autofree char *found = search(shims_path(), name, NULL);
    g_autofree char *in = found ? g_path_get_dirname(found) : NULL;
    return in && stat(folder, &own) == 0 && is_same(in, &own);
}
