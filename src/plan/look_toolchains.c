/*
 * The user-level toolchains that home.share_toolchains shows.
 *
 * Each row names the narrowest folder that works, and the files in it in which a tool keeps
 * credentials: those are covered with an empty file. Whole folders such as ~/.cargo or ~/.nvm hold
 * more than tools, so only parts of them are listed.
 *
 * A row's folder may be a link (sdkman's "current"), but only to a place of the same tool: a box
 * that may write near it could have made it a link to anything.
 */
#include "plan/look.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "plan/draft.h"

typedef struct {
    const char *folder;  /* glob below the home; every match counts */
    const char *bin;     /* below a match; "" is the match itself; NULL: nothing for PATH */
    const char *secrets; /* globs below a match, a space between them, or NULL */
} toolchain;

/* What people and tools leave at the top of any folder. */
static const char secrets_anywhere[] =
    ".env .git-credentials .netrc .npmrc .pypirc .token .yarnrc.yml _netrc auth.json auth.toml "
    "credentials credentials.json credentials.toml npmrc pip.conf *.token";

static const toolchain rows[] = {
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

static char **find(const char *pattern)
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

/* Versions one after the other, newest first: PATH takes the first. */
static int compare(gconstpointer a, gconstpointer b)
{
    return strverscmp(*(const char *const *)b, *(const char *const *)a);
}

static char *escape(const char *path)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (; *path; path++) {
        if (strchr("*?[\\", *path))
            g_string_append_c(text, '\\');
        g_string_append_c(text, *path);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The folder in the home that belongs to PATH's tool alone: "~/.cargo", "~/.local/share/uv". */
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

/* What FOLDER leads to, or NULL when that is none of its tool's. */
static char *real_folder(const plan_facts *self, const char *folder)
{
    g_autofree char *tool = tool_folder(self->home, folder);
    char *found = realpath(folder, NULL);
    char *real = found && plan_is_below(found, tool) ? g_strdup(found) : NULL;

    free(found);
    return real;
}

/*
 * The files below OF that match PATTERN, to be covered. A link is not mounted over: what it leads
 * to is, where the box has it.
 */
static void add_secrets(GPtrArray *to, const plan_toolchain *of, const char *pattern)
{
    g_autofree char *safe = escape(of->real);
    g_autofree char *whole = g_build_filename(safe, pattern, NULL);
    g_auto(GStrv) found = find(whole);

    for (char **match = found; *match; match++) {
        char *real = realpath(*match, NULL);
        if (real && plan_is_below(real, of->real) && g_file_test(real, G_FILE_TEST_IS_REGULAR)) {
            char *inside = g_strconcat(of->folder, real + strlen(of->real), NULL);
            if (g_ptr_array_find_with_equal_func(to, inside, g_str_equal, NULL))
                g_free(inside);
            else
                g_ptr_array_add(to, inside);
        }
        free(real);
    }
}

static char **find_secrets(const plan_toolchain *of, const char *patterns)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    g_autofree char *all = g_strconcat(secrets_anywhere, patterns ? " " : "", patterns, NULL);
    g_auto(GStrv) each = g_strsplit(all, " ", -1);

    for (char **pattern = each; *pattern; pattern++)
        add_secrets(list, of, *pattern);
    /* Their order decides the plan's hash. */
    g_ptr_array_sort(list, compare);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&list), FALSE);
}

static void add(plan_facts *self, const toolchain *row, const char *folder)
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

void plan_look_toolchains(plan_facts *self)
{
    g_autofree char *home = escape(self->home);

    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *pattern = g_build_filename(home, rows[i].folder, NULL);
        g_auto(GStrv) found = find(pattern);
        guint count = g_strv_length(found);
        qsort(found, count, sizeof *found, compare);
        for (guint j = 0; j < count; j++)
            if (g_file_test(found[j], G_FILE_TEST_IS_DIR | G_FILE_TEST_IS_REGULAR))
                add(self, &rows[i], found[j]);
    }
}
