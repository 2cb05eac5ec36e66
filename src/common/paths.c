#include "common/paths.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build-config.h"
#include "common/error.h"

#define APP "litterbox"
#define INSTANCE_MAX 24

const char *paths_instance(void)
{
    const char *instance = g_getenv("LITTERBOX_INSTANCE");
    return instance ? instance : "";
}

gboolean paths_check_instance(GError **error)
{
    const char *instance = paths_instance();
    gsize length = strlen(instance);
    if (length <= INSTANCE_MAX &&
        strspn(instance, "abcdefghijklmnopqrstuvwxyz0123456789-") == length)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "LITTERBOX_INSTANCE must be at most %d letters a-z, digits and '-'", INSTANCE_MAX);
    return FALSE;
}

static char *below(const char *base, const char *tail)
{
    const char *instance = paths_instance();
    g_autofree char *app = g_strconcat(APP, *instance ? "-" : "", instance, NULL);
    return tail ? g_build_filename(base, app, tail, NULL) : g_build_filename(base, app, NULL);
}

char *paths_container(const char *box)
{
    const char *instance = paths_instance();
    return *instance ? g_strjoin(".", APP, instance, box, NULL) : g_strjoin("-", APP, box, NULL);
}

char *paths_former_container(const char *container, const char *instance)
{
    g_autofree char *prefix = g_strjoin(".", APP, instance, "", NULL);
    return *instance && g_str_has_prefix(container, prefix)
               ? g_strjoin("-", APP, instance, container + strlen(prefix), NULL)
               : NULL;
}

char *paths_config(const char *tail)
{
    return below(g_get_user_config_dir(), tail);
}

char *paths_data(const char *tail)
{
    return below(g_get_user_data_dir(), tail);
}

char *paths_state(const char *tail)
{
    return below(g_get_user_state_dir(), tail);
}

char *paths_users_runtime(GError **error)
{
    const char *base = g_getenv("XDG_RUNTIME_DIR");
    g_autofree char *fallback = g_strdup_printf("/run/user/%d", (int)getuid());
    struct stat st;

    if (!base || !g_path_is_absolute(base))
        base = fallback;
    /* Whoever may write there could replace our sockets. */
    if (stat(base, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != getuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH))) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "no runtime folder of your own: set XDG_RUNTIME_DIR to a folder that you own "
                    "and nobody else can write (a login session does; tried '%s')",
                    base);
        return NULL;
    }
    return g_strdup(base);
}

char *paths_runtime(const char *tail, GError **error)
{
    g_autofree char *base = paths_users_runtime(error);
    return base ? below(base, tail) : NULL;
}

/* The prefix that the running program is installed in: /a for /a/bin/box and for
 * /a/libexec/litterbox/litterbox-keys, or the folder that was configured for these. NULL if /proc
 * cannot be read. */
static char *running_prefix(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    if (!self)
        return NULL;
    g_autofree char *bin = g_path_get_dirname(self);
    if (strcmp(bin, BOX_LIBEXECDIR) == 0)
        return g_strdup(BOX_PREFIX);
    g_autofree char *above = g_path_get_dirname(bin);
    return g_str_has_suffix(bin, "/libexec/" APP) ? g_path_get_dirname(above)
                                                  : g_steal_pointer(&above);
}

static char *installed(const char *relative, const char *built_in, const char *tail)
{
    g_autofree char *prefix = running_prefix();
    if (prefix) {
        g_autofree char *beside = g_build_filename(prefix, relative, APP, NULL);
        if (g_file_test(beside, G_FILE_TEST_IS_DIR))
            return tail ? g_build_filename(beside, tail, NULL) : g_steal_pointer(&beside);
    }
    return tail ? g_build_filename(built_in, tail, NULL) : g_strdup(built_in);
}

char *paths_libexec(const char *tail)
{
    return installed("libexec", BOX_LIBEXECDIR, tail);
}

char *paths_program(const char *name)
{
    g_autofree char *prefix = running_prefix();
    g_autofree char *beside = prefix ? g_build_filename(prefix, "bin", name, NULL) : NULL;
    return beside && access(beside, X_OK) == 0 ? g_steal_pointer(&beside)
                                               : g_build_filename(BOX_BINDIR, name, NULL);
}

char *paths_share(const char *tail)
{
    return installed("share", BOX_SHAREDIR, tail);
}

const char *paths_home(void)
{
    return g_get_home_dir();
}

char *paths_expand(const char *path)
{
    return *path == '~' ? g_strconcat(paths_home(), path + 1, NULL) : g_strdup(path);
}
