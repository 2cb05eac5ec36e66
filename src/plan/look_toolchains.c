/*
 * The user-level toolchains that home.share_toolchains shows.
 *
 * Each row names the narrowest folder that works, and the files in it in which a tool keeps
 * credentials: those are covered with an empty file. Whole folders such as ~/.cargo or ~/.nvm hold
 * more than tools, so only parts of them are listed.
 */
#include "plan/look.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *folder;  /* glob below the home; every match counts */
    const char *bin;     /* below a match; "" is the match itself; NULL: nothing for PATH */
    const char *secrets; /* glob below a match, or NULL */
} toolchain;

static const toolchain rows[] = {
    {".local/bin", "", NULL},
    {".local/share/pipx/venvs", NULL, "*/pip.conf"},
    {".local/share/uv/python", NULL, "*/pip.conf"},
    {".local/share/uv/tools", NULL, "*/pip.conf"},
    {".cargo/bin", "", NULL},
    {".rustup", NULL, NULL},
    {"go/bin", "", NULL},
    {"sdk/go*", "bin", NULL},
    {".nvm/versions/node/*", "bin", "etc/npmrc"},
    {".volta/bin", "", NULL},
    {".volta/tools", NULL, "image/node/*/etc/npmrc"},
    {".bun/bin", "", NULL},
    {".deno/bin", "", NULL},
    {".local/share/pnpm", "", "rc"},
    {".asdf/shims", "", NULL},
    {".asdf/bin", "", NULL},
    {".asdf/lib", NULL, NULL},
    {".asdf/plugins", NULL, NULL},
    {".asdf/installs", NULL, "*/*/etc/npmrc"},
    {".local/share/mise/shims", "", NULL},
    {".local/share/mise/installs", NULL, "*/*/etc/npmrc"},
    {".pyenv/shims", "", NULL},
    {".pyenv/bin", "", NULL},
    {".pyenv/libexec", NULL, NULL},
    {".pyenv/versions", NULL, "*/pip.conf"},
    {".rbenv/shims", "", NULL},
    {".rbenv/bin", "", NULL},
    {".rbenv/libexec", NULL, NULL},
    {".rbenv/versions", NULL, NULL},
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

static void add(plan_facts *self, const toolchain *row, const char *folder)
{
    g_autofree char *bin = row->bin && row->bin[0] ? g_build_filename(folder, row->bin, NULL)
                                                   : g_strdup(row->bin ? folder : NULL);
    plan_toolchain *added = plan_facts_add_toolchain(self, folder, bin);

    if (row->secrets) {
        g_autofree char *safe = escape(folder);
        g_autofree char *pattern = g_build_filename(safe, row->secrets, NULL);
        added->secrets = find(pattern);
    }
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
            if (g_file_test(found[j], G_FILE_TEST_IS_DIR))
                add(self, &rows[i], found[j]);
    }
}
