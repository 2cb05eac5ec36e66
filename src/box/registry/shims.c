#include "box/registry/shims.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/stat.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

#define PROGRAM "box"
/* Used when PATH is not set. */
#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

static char *original_path; /* shims_remove_from_path() */

char *shims_folder(void)
{
    return paths_data("shims");
}

static char *shim_path(const char *name)
{
    g_autofree char *tail = g_build_filename("shims", name, NULL);
    return paths_data(tail);
}

/* TRUE for a link to a program called box; only Litterbox makes such links in the folder. */
static gboolean is_shim(const char *path)
{
    g_autofree char *target = g_file_read_link(path, NULL);
    g_autofree char *program = target ? g_path_get_basename(target) : NULL;
    return g_strcmp0(program, PROGRAM) == 0;
}

const char *shims_called_name(void)
{
    const char *called = (const char *)getauxval(AT_EXECFN);
    const char *name = called ? strrchr(called, '/') : NULL;
    name = name ? name + 1 : called;
    if (!name || strcmp(name, PROGRAM) == 0)
        return NULL;
    g_autofree char *folder = g_path_get_dirname(called);
    /* Those of another instance of Litterbox are shims, too. */
    if (g_str_has_suffix(folder, "/shims"))
        return name;
    g_autofree char *path = shim_path(name);
    return is_shim(path) ? name : NULL;
}

static gboolean is_same(const char *path, const struct stat *as)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == as->st_dev && st.st_ino == as->st_ino;
}

/* PATH without the shims' folder, however its entry is spelled. A new string. */
static char *path_without(const char *path)
{
    struct stat shims;
    g_autofree char *folder = shims_folder();
    g_auto(GStrv) entries = g_strsplit(path, ":", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    gboolean exists = stat(folder, &shims) == 0;
    for (char **entry = entries; *entry; entry++) {
        gboolean same_name = strcmp(*entry, folder) == 0;
        if (!same_name && !(exists && **entry && is_same(*entry, &shims)))
            g_ptr_array_add(kept, *entry);
    }
    g_ptr_array_add(kept, NULL);
    return g_strjoinv(":", (char **)kept->pdata);
}

void shims_remove_from_path(void)
{
    const char *path = g_getenv("PATH");
    /* The common case costs one comparison and no system call. */
    if (!path || original_path || !strstr(path, "shims"))
        return;
    original_path = g_strdup(path);
    g_autofree char *without = path_without(path);
    g_setenv("PATH", without, TRUE);
}

/* PATH as it was before that. */
static const char *shims_path(void)
{
    const char *now = g_getenv("PATH");
    return original_path ? original_path : now ? now : PATH_DEFAULT;
}

void shims_restore_path(void)
{
    if (original_path)
        g_setenv("PATH", original_path, TRUE);
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

char **shims_names(void)
{
    g_autofree char *folder = shims_folder();
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    for (const char *name; entries && (name = g_dir_read_name(entries));) {
        g_autofree char *path = shim_path(name);
        if (shims_check_name(name, NULL) && is_shim(path))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, text_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

gboolean shims_is_stale(const char *name)
{
    g_autofree char *path = shim_path(name);
    return is_shim(path) && access(path, X_OK) < 0;
}

static gboolean refuse(GError **error, const char *path, const char *why)
{
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s': %s", safe, why);
    return FALSE;
}

/* Replaces a shim of a Litterbox that was moved. */
static gboolean make_link(const char *name, const char *program, GError **error)
{
    g_autofree char *path = shim_path(name);
    g_autofree char *temporary = g_strdup_printf("%s.%d", path, (int)getpid());
    if (symlink(program, path) == 0)
        return TRUE;
    if (errno != EEXIST)
        return refuse(error, path, g_strerror(errno));
    if (!is_shim(path)) {
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "'%s' exists and is not a shim of Litterbox; move it away and try again", safe);
        return FALSE;
    }
    if (symlink(program, temporary) == 0 && rename(temporary, path) == 0)
        return TRUE;
    int saved = errno;
    unlink(temporary);
    return refuse(error, path, g_strerror(saved));
}

char *shims_not_found_hint(const char *name)
{
    return g_strdup_printf("install it there ('box enter' opens a shell); '%s" SHIMS_RAW
                           "' is the one of this machine",
                           name);
}

char *shims_own_program(GError **error)
{
    g_autofree char *program = paths_program(PROGRAM);
    if (access(program, X_OK) == 0)
        return g_steal_pointer(&program);
    g_autofree char *safe = text_safe(program, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s' has been replaced or renamed; try again",
                safe);
    return NULL;
}

gboolean shims_add(const char *name, GError **error)
{
    g_autofree char *folder = shims_folder();
    g_autofree char *raw = g_strconcat(name, SHIMS_RAW, NULL);
    g_autofree char *program = shims_own_program(error);
    g_autofree char *whole = paths_libexec(PROGRAM);
    if (!program)
        return FALSE;
    if (strchr(folder, ':'))
        return refuse(error, folder, "PATH cannot contain a folder with ':' in its path");
    /* The "-raw" link first: if this process is killed in between, the program is not hidden. */
    return fs_make_folder(folder, 0700, error) && make_link(raw, whole, error) &&
           make_link(name, program, error);
}

/* Sets *REMOVED if there was such a link. Other files do not count. */
static gboolean remove_link(const char *name, gboolean *removed, GError **error)
{
    g_autofree char *path = shim_path(name);
    if (!is_shim(path))
        return TRUE;
    if (unlink(path) < 0 && errno != ENOENT)
        return refuse(error, path, g_strerror(errno));
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
                    "no shim '%s'; 'box shim list' lists all shims", safe);
    return removed;
}

static gboolean is_executable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* `box` and the whole program, which would call themselves through a user's link to a shim. */
typedef struct {
    struct stat files[3];
} own_programs;

static gboolean find_own_programs(own_programs *own)
{
    g_autofree char *launcher = paths_program(PROGRAM);
    g_autofree char *whole = paths_libexec(PROGRAM);
    *own = (own_programs){0};
    return stat("/proc/self/exe", &own->files[0]) == 0 &&
           (stat(launcher, &own->files[1]) == 0 || errno == ENOENT) &&
           (stat(whole, &own->files[2]) == 0 || errno == ENOENT);
}

static gboolean is_own_program(const char *path, const own_programs *own)
{
    struct stat st;
    gboolean is = FALSE;
    if (stat(path, &st) < 0)
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(own->files); i++)
        is |= st.st_dev == own->files[i].st_dev && st.st_ino == own->files[i].st_ino;
    return is;
}

/* The first program NAME in PATH that is not one of EXCEPT (may be NULL); a new string or NULL. */
static char *search_path(const char *path, const char *name, const own_programs *except)
{
    g_auto(GStrv) entries = g_strsplit(path, ":", -1);
    for (char **entry = entries; *entry; entry++) {
        g_autofree char *file = g_build_filename(**entry ? *entry : ".", name, NULL);
        if (is_executable(file) && !(except && is_own_program(file, except)))
            return g_steal_pointer(&file);
    }
    return NULL;
}

char *shims_program(const char *name)
{
    own_programs own;
    g_autofree char *path = path_without(g_getenv("PATH") ? g_getenv("PATH") : "");
    return find_own_programs(&own) ? search_path(path, name, &own) : NULL;
}

gboolean shims_is_found(const char *name)
{
    struct stat shims;
    g_autofree char *folder = shims_folder();
    g_autofree char *found = search_path(shims_path(), name, NULL);
    g_autofree char *parent = found ? g_path_get_dirname(found) : NULL;
    return parent && stat(folder, &shims) == 0 && is_same(parent, &shims);
}

#define SHIM_NAME_MAX 100
#define ALLOWED "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+@-"

/* Names that would harm the host, or that no shell would run. Separated by spaces. */
static const struct {
    const char *names, *why;
} refused[] = {
    {"box box-init litterbox", "is Litterbox itself"},
    {"alias bg bind break builtin caller case cd command compgen complete compopt continue coproc "
     "declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi "
     "for function getopts hash help history if in jobs kill let local logout mapfile popd printf "
     "pushd pwd read readarray readonly return select set shift shopt source suspend test then "
     "time "
     "times trap true type typeset ulimit umask unalias unset until wait while abbr and argparse "
     "begin count end math not or setopt string switch status unsetopt zle zstyle",
     "is built into shells, which do not search for it in PATH"},
    {"sh bash dash zsh fish ksh mksh tcsh csh busybox env",
     "runs scripts of the host, which would then run in boxes; use 'box enter' for a shell in a "
     "box"},
    {"sudo sudoedit su doas pkexec run0 login passwd",
     "asks for your password, which a box could record"},
    {"ssh ssh-add ssh-agent ssh-keygen ssh-copy-id scp sftp gpg gpg-agent gpgconf gpgsm pass",
     "works with your keys, which boxes do not have; for SSH, 'box keys attach' lets a box sign"},
    {"podman conmon crun runc newuidmap newgidmap pasta passt slirp4netns fuse-overlayfs catatonit "
     "netavark aardvark-dns nft iptables ip tar systemctl systemd-run debootstrap mmdebstrap",
     "is needed to create and start boxes"},
};

static const char *why_refused(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_auto(GStrv) names = g_strsplit(refused[i].names, " ", -1);
        if (g_strv_contains((const char *const *)names, name))
            return refused[i].why;
    }
    return NULL;
}

/* Why NAME is not well-formed, or NULL. */
static const char *why_malformed(const char *name)
{
    if (!*name)
        return "is empty";
    if (strchr(name, '/'))
        return "is a path; give only the name of the command";
    if (!g_ascii_isalnum(*name) && *name != '_')
        return "does not start with a letter, a digit or '_'";
    if (name[strspn(name, ALLOWED)] || strlen(name) > SHIM_NAME_MAX)
        return "has other characters than letters, digits and _ . + @ -, or more than 100";
    if (g_str_has_suffix(name, SHIMS_RAW))
        return "ends in '-raw', which is reserved for the links that bypass a shim";
    return NULL;
}

gboolean shims_check_name(const char *name, GError **error)
{
    const char *why = why_malformed(name);
    if (!why)
        why = why_refused(name);
    if (!why)
        return TRUE;
    g_autofree char *safe = text_safe(name, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "a shim cannot be called '%s': it %s", safe,
                why);
    return FALSE;
}
