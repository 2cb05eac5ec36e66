#include "box/branch/commits.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/commit_changes.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"

#define COMMITS_MAX 10000
/* Of what git prints. */
#define OUTPUT_MAX (64 << 20)
/* Of one file in a commit. */
#define OBJECT_MAX ((gint64)256 << 20)
#define REFUSED_SHOWN_MAX 20
/* Commits where a branch has parted from what the host has: one, or some after crossed merges. */
#define BASES_MAX 32

/* The object of a tree without files, which git always has. */
#define EMPTY_TREE "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

typedef struct {
    const private_git *git;
    const struct box *branch;
    const settings *wanted;
    const branch_take_options *how;
    int project;
    GHashTable *twins; /* paths and folders of the last commit that differ only in case */
    GHashTable *links; /* object -> path, of links */
    GPtrArray *files;  /* of objects */
    GHashTable *head;  /* path -> "MODE OBJECT", of what the host has checked out */
    GHashTable *named; /* paths that were refused */
    gboolean has_head;
    guint refused;
} check;

char *commits_list(const private_git *git, guint *count, GError **error)
{
    static const char *const arguments[] = {"rev-list",  "--reverse", "--topo-order",
                                            COMMITS_TIP, "--not",     "--glob=" COMMITS_HOST,
                                            NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    *count = 0;
    if (!private_git_run(git, arguments, -1, -1, text, OUTPUT_MAX, NULL, error))
        return NULL;
    for (const char *at = text->str; (at = strchr(at, '\n')); at++)
        (*count)++;
    if (*count > COMMITS_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the branch has more than %d new commits, the most that are taken at once",
                    COMMITS_MAX);
        return NULL;
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void refuse(check *self, const char *path, unsigned doubts)
{
    g_autofree char *safe = text_safe(path, -1), *why = branch_doubts_describe(doubts);
    g_hash_table_add(self->named, g_strdup(path));
    if (self->refused++ < REFUSED_SHOWN_MAX)
        log_warning("in a commit: '%s' (%s)", safe, why);
}

static unsigned without_allowed(const check *self, const char *path, unsigned doubts)
{
    gboolean is_allowed = branch_path_is_in(self->how->allowed, path);
    return doubts & ~(is_allowed ? (unsigned)BRANCH_NEEDS_YES : 0u);
}

static gboolean is_twin(const check *self, const char *path)
{
    g_autofree char *at = g_strdup(path);
    do {
        if (g_hash_table_contains(self->twins, at))
            return TRUE;
    } while (text_cut_path(at));
    return FALSE;
}

static void check_change(const commit_change *change, void *data)
{
    check *self = data;
    unsigned doubts = branch_name_doubts(self->wanted, change->path, change->mode != 0);
    if (change->is_added && is_twin(self, change->path))
        doubts |= BRANCH_TWIN;
    if (change->mode && !S_ISREG(change->mode) && !S_ISLNK(change->mode))
        doubts |= BRANCH_SPECIAL;
    if (S_ISLNK(change->mode))
        g_hash_table_replace(self->links, g_strconcat(change->object, change->path, NULL),
                             g_strdup(change->object));
    else if (S_ISREG(change->mode))
        g_ptr_array_add(self->files, g_strconcat(change->object, change->path, NULL));
    doubts = without_allowed(self, change->path, doubts);
    if (doubts)
        refuse(self, change->path, doubts);
}

/* TEXT as a file without a name, for standard input. -1 with ERROR. */
static int as_input(const check *self, const char *text, gsize length, GError **error)
{
    int fd = fs_open_unnamed(self->git->folder, error);
    if (fd >= 0 && fs_write_all(fd, text, length) && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0) {
        close(fd);
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot write a file for git");
    }
    return -1;
}

static GString *run_with(const check *self, const char *const *arguments, const char *input,
                         gsize length, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    int fd = as_input(self, input, length, error);
    gboolean done =
        fd >= 0 && private_git_run(self->git, arguments, fd, -1, text, OUTPUT_MAX, NULL, error);
    if (fd >= 0)
        close(fd);
    return done ? g_steal_pointer(&text) : NULL;
}

static gboolean set_strange(GError **error)
{
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "the output of git cannot be read");
    return FALSE;
}

/* Finds what differs only in case among the files and folders of the last commit. */
static gboolean find_twins(check *self, GError **error)
{
    static const char *const arguments[] = {"ls-tree",     "-r",          "-t",        "-z",
                                            "--name-only", "--full-tree", COMMITS_TIP, NULL};
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) text = run_with(self, arguments, "", 0, error);
    if (!text)
        return FALSE;
    for (const char *at = text->str, *end = at + text->len; at < end; at += strlen(at) + 1) {
        char *folded = branch_path_fold(at);
        const char *other = g_hash_table_lookup(seen, folded);
        if (other) {
            g_hash_table_add(self->twins, g_strdup(other));
            g_hash_table_add(self->twins, g_strdup(at));
            g_free(folded);
        } else {
            g_hash_table_insert(seen, folded, (gpointer)at);
        }
    }
    return TRUE;
}

/* The link at PATH leads to the next LENGTH bytes of TEXT. */
static void check_link(check *self, const char *path, const char *text, gsize length)
{
    g_autofree char *target = g_strndup(text, length);
    gboolean stays = length < PATH_MAX && strlen(target) == length &&
                     branch_link_stays(self->project, self->branch->project, path, target);
    if (!stays && without_allowed(self, path, BRANCH_LINK_OUT))
        refuse(self, path, BRANCH_LINK_OUT);
}

/* The answer of "cat-file --batch" about one object: "OBJECT blob SIZE", its bytes, a line's end.
 * Returns where the next begins; NULL: it is something else. */
static const char *parse_answer(const char *at, const char *end, const char **bytes, gsize *size)
{
    const char *line = memchr(at, '\n', (gsize)(end - at));
    if (!line || line - at <= GIT_OBJECT_ID_LENGTH ||
        !g_str_has_prefix(at + GIT_OBJECT_ID_LENGTH, " blob "))
        return NULL;
    guint64 length = g_ascii_strtoull(at + GIT_OBJECT_ID_LENGTH + strlen(" blob "), NULL, 10);
    *bytes = line + 1;
    *size = (gsize)length;
    return length < (guint64)(end - *bytes) ? *bytes + length + 1 : NULL;
}

static gboolean check_links(check *self, GError **error)
{
    static const char *const arguments[] = {"cat-file", "--batch", NULL};
    g_autoptr(GString) names = g_string_new(NULL);
    GHashTableIter each;
    gpointer key, object;
    g_hash_table_iter_init(&each, self->links);
    while (g_hash_table_iter_next(&each, &key, &object))
        g_string_append_printf(names, "%s\n", (const char *)object);
    g_autoptr(GString) text = run_with(self, arguments, names->str, names->len, error);
    if (!text)
        return FALSE;
    const char *at = text->str, *bytes;
    g_hash_table_iter_init(&each, self->links);
    while (g_hash_table_iter_next(&each, &key, &object)) {
        gsize size;
        at = parse_answer(at, text->str + text->len, &bytes, &size);
        if (!at)
            return set_strange(error);
        check_link(self, (const char *)key + GIT_OBJECT_ID_LENGTH, bytes, size);
    }
    return TRUE;
}

/* Files that would fill the disk when they are checked out. */
static gboolean check_sizes(check *self, GError **error)
{
    static const char *const arguments[] = {
        "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", NULL};
    /* Commits may be empty, or only remove files. */
    if (!self->files->len)
        return TRUE;
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < self->files->len; i++)
        g_string_append_printf(names, "%.*s\n", GIT_OBJECT_ID_LENGTH,
                               (const char *)self->files->pdata[i]);
    g_autoptr(GString) text = run_with(self, arguments, names->str, names->len, error);
    if (!text)
        return FALSE;
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    if (g_strv_length(lines) != self->files->len + 1)
        return set_strange(error);
    for (guint i = 0; i < self->files->len; i++) {
        const char *of = self->files->pdata[i];
        if (strlen(lines[i]) <= GIT_OBJECT_ID_LENGTH ||
            !g_str_has_prefix(lines[i] + GIT_OBJECT_ID_LENGTH, " blob "))
            return set_strange(error);
        if (g_ascii_strtoll(lines[i] + GIT_OBJECT_ID_LENGTH + strlen(" blob "), NULL, 10) >
            OBJECT_MAX)
            refuse(self, of + GIT_OBJECT_ID_LENGTH, BRANCH_LARGE);
    }
    return TRUE;
}

/* Merges. One may have all that differs from one parent out of another one, such as an old commit
 * of the host's: its protected names must be the same in each parent, or as the host has them now.
 */

static gboolean read_head(check *self, GError **error)
{
    static const char *const find[] = {"for-each-ref", COMMITS_HOST_HEAD, NULL};
    static const char *const list[] = {"ls-tree",         "-r", "-z", "--full-tree",
                                       COMMITS_HOST_HEAD, NULL};
    g_autoptr(GString) found = run_with(self, find, "", 0, error);
    self->has_head = found && found->len;
    if (!self->has_head)
        return found != NULL;
    g_autoptr(GString) text = run_with(self, list, "", 0, error);
    if (!text)
        return FALSE;
    /* "MODE TYPE OBJECT\tPATH" */
    for (const char *at = text->str, *end = at + text->len; at < end; at += strlen(at) + 1) {
        const char *path = strchr(at, '\t');
        g_auto(GStrv) fields = path ? g_strsplit(at, " ", 3) : NULL;
        if (!path || g_strv_length(fields) != 3)
            return set_strange(error);
        g_hash_table_insert(self->head, g_strdup(path + 1),
                            g_strdup_printf("%s %.*s", fields[0], GIT_OBJECT_ID_LENGTH, fields[2]));
    }
    return TRUE;
}

static gboolean is_of_head(const check *self, const commit_change *change)
{
    g_autofree char *now =
        change->mode ? g_strdup_printf("%06o %s", change->mode, change->object) : NULL;
    return g_strcmp0(g_hash_table_lookup(self->head, change->path), now) == 0;
}

static void check_merged(const commit_change *change, void *data)
{
    check *self = data;
    unsigned doubts =
        branch_name_doubts(self->wanted, change->path, change->mode != 0) & BRANCH_PROTECTED;
    if (without_allowed(self, change->path, doubts) && !is_of_head(self, change) &&
        !g_hash_table_contains(self->named, change->path))
        refuse(self, change->path, doubts);
}

static gboolean check_merges(check *self, GError **error)
{
    static const char *const find[] = {"rev-list", "--min-parents=2",      COMMITS_TIP,
                                       "--not",    "--glob=" COMMITS_HOST, NULL};
    static const char *const compare[] = {"diff-tree", "--stdin",      "-r",          "-m", "-z",
                                          "--raw",     "--no-renames", "--no-abbrev", NULL};
    g_autoptr(GString) merges = run_with(self, find, "", 0, error);
    if (!merges || !merges->len)
        return merges != NULL;
    g_autoptr(GString) text = run_with(self, compare, merges->str, merges->len, error);
    if (!text)
        return FALSE;
    return commit_changes_parse(text->str, text->len, check_merged, self) || set_strange(error);
}

/* What a merge of the branch would bring to what the host has checked out. Commits that the host
 * has are not looked at one by one, and may be of others: a branch of a remote, or one that the box
 * has put into the host's repository. So their protected names must be as the host has them, too.
 */

static gboolean check_since(check *self, const char *base, GError **error)
{
    const char *const compare[] = {"diff-tree",   "-r", "-z",        "--raw", "--no-renames",
                                   "--no-abbrev", base, COMMITS_TIP, NULL};
    g_autoptr(GString) text = run_with(self, compare, "", 0, error);
    if (!text)
        return FALSE;
    /* In front of a commit's changes is its name. */
    g_string_prepend_len(text, base, (gssize)strlen(base) + 1);
    return commit_changes_parse(text->str, text->len, check_merged, self) || set_strange(error);
}

static gboolean check_bases(check *self, GError **error)
{
    static const char *const find[] = {"merge-base", "--all", COMMITS_HOST_HEAD, COMMITS_TIP, NULL};
    int status = 0;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!read_head(self, error) ||
        (self->has_head &&
         !private_git_run(self->git, find, -1, -1, text, OUTPUT_MAX, &status, error)))
        return FALSE;
    g_auto(GStrv) bases = g_strsplit(text->len ? g_strchomp(text->str) : EMPTY_TREE, "\n", -1);
    if (g_strv_length(bases) > BASES_MAX)
        return set_strange(error);
    for (char **base = bases; *base; base++)
        if (!(git_object_is_valid(*base, strlen(*base)) || set_strange(error)) ||
            !check_since(self, *base, error))
            return FALSE;
    return TRUE;
}

static gboolean check_all(check *self, const char *list, GError **error)
{
    static const char *const arguments[] = {"diff-tree",   "--stdin", "-r",    "-c",
                                            "--root",      "-z",      "--raw", "--no-renames",
                                            "--no-abbrev", NULL};
    if (!find_twins(self, error))
        return FALSE;
    g_autoptr(GString) text = run_with(self, arguments, list, strlen(list), error);
    if (!text)
        return FALSE;
    if (!commit_changes_parse(text->str, text->len, check_change, self))
        return set_strange(error);
    return check_links(self, error) && check_sizes(self, error) && check_bases(self, error) &&
           check_merges(self, error);
}

int commits_check(const private_git *git, const struct box *self, const settings *wanted,
                  int project, const char *list, const branch_take_options *how, GError **error)
{
    g_autoptr(GHashTable) twins = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) links = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) head = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    check at = {git, self, wanted, how, project, twins, links, files, head, named, FALSE, 0};
    if (!check_all(&at, list, error))
        return -1;
    if (at.refused > REFUSED_SHOWN_MAX)
        log_warning("%u more", at.refused - REFUSED_SHOWN_MAX);
    return (int)at.refused;
}
