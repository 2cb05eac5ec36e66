/*
 * Folders of the host that a box sees because of one switch: the user's toolchains
 * (home.share_toolchains), and fonts, icons, cursors and themes (desktop.appearance).
 *
 * A box that can write near one of them could replace it by a symbolic link to any folder. So a
 * toolchain's folder may be a link (sdkman's "current") only to a folder of the same tool, and a
 * link to the user's fonts and themes counts only when its target is one that no box can write and
 * that holds no secrets.
 */
#include "plan/facts.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "common/fs.h"

/* Whole folders such as ~/.cargo or ~/.nvm hold more than tools, so each row names the narrowest
 * folder that works. An empty file covers each file in which a tool may keep credentials. */
typedef struct {
    const char *folder;  /* glob below the home; each match is a toolchain */
    const char *bin;     /* folder for PATH below a match; "" is the match itself; NULL: none */
    const char *secrets; /* globs below a match, separated by spaces; or NULL */
} toolchain_row;

/* Files with credentials that people and tools create at the top of any folder. */
static const char secrets_anywhere[] =
    ".env .git-credentials .netrc .npmrc .pypirc .token .yarnrc.yml _netrc auth.json auth.toml "
    "credentials credentials.json credentials.toml npmrc pip.conf *.token";

static const toolchain_row toolchain_rows[] = {
    {".local/bin", "", NULL},
    {".local/pipx/venvs", NULL, "*/pip.conf */pipx_metadata.json"},
    {".local/share/pipx/venvs", NULL, "*/pip.conf */pipx_metadata.json"},
    {".local/share/uv/python", NULL, "*/pip.conf"},
    {".local/share/uv/tools", NULL, "*/pip.conf */uv-receipt.toml"},
    {".local/share/claude/versions", NULL, NULL},
    {".cargo/bin", "", NULL},
    {".rustup", NULL, NULL},
    {"go/bin", "", NULL},
    {"sdk/go*", "bin", NULL},
    {".nvm/versions/node/*", "bin", "etc/npmrc lib/node_modules/npm/npmrc"},
    {".volta/bin", "", NULL},
    {".volta/tools", NULL, "image/node/*/etc/npmrc"},
    {".bun/bin", "", NULL},
    {".deno/bin", "", NULL},
    {".local/share/pnpm", "", "rc"},
    {".asdf/shims", "", NULL},
    {".asdf/bin", "", NULL},
    {".asdf/lib", NULL, NULL},
    {".asdf/plugins", NULL, "*/.git/config"},
    {".asdf/installs", NULL, "*/*/etc/npmrc"},
    {".local/share/mise/shims", "", NULL},
    {".local/share/mise/installs", NULL, "*/*/etc/npmrc"},
    {".pyenv/shims", "", NULL},
    {".pyenv/bin", "", NULL},
    {".pyenv/libexec", NULL, NULL},
    {".pyenv/versions", NULL, "*/pip.conf */envs/*/pip.conf"},
    {".pyenv/version", NULL, NULL},
    {".rbenv/shims", "", NULL},
    {".rbenv/bin", "", NULL},
    {".rbenv/libexec", NULL, NULL},
    {".rbenv/versions", NULL, NULL},
    {".rbenv/version", NULL, NULL},
    {".sdkman/candidates/*/current", "bin", "conf/settings.xml"},
    {".ghcup/bin", "", NULL},
    {".ghcup/ghc", NULL, NULL},
    {".cabal/bin", "", NULL},
    {".elan", "bin", NULL},
    {".juliaup/bin", "", NULL},
    {".dotnet/tools", "", NULL},
    {".foundry/bin", "", NULL},
};

static char **find_matches(const char *pattern)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    glob_t found = {0};

    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (gsize i = 0; i < found.gl_pathc; i++)
            g_ptr_array_add(list, g_strdup(found.gl_pathv[i]));
    globfree(&found);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&list), FALSE);
}

/* Newest version first, because PATH uses the first one. */
static int compare_versions(gconstpointer a, gconstpointer b)
{
    return strverscmp(*(const char *const *)b, *(const char *const *)a);
}

static char *escape_glob(const char *path)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (; *path; path++) {
        if (strchr("*?[\\", *path))
            g_string_append_c(text, '\\');
        g_string_append_c(text, *path);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The folder in the home that only PATH's tool uses: "~/.cargo", "~/.local/share/uv". */
static char *tool_folder(const char *home, const char *path)
{
    const char *inside = path + strlen(home) + 1;
    int levels = g_str_has_prefix(inside, ".local/share/") ? 3
                 : g_str_has_prefix(inside, ".local/")     ? 2
                                                           : 1;
    const char *end = inside + strcspn(inside, "/");

    for (; levels > 1 && *end; levels--)
        end += 1 + strcspn(end + 1, "/");
    return g_strndup(path, end - path);
}

/* The real path of FOLDER; NULL when it lies outside of its tool's folder. */
static char *real_folder(const plan_facts *self, const char *folder)
{
    g_autofree char *tool = tool_folder(self->home, folder);
    char *found = realpath(folder, NULL);
    char *real = found && fs_is_below(found, tool) ? g_strdup(found) : NULL;

    free(found);
    return real;
}

/* Adds the files in TOOLCHAIN that match PATTERN. A symbolic link's target is added instead of the
 * link, if it lies in TOOLCHAIN, because nothing can be mounted on a link. */
static void add_secrets(GPtrArray *secrets, const plan_toolchain *toolchain, const char *pattern)
{
    g_autofree char *escaped = escape_glob(toolchain->real);
    g_autofree char *whole = g_build_filename(escaped, pattern, NULL);
    g_auto(GStrv) found = find_matches(whole);

    for (char **match = found; *match; match++) {
        char *real = realpath(*match, NULL);
        if (real && fs_is_below(real, toolchain->real) &&
            g_file_test(real, G_FILE_TEST_IS_REGULAR)) {
            char *inside = g_strconcat(toolchain->folder, real + strlen(toolchain->real), NULL);
            if (g_ptr_array_find_with_equal_func(secrets, inside, g_str_equal, NULL))
                g_free(inside);
            else
                g_ptr_array_add(secrets, inside);
        }
        free(real);
    }
}

static char **find_secrets(const plan_toolchain *toolchain, const char *patterns)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    g_autofree char *all = g_strconcat(secrets_anywhere, patterns ? " " : "", patterns, NULL);
    g_auto(GStrv) each = g_strsplit(all, " ", -1);

    for (char **pattern = each; *pattern; pattern++)
        add_secrets(list, toolchain, *pattern);
    /* The order decides the plan's hash. */
    g_ptr_array_sort(list, compare_versions);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&list), FALSE);
}

static void add_toolchain(plan_facts *self, const toolchain_row *row, const char *folder)
{
    char *real = real_folder(self, folder);
    g_autofree char *bin = row->bin && row->bin[0] ? g_build_filename(folder, row->bin, NULL)
                                                   : g_strdup(row->bin ? folder : NULL);
    plan_toolchain *added = plan_facts_add_toolchain(self, folder, real ? bin : NULL);

    g_free(added->real);
    added->real = real;
    if (real && g_file_test(real, G_FILE_TEST_IS_DIR))
        added->secrets = find_secrets(added, row->secrets);
}

void plan_probe_toolchains(plan_facts *self)
{
    g_autofree char *home = escape_glob(self->home);

    for (gsize i = 0; i < G_N_ELEMENTS(toolchain_rows); i++) {
        g_autofree char *pattern = g_build_filename(home, toolchain_rows[i].folder, NULL);
        g_auto(GStrv) found = find_matches(pattern);
        guint count = g_strv_length(found);
        qsort(found, count, sizeof *found, compare_versions);
        for (guint j = 0; j < count; j++)
            if (g_file_test(found[j], G_FILE_TEST_IS_DIR | G_FILE_TEST_IS_REGULAR))
                add_toolchain(self, &toolchain_rows[i], found[j]);
    }
}

typedef enum { OF_DATA, OF_CONFIG, OF_HOME, OF_SYSTEM } theme_base;

static const struct {
    theme_base base;
    const char *path; /* below the base */
    const char *name; /* below PLAN_SHARE */
} theme_folders[] = {
    {OF_DATA, "fonts", "user/fonts"},
    {OF_DATA, "icons", "user/icons"},
    {OF_DATA, "themes", "user/themes"},
    {OF_HOME, ".fonts", "old/fonts"},
    {OF_HOME, ".icons", "old/icons"},
    {OF_HOME, ".themes", "old/themes"},
    {OF_CONFIG, "fontconfig", "fontconfig"},
    /* Only for boxes on an image: a box on the host image has /usr itself. */
    {OF_SYSTEM, "usr/local/share/fonts", "local/fonts"},
    {OF_SYSTEM, "usr/local/share/icons", "local/icons"},
    {OF_SYSTEM, "usr/local/share/themes", "local/themes"},
    {OF_SYSTEM, "usr/share/fonts", "host/fonts"},
    {OF_SYSTEM, "usr/share/icons", "host/icons"},
    {OF_SYSTEM, "usr/share/themes", "host/themes"},
};

/* TRUE when only a package manager or an administrator can write PATH. */
static gboolean is_system_path(const char *path)
{
    return fs_is_below(path, "/usr") || fs_is_below(path, "/nix/store");
}

static const char *base_path(const plan_facts *self, theme_base base)
{
    switch (base) {
    case OF_DATA:
        return g_get_user_data_dir();
    case OF_CONFIG:
        return g_get_user_config_dir();
    case OF_HOME:
        return self->home;
    case OF_SYSTEM:
        break;
    }
    return "/";
}

static void add_theme_folder(plan_facts *self, const char *path, theme_base base, const char *name)
{
    g_autoptr(GPtrArray) links = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve(path, links);

    if (!real || !g_file_test(real, G_FILE_TEST_IS_DIR))
        return;
    /* Only the administrator can make a link of a system folder, such as /usr/local. */
    gboolean linked = links->len > 0 && base != OF_SYSTEM && !is_system_path(real);
    plan_facts_add_theme_folder(self, linked ? path : real, name, linked);
}

/* PATH with the user's home replaced by its real path. Only the administrator can make links above
 * the home. */
static char *in_real_home(const plan_facts *self, const char *path)
{
    const char *home = g_get_home_dir();

    return fs_is_below(path, home) ? g_strconcat(self->home, path + strlen(home), NULL)
                                   : g_strdup(path);
}

void plan_probe_appearance(plan_facts *self, const plan_box *box)
{
    self->appearance = appearance_read_host();
    for (gsize i = 0; i < G_N_ELEMENTS(theme_folders); i++) {
        theme_base base = theme_folders[i].base;
        if (base == OF_SYSTEM && !box->image)
            continue;
        g_autofree char *path =
            g_build_filename(base_path(self, base), theme_folders[i].path, NULL);
        g_autofree char *real = in_real_home(self, path);
        add_theme_folder(self, real, base, theme_folders[i].name);
    }
}
