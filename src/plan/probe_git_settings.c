/*
 * Which files of the project the host's git would run or read as configuration, because a setting
 * of the user's or the repository's names them: core.hooksPath, include.path, filters, aliases.
 */
#include "plan/facts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes of settings, and how many of them may name something in the project; more are refused. */
#define OUTPUT_MAX (1 << 20)
#define NAMED_MAX 64
#define GIT_SECONDS "5"
/* Of timeout(1): its own; git's for an error; and, from the next one on, those of signals. */
#define TIMED_OUT 124
#define TIMEOUT_FAILED 125
#define GIT_FAILED 128
/* What may stand around a path in a command. */
#define SEPARATORS " \t\n'\"=;|&()<>`!"

/* These name one path, which need not have a slash or exist. */
static gboolean names_a_path(const char *key)
{
    static const char *const keys[] = {"core.hookspath", "core.attributesfile", "commit.template",
                                       "init.templatedir", NULL};

    return g_strv_contains(keys, key);
}

/* Addresses and names; a path in them is no program. */
static gboolean names_no_program(const char *key)
{
    static const char *const sections[] = {"remote.", "branch.", "submodule.",
                                           "user.",   "url.",    "core.worktree"};
    /* What `git submodule update` runs, and what a remote that is a folder does. */
    static const char *const programs[] = {".update", ".uploadpack", ".receivepack"};

    for (gsize i = 0; i < G_N_ELEMENTS(programs); i++)
        if (g_str_has_suffix(key, programs[i]))
            return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(sections); i++)
        if (g_str_has_prefix(key, sections[i]))
            return TRUE;
    return FALSE;
}

typedef struct {
    plan_facts *facts;
    const char *project;
    GHashTable *seen;
    GPtrArray *named;
} script_names;

/* TEXT may be a path, relative to BASE. Counts if it means something below the project. */
static void add(script_names *self, const char *base, const char *text, gboolean must_exist)
{
    g_autofree char *expanded =
        g_str_has_prefix(text, "~/") ? plan_expand(self->facts, text) : NULL;
    g_autofree char *path = expanded ? g_strdup(expanded) : g_canonicalize_filename(text, base);
    gsize length = strlen(self->project);

    if (strncmp(path, self->project, length) != 0 || path[length] != '/')
        return;
    const char *relative = path + length + 1;
    g_autofree char *clean = plan_clean_relative(relative);
    if (!clean || g_hash_table_contains(self->seen, clean) ||
        (must_exist && !g_file_test(path, G_FILE_TEST_EXISTS)))
        return;
    if (self->named->len == NAMED_MAX) {
        self->facts->git.is_cut = TRUE;
        return;
    }
    plan_probe_below(self->facts, self->project, clean);
    g_hash_table_add(self->seen, g_strdup(clean));
    g_ptr_array_add(self->named, g_steal_pointer(&clean));
}

/* A word of a command. Programs are found by $PATH, but what they are given is relative to the
 * project: "python3 clean.py". */
static void add_word(script_names *self, const char *word)
{
    g_autofree char *path = g_build_filename(self->project, word, NULL);

    if (strchr(word, '/') || (*word && g_file_test(path, G_FILE_TEST_IS_REGULAR)))
        add(self, self->project, word, TRUE);
}

static void add_setting(script_names *self, const char *key, const char *value)
{
    if (names_a_path(key)) {
        add(self, self->project, value, FALSE);
        return;
    }
    if (names_no_program(key) || !strpbrk(value, "/ \t"))
        return;
    g_auto(GStrv) words = g_strsplit_set(value, SEPARATORS, -1);
    for (char **word = words; *word; word++)
        add_word(self, *word);
}

/* The files of "include.path=FILE" and "includeif.CONDITION.path=FILE" are relative to FOLDER, of
 * the file that names them. "=" and ".path=" may be in a condition as well. */
static void add_includes(script_names *self, const char *folder, const char *line)
{
    static const char name[] = ".path=";

    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name))
        add(self, folder, at + strlen(name), FALSE);
}

/* The folder of the file that "file:NAME" is, as git said in CWD. It quotes a name as C does. */
static char *origin_folder(const char *cwd, const char *origin)
{
    g_autofree char *name = g_strdup(origin + strlen("file:"));
    gsize length = strlen(name);

    if (length > 1 && name[0] == '"' && name[length - 1] == '"') {
        name[length - 1] = '\0';
        char *plain = g_strcompress(name + 1);
        g_free(name);
        name = plain;
    }
    g_autofree char *path = g_canonicalize_filename(name, cwd);
    return g_path_get_dirname(path);
}

/* "ORIGIN<tab>key=value", or a further line of a longer value, which can only name more. */
static void add_line(script_names *self, const char *cwd, char *line)
{
    char *tab = g_str_has_prefix(line, "file:") ? strchr(line, '\t') : NULL;
    char *setting = tab ? tab + 1 : line;
    char *value = strchr(setting, '=');

    if (tab && g_str_has_prefix(setting, "include")) {
        *tab = '\0';
        g_autofree char *folder = origin_folder(cwd, line);
        add_includes(self, folder, setting);
        return;
    }
    if (!value)
        return;
    *value = '\0';
    add_setting(self, setting, value + 1);
}

/* The output of `git config --list --show-origin` in CWD. */
static void add_all(script_names *self, const char *cwd, const char *output)
{
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1);

    for (char **line = lines; *line; line++)
        if (g_utf8_validate(*line, -1, NULL))
            add_line(self, cwd, *line);
}

/* git would wait for a writer of a FIFO; in such a repository it runs nothing either. */
static gboolean is_regular(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* TRUE when git has ended, as waitpid() says, and PRINTED is all that it would. One that fails has
 * read some of the settings, and may read the rest when a box has mended what it stumbled over. */
static gboolean is_complete(int status, gsize printed)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : TIMEOUT_FAILED;

    return code < GIT_FAILED ? code != TIMED_OUT && code != TIMEOUT_FAILED
                             : code == GIT_FAILED && !printed;
}

/* What ARGV, which is timeout(1) with git, prints: a new string; NULL: nothing. Sets IS_CUT where
 * that is more than OUTPUT_MAX, which a few lines of includes can make gigabytes, or not all. */
static char *run_git(const char *const *argv, gboolean *is_cut)
{
    GPid pid;
    int out = -1, status = 0;
    char block[65536];
    if (!g_spawn_async_with_pipes(NULL, (char **)argv, NULL,
                                  G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
                                      G_SPAWN_STDERR_TO_DEV_NULL | G_SPAWN_CLOEXEC_PIPES,
                                  NULL, NULL, &pid, NULL, &out, NULL, NULL)) {
        *is_cut = TRUE;
        return NULL;
    }
    GString *text = g_string_new(NULL);
    ssize_t n = 1;
    while (text->len <= OUTPUT_MAX &&
           ((n = read(out, block, sizeof block)) > 0 || (n < 0 && errno == EINTR)))
        g_string_append_len(text, block, MAX(n, 0));
    close(out);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *is_cut |= n < 0 || text->len > OUTPUT_MAX || !is_complete(status, text->len);
    return g_string_free(text, FALSE);
}

/* Reads, and runs nothing. Without git on the host nothing there obeys these settings. */
static void add_output(script_names *self, const char *cwd, const char *const *argv)
{
    gboolean *is_cut = &self->facts->git.is_cut;
    g_autofree char *output = *is_cut ? NULL : run_git(argv, is_cut);

    if (output && !*is_cut)
        add_all(self, cwd, output);
}

void plan_probe_git_settings(plan_facts *self, const char *project)
{
    const char *folder = self->git.folder;

    g_clear_pointer(&self->git.named, g_strfreev);
    if (!folder || !is_regular(folder, "config"))
        return;
    g_autofree char *config = g_build_filename(folder, "config", NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    script_names found = {self, project, seen, g_ptr_array_new()};
    /* timeout(1): what was looked at may be something else by now. */
    const char *user[] = {"timeout", GIT_SECONDS, "git",           "-C", "/",
                          "config",  "--list",    "--show-origin", NULL};
    const char *own[] = {"timeout",    GIT_SECONDS, "git",           "-C",     "/",    "config",
                         "--includes", "--list",    "--show-origin", "--file", config, NULL};
    const char *all[] = {"timeout", GIT_SECONDS, "git",           "-C", project,
                         "config",  "--list",    "--show-origin", NULL};

    /* A box can remove HEAD for a while, and git finds no repository then. What all of them say
     * together has the includes that depend on the folder. */
    add_output(&found, "/", user);
    add_output(&found, "/", own);
    if (is_regular(folder, "HEAD"))
        add_output(&found, project, all);
    g_ptr_array_add(found.named, NULL);
    self->git.named = (char **)g_ptr_array_free(found.named, FALSE);
}
